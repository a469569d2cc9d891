"$ASSAY" show
