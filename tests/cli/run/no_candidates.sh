mkdir gen
"$ASSAY" run gen --name r
