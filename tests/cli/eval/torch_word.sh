"$ASSAY" eval level1/19 torch:fast
