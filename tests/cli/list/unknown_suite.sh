"$ASSAY" list level9
