# A problem whose medium sizes do not follow from small is judged on its others. Every command that is asked for
# medium says what the file lacks.
mkdir -p problems/mine c/a/mine_1
cat >problems/mine/001_pool.lua <<'L'
problem { "Pool" }
sizes { full = { K = 9 }, small = { K = 3 } }
output("y", avg_pool(input("x", f32, { 1, 1, 64, 64 }), { k = K }))
L
echo 'op zeros' >k.fake
cp "$ROOT/exemplars/cpu/level1/019_relu/naive.c" k.c
echo 'op zeros' >c/a/mine_1/sample0.fake
export ASSAY_SHARE=$PWD
try() {
    echo "-- $*"
    "$ASSAY" "$@" 2>&1 | sed "s|$PWD/||; s/in [0-9.]* s ([0-9.]* a second)/in T/" | head -n 2
    echo "exit ${PIPESTATUS[0]}"
}
try show mine/1
try eval --check-only mine/1 k.fake --seed 1
try show mine/1 --as c --sizes medium
try admit mine/1 --sizes medium
try eval mine/1 k.fake --sizes medium
try eval mine/1 k.c
try run c --name r --sizes medium
try baseline mine/1 --kinds cpu:naive --device cpu
