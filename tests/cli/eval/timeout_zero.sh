# Said 1 to 3.6e+06.
"$ASSAY" eval level1/19 mine.c --timeout 0
