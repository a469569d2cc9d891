# A problem file anywhere can be judged on.
printf 'op relu\ntime 5us\n' >k.fake
cat >mine.lua <<'L'
problem { "Mine", level = 1, id = 1 }
sizes { full = { N = 64 }, small = { N = 16 } }
output("y", relu(input("x", f32, { N, N })))
L
"$ASSAY" eval mine.lua k.fake
