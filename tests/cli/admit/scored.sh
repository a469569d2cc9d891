# Scored contents that leave work to save are refused by name; a problem may be excused with a reason.
cat >cheap.lua <<'L'
problem { "Cheap to score", level = 1, id = 1 }
sizes { full = { N = 64 }, small = { N = 64 } }
local x = input("x", bf16, { N, N }, normal(120, 1), needle())
output("y", gelu(x - 120))
L
sed '2a nulls { skip = { scored_laws = "one is enough here", scored_rows = "a test" } }' cheap.lua >excused.lua
"$ASSAY" admit cheap.lua --seed 3 -v | sed 's/[0-9.]* m\?s$/TIME/' | grep -E 'REFUSED|N=64|scored'
"$ASSAY" admit excused.lua --seed 3 -v | sed 's/[0-9.]* m\?s$/TIME/' | grep -E 'REFUSED|N=64|scored'
