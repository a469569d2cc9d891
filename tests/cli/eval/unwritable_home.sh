echo 'op relu' >k.fake
: >plain
ASSAY_HOME=plain/home "$ASSAY" eval level1/19 k.fake
