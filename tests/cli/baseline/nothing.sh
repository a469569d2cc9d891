"$ASSAY" baseline
