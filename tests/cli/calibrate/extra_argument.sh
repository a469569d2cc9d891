"$ASSAY" calibrate cpu
