# Attacks beside an honest control of the same run: as slow as it is, faster, and not passing at all.
# long: 8 s
mkdir -p share/attacks/fake share/honest share/problems/two
ln -s "$ASSAY_SHARE"/include share/ && ln -s "$ASSAY_SHARE"/problems/level1 share/problems/
cat >share/problems/two/001_sizes.lua <<'L'
problem { "ReLU at two sizes", level = "two", id = 1 }
sizes { full = { { N = 64 }, { N = 128 } }, small = { N = 32 } }
local x = input("x", f32, { 32, N })
output("y", relu(x))
L
printf 'op relu\ntime 40us\n' >share/honest/relu.fake
say() { printf '# /* licence */ /* %s */\n' "$2" >share/attacks/fake/"$1" && cat >>share/attacks/fake/"$1"; }
least='at least 90 % of honest/relu.fake'
printf 'op relu\ntime 36us\n' | say 204_slow.fake "As slow. expected: pass $least"
printf 'op relu\ntime 35.9us\n' | say 204_fast.fake "Too fast. problem: two/1 sizes: full expected: pass $least"
printf 'op zeros\ntime 1us\n' | say 204_wrong.fake "Wrong. expected: wrong: max or pass $least"
printf 'op relu\ntime 36us\n' | say 204_us.fake "By a figure. expected: pass at least 36 us"
export ASSAY_SHARE=$PWD/share
"$ASSAY" attack --device fake | sed 's|'"$PWD"'|.|; s/[0-9.]* s$/TIME/'
echo "exit ${PIPESTATUS[0]}"
"$ASSAY" attack --device fake --verbose 204_slow 204_us | head -2 | sed 's/ [0-9]* ms$/ TIME/'
"$ASSAY" attack --device fake --json | python3 -c '
import json, sys
keys = "name", "sizes", "outcome", "cold_us", "control", "least_percent", "times_us", "control_us"
for a in json.load(sys.stdin)["attacks"]:
    print({k: a.get(k) for k in keys})'
