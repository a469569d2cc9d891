"$ASSAY" show level1/36
