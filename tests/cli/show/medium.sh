# Medium sizes as the file states them, and as the rule makes them of small ones: the batch is multiplied. Where the rule
# finds none, the others are shown, and who asks for medium is told.
"$ASSAY" show hard/05 --as c --sizes medium | sed -n 1,8p
"$ASSAY" show level1/19 --as c --sizes medium
cat >no.lua <<'L'
problem { "A window that no input is as long as" }
sizes { full = { K = 9 }, small = { K = 3 } }
output("y", avg_pool(input("x", f32, { 1, 1, 64, 64 }), { k = K }))
L
"$ASSAY" show no.lua | sed -n '/^  full/,/^  small/p'
"$ASSAY" show no.lua --sizes medium
echo "exit $?"
