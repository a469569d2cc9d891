"$ASSAY" calibrate --device fake
