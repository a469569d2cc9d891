# A problem whose answer does not depend on its inputs is refused.
cat >hole.lua <<'L'
problem { "Hole", level = 1, id = 1 }
sizes { full = { N = 64 }, small = { N = 32 } }
local x = input("x", f32, { N, N }, uniform(0, 1))
output("y", relu(x))
L
"$ASSAY" admit hole.lua --seed 3 | sed 's/[0-9.]* m\?s$/TIME/'
exit "${PIPESTATUS[0]}"
