mkdir k.fake
"$ASSAY" eval level1/19 k.fake
