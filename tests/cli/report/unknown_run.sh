"$ASSAY" report nothing -o out.html
