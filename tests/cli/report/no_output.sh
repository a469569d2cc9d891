"$ASSAY" report some
