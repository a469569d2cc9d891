# Some 200 files of all forms that people write, more than half of them broken in a way of its own: each has the verdict
# and the words that its own first comment states (tests/python/forms).
# san: no, PyTorch does the work
# covers: workers/assay_python/entry.py workers/assay_python/runner.py workers/assay_python/binding.py
# covers: workers/assay_python/calls.py
# slow: src/python src/process src/sandbox src/judge workers tests/python tests/e2e/python_forms.sh
# long: 60 s
set -u
bad=0
wrong() { echo "$1"; bad=1; }
python3 "$ROOT/tests/python/judge_forms.py" "$ASSAY" "$ROOT/tests/python/forms" || {
    status=$?
    [ $status != 77 ] || exit 77
    wrong "candidates are not as expected"
}

# --- what a working tree cannot hold, or a first comment not say ---
printf 'import torch\n\n\ndef run(x):\n    return torch.relu(x)\n' >good.py
: >empty.py
{ printf '\357\273\277'; cat good.py; } >bom.py
sed 's/$/\r/' good.py >crlf.py
printf 'x = "%01000000d"\n' 0 | cat - good.py >long_line.py
"$ASSAY" eval level1/19 good.py empty.py bom.py crlf.py long_line.py --sizes small --check-only >out.txt 2>&1
for want in 'good.py *pass' 'empty.py *build_error *load' 'bom.py *pass' 'crlf.py *pass' 'long_line.py *pass' \
    '^empty.py: empty.py has none of: class ModelNew'; do
    grep -q "$want" out.txt || { cat out.txt; wrong "no line: $want"; }
done

# --- folders that are refused before anything is judged: one line that says what is wrong with them ---
refused() { # FOLDER TEXT
    "$ASSAY" eval level1/19 "$1" --sizes small --check-only >out.txt 2>&1
    [ $? = 3 ] || wrong "$1: exit status"
    [ "$(cat out.txt)" = "assay: $2" ] || { cat out.txt; wrong "$1: not the words expected"; }
}
mkdir nothing none two link socket many large deep
echo 'x = 1' | tee none/a.py >none/b.py
cp good.py two/a.py && cp good.py two/b.py
for folder in link socket many large deep; do cp good.py $folder/solution.py; done
ln -s /etc/passwd link/data
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket/s")'
for i in $(seq 256); do : >"many/$i.txt"; done
truncate -s 5M large/weights.bin
mkdir -p deep/1/2/3/4/5
refused nothing 'nothing: no .py file in it defines an entry; see docs/candidates.md'
refused none 'none: no .py file in it defines an entry; see docs/candidates.md'
refused two 'two: a.py and b.py both define an entry of the same rank; name one solution.py'
refused link "link/data: a link or special file; a candidate's folder holds plain files only"
refused socket "socket/s: a link or special file; a candidate's folder holds plain files only"
refused many 'many: more than 256 files'
refused large 'large/weights.bin: larger than the limit of 4194304 bytes'
refused deep 'deep/1/2/3/4/5: folders in folders, more than 4 deep'
exit $bad
