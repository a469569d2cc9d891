# Judge, zygote and the runner inside Python, in a build with sanitizers (make SAN=1) under ASan and UBSan: candidates that
# pass, are wrong, crash or write frames of their own; twenty in a row; a zygote that is killed. PyTorch itself is not
# instrumented. Python gets gcc's libraries before ours, by a script in its place.
# covers: src/process/zygote.c src/process/pyproc.c src/python/python_runner.c src/sandbox/forked.c src/process/bound.c
# slow: src/process src/python src/sandbox src/wire src/runner workers tests/e2e/python_sanitized.sh
# long: 30 s
set -u
bad=0
wrong() { echo "$1"; bad=1; }
python=${ASSAY_PYTHON:-/usr/bin/python3}
"$python" -c 'import torch' 2>/dev/null || { echo "no torch for $python"; exit 77; }
instrumented=0
grep -q __asan_init "$ASSAY" && instrumented=1
if [ $instrumented = 1 ]; then
    grep -q __asan_init "$(dirname "$ASSAY_RUNNER")/libassay-runner.so" || wrong "the library for Python has no sanitizer"
    # Leaks of an interpreter are nobody's business. A candidate that reads where it may not ends by its signal.
    cat >python-asan <<END
#!/bin/sh
export LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)"
export ASAN_OPTIONS=detect_leaks=0:alloc_dealloc_mismatch=0:handle_segv=0:symbolize=0
export UBSAN_OPTIONS=print_stacktrace=0
exec "$python" "\$@"
END
    chmod 755 python-asan
    export ASSAY_PYTHON=$PWD/python-asan
fi

# --- candidates: FILE VERDICT REASON ---
write() { # NAME HEAD [BODY]: a module whose forward is BODY, with HEAD above it
    printf 'import ctypes, os, struct, torch\n%b\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n        %s\n' \
        "$2" "${3:-return torch.relu(x)}" >"$1.py"
}
frame() { # NAME BYTES: writes a frame of its own while it is imported
    write "frame_$1" "os.write(3, $2)"
}
write good ''
write turned '' 'return torch.relu(x.t()).t()'
write printing 'print("x" * 100000)'
write zeros '' 'return torch.zeros_like(x)'
write shape '' 'return torch.relu(x)[:1]'
write raises '' 'raise ValueError("no way")'
write inplace '' 'return x.relu_()'
write gone 'os._exit(3)'
write aborts 'os.abort()'
write divides '1 / 0'
write missing 'import nosuchmodule'
write closes 'os.close(3)'
frame short 'b"A"'
frame magic 'bytes(64)'
frame type 'struct.pack("<4sHHI", b"ASAY", 5, 99, 0)'
frame length 'struct.pack("<4sHHI", b"ASAY", 5, 9, 1 << 31)'
frame note 'struct.pack("<4sHHIH", b"ASAY", 5, 9, 40002, 40000) + b"x" * 40000'
frame cut 'struct.pack("<4sHHIH", b"ASAY", 5, 9, 3, 40000) + b"x"'
frame zero 'struct.pack("<4sHHIH", b"ASAY", 5, 9, 3, 1) + bytes(1)'
frame huge 'b"ASAY" + bytes(70000)'
frame fail 'struct.pack("<4sHHIIiH", b"ASAY", 5, 10, 11, 3, 0, 1) + b"x"'
cat >wanted.txt <<'END'
good pass None
turned pass None
printing pass None
zeros wrong max
shape wrong shape
raises crash PYTHON
inplace crash SIGSEGV
gone crash exited
aborts crash SIGABRT
divides build_error import
missing build_error module
closes crash exited
frame_short rejected protocol
frame_magic rejected protocol
frame_type rejected protocol
frame_length rejected protocol
frame_note rejected protocol
frame_cut rejected protocol
frame_zero rejected protocol
frame_huge rejected protocol
frame_fail build_error load
END
for i in $(seq 20); do
    cp good.py "again$i.py"
    echo "again$i pass None" >>wanted.txt
done
if [ $instrumented = 1 ]; then # a control: ASan is there, behind all walls
    write overflows 'libc = ctypes.CDLL(None)\nlibc.malloc.restype = ctypes.c_void_p\nctypes.memset(libc.malloc(10), 0, 11)'
    echo "overflows crash exited" >>wanted.txt
fi
options="--device cpu --sizes small --check-only --runners 1 --json"
# shellcheck disable=SC2086
judge() { "$ASSAY" eval level1/19 "$@" $options; }
# shellcheck disable=SC2046
judge $(sed 's/ .*/.py/' wanted.txt) >records.jsonl 2>err.txt
python3 - <<'END' || { head -c 4000 err.txt; wrong "the records"; }
import json, re, sys
records = {r["candidate"]["file"][:-3]: r for r in map(json.loads, open("records.jsonl"))}
bad = 0
for line in open("wanted.txt"):
    name, verdict, reason = line.split()
    r = records.get(name)
    if not r or (r["verdict"], str(r["reason"])) != (verdict, reason):
        bad = print(name, r and (r["verdict"], r["reason"], r["detail"], r["candidate"]["printed"][-2000:])) or 1
        continue
    printed = r["build"]["log"] + r["candidate"]["printed"]
    if bool(re.search("AddressSanitizer|runtime error", printed)) != (name == "overflows"):
        bad = print(name, printed[-3000:]) or 1
sys.exit(bad)
END
grep -E 'AddressSanitizer|LeakSanitizer|runtime error' err.txt && wrong "the judge"

# --- a zygote that is killed: the command ends, and the next one works ---
# shellcheck disable=SC2086
"$ASSAY" eval level1/19 good.py again?.py $options >killed.jsonl 2>err.txt &
command=$!
until [ -s killed.jsonl ] || ! kill -0 $command 2>/dev/null; do sleep 0.1; done
python3 "$ROOT/tests/python/watch.py" kill zygote $command >/dev/null || wrong "no zygote to kill"
wait $command
grep -E 'AddressSanitizer|LeakSanitizer|runtime error' err.txt killed.jsonl && wrong "a judge without its zygote"
judge good.py >after.jsonl 2>err.txt || { cat err.txt after.jsonl; wrong "the evaluation after it"; }
exit $bad
