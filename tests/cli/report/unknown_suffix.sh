"$ASSAY" report some -o out.pdf
