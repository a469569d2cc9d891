# Nothing is missing on a machine that gives every layer; elsewhere this is refused, and says why.
printf 'op relu\ntime 10us\n' >k.fake
if "$ASSAY" doctor | grep -q '^NO  sandbox'; then echo "a sandbox layer is missing here"; exit 77; fi
"$ASSAY" eval level1/19 k.fake --require-sandbox --check-only
