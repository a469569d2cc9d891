# Errors of a problem file name file and line.
echo 'op relu' >k.fake
cat >mine.lua <<'L'
problem { "Mine", level = 1, id = 1 }
sizes { full = { N = 64 }, small = { N = 16 } }
local x = input("x", f32, { N, N })
output("y", matmul(x, input("w", f32, { N + 1, 4 })))
L
"$ASSAY" eval mine.lua k.fake
