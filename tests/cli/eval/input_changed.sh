# A candidate that lifts the read-only mapping of its input and writes there, right as its output is.
printf 'op relu\nlift-input at call 3\n' >k.fake
"$ASSAY" eval level1/19 k.fake --sizes small --json | python3 -c '
import json, sys
r = json.load(sys.stdin)
print(r["verdict"], r["reason"], "/", r["detail"])'
