"$ASSAY" show level2/22 --as c
