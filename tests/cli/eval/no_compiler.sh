printf '#include "assay.h"\n' >k.c
PATH=/nonexistent ASSAY_CC= "$ASSAY" eval level1/19 k.c --json 2>&1 >r.json
echo "exit $?"
