# The page of a failure says which check, where, how much, and how to repeat it.
printf 'op negate\n' >k.fake
"$ASSAY" eval level1/19 k.fake --seed 7
