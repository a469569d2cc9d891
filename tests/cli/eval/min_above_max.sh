# The maximum was silently raised to the minimum.
echo 'int x;' >mine.c
"$ASSAY" eval level1/19 mine.c --min-calls 100 --max-calls 50
