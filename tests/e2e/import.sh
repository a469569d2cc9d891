# assay import: a stranger's module is traced behind walls, and its draft is a problem that can be judged. What cannot be
# translated or traced is named in one line; a process that returns something else than a draft is believed nothing.
# san: no, PyTorch does the work
# covers: src/cmd/cmd_import.c src/judge/reference.c src/judge/judge.c workers/assay_python/reference.py
# slow: src/cmd/cmd_import.c src/judge src/process workers tests/ref tests/e2e/import.sh
# long: 40 s
set -u
bad=0
wrong() { echo "$1"; bad=1; }
ref="$ROOT/tests/ref"
"$ASSAY" import "$ref/level1_19.py" >relu.lua 2>err.txt || {
    grep -q 'no Python with torch\|torch' err.txt && [ ! -s relu.lua ] && { cat err.txt; exit 77; }
    cat err.txt
    wrong "a ReLU cannot be imported"
}

# --- a draft is a problem ---
for name in level1_19 level2_28 level3_38; do
    "$ASSAY" import "$ref/$name.py" -o "$name.lua" >out.txt 2>&1 && [ ! -s out.txt ] || { cat out.txt; wrong "$name: not imported"; }
    "$ASSAY" admit "$name.lua" >out.txt 2>&1 || { cat out.txt; wrong "$name: the draft is not admitted"; }
    sed 's/\bModel\b/ModelNew/g' "$ref/$name.py" >"$name.py"
    "$ASSAY" eval "$name.lua" "$name.py" --sizes small --check-only >out.txt 2>&1 || {
        cat out.txt
        wrong "$name: the reference does not pass as a candidate of its draft"
    }
done
cmp -s relu.lua level1_19.lua || wrong "two imports of one file differ"

# --- what is not translated ---
"$ASSAY" import "$ref/bad/random_forward.py" -o noise.lua 2>err.txt
[ $? = 1 ] || wrong "a partial draft does not exit with 1"
grep -q 'random_forward.py: not translated: line 9: randn_like: the language has nothing like it' err.txt || {
    cat err.txt
    wrong "randn_like is not named"
}
"$ASSAY" show noise.lua >out.txt 2>&1 || { cat out.txt; wrong "a partial draft does not load"; }

# --- what is refused: one line, exit 3, nothing on stdout ---
cat >escapes.py <<'END'
import torch
import torch.nn as nn
import sys

sys.modules["assay_python.draft"].draft = lambda *_: ("problem { \"\x1b[2J\" }", [])


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(16, 64)]
END
sed 's/lambda \*_: .*/lambda *_: (["x"], "y")/' escapes.py >list.py
sed 's/^sys.mod.*/sys.modules["assay_python.reference"].json.dumps = lambda _: "{" * 1000000/' escapes.py >broken.py
refused() { # FILE TEXT [OPTION...]
    file=$1 text=$2
    shift 2
    "$ASSAY" import "$file" "$@" >out.txt 2>err.txt
    status=$?
    if [ $status != 3 ] || [ -s out.txt ] || [ "$(wc -l <err.txt)" != 1 ] || ! grep -qF "$text" err.txt; then
        head -c 300 out.txt
        head -c 1000 err.txt
        wrong "$file: exit $status, or another line than '$text'"
    fi
}
refused escapes.py 'what its process returned is no draft'
refused list.py 'what its process returned is no draft'
refused broken.py 'what its process returned is no draft'
refused "$ref/bad/keeps_state.py" 'torch.fx cannot trace it: forward does something else when it is called again'
refused "$ref/bad/returns_dict.py" 'torch.fx cannot trace it: forward returns a dict'
refused "$ref/bad/two_inputs_for_one.py" 'is called with 2'
refused "$ref/bad/no_tensor.py" 'get_inputs() returns no tensor'
refused "$ref/bad/hangs_forward.py" 'took over 3 s' --build-timeout 3000
refused "$ref/bad/forks_import.py" 'PermissionError'
refused "$ref/bad/prints_much.py" 'printed 100.0 MB'
exit $bad
