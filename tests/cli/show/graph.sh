"$ASSAY" show 1/23 --as graph
