"$ASSAY" attack nothing_is_called_so
