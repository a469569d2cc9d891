"$ASSAY" baseline level1/19 --kinds torch:eager,naive
