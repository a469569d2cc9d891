# What is skipped is one line each, whatever it is called; names with quotes, bars and tags are names.
mkdir -p $'gen/new\nline/level1_19' $'gen/m/level1_19\e[2J' "gen/quo'te\"s/level1_19" 'gen/<b>|$(x)/level1_19'
ln -s nowhere gen/gone
for dir in gen/*/*; do printf 'op relu\n' >"$dir/sample0.fake"; done
"$ASSAY" run gen --name r 2>err
echo "exit $?"
sed 's/in [0-9.]* s ([0-9.]* a second)/in T/' err
"$ASSAY" analyze r --json | python3 -c 'import json, sys; print([m["model"] for m in json.load(sys.stdin)["models"]])'
