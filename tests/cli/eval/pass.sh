# 18 calls settle it: so many are scored on any machine, more of them only while contents are made quickly.
printf 'op relu\ntime 41.2us\njitter 1%%\n' >k.fake
"$ASSAY" eval level1/19 k.fake --min-calls 12
