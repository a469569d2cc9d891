"$ASSAY" evla
