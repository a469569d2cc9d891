# Times of another device are named, and only of full sizes.
mkdir -p gen/a/level1_19
printf 'op relu\ntime 20us\n' >gen/a/level1_19/sample0.fake
echo '{"level1": {"19_ReLU.py": {"mean": 0.05}}}' >kb.json
"$ASSAY" run gen --name r >/dev/null 2>&1
"$ASSAY" analyze r --foreign kb.json
