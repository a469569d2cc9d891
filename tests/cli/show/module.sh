# How a published module is made and called: several full sizes, names of its own, numbers among the
# inputs, sizes that no published constructor makes, and a problem to which none applies.
for p in hard/1 level1/5 level3/9 level2/83; do
    "$ASSAY" show $p | sed -n -e '1p' -e '/^module/,/^$/p' -e '/^foreign/p'
done
"$ASSAY" show level1/5 --as torch | sed -n '/def /,/]/p'
"$ASSAY" show level2/1 --as torch | grep -A1 -e '__init__(self' -e get_init
"$ASSAY" show level1/54 --as torch --sizes full | tail -n 2
