"$ASSAY" eval level1/19
