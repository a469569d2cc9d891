"$ASSAY" import
