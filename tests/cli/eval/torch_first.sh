"$ASSAY" eval torch:eager level1/19
