"$ASSAY" import no_such_file.py
