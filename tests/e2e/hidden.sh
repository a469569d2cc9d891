# An Assay that is installed where compilers read (/usr/...) shows a candidate none of its files but assay.h: not in
# bubblewrap, not behind our own walls, and not in the rehearsal of a candidate in Python.
# covers: src/sandbox/hidden.c workers/assay_python/walls.py
# slow: src/sandbox src/cmd/assay.c src/process/zygote.c src/python workers tools/install-tree src/build/recipe.c
# long: 12 s
# san: no, compilers do the work
set -u
build=$(dirname "$ASSAY")
unset ASSAY_SHARE ASSAY_RUNNER
# In a mount namespace of its own the test may install under /usr.
private=(unshare -m)
[ "$(id -u)" = 0 ] || private=(unshare -Urm)
if [ "${1-}" != inside ]; then
    "${private[@]}" mount -t tmpfs none /usr/local 2>/dev/null || { echo "no mount namespace here"; exit 77; }
    exec "${private[@]}" bash "$0" inside
fi
bad=0
wrong() { echo "FAILED: $1"; bad=1; }
mkdir work && cp -r "$build"/assay* "$build/libassay-runner.so" work/ # the build may lie in /usr/local
mount -t tmpfs none /usr/local || exit 1
cp "$ROOT/attacks/cpu/101_includes_exemplar.c" includes.c
"$ROOT/tools/install-tree" install "$PWD/work" /usr/local || { wrong "install"; exit 1; }

# A candidate for each folder and program of ours. It is right if its compiler could read the file, which is then part
# of it; else it is not built, or fails.
mkdir thieves
for place in /usr/local/bin/assay /usr/local/libexec/assay/* /usr/local/share/assay/*; do
    [ "$place" != /usr/local/share/assay/include ] || continue
    file=$(find "$place" -type f -size +0 | sort | head -n 1)
    sed "s|FILE|$file|" >"thieves/$(basename "$place").c" <<'C'
__asm__(".section .rodata\n.global stolen, stolen_end\nstolen: .incbin \"FILE\"\nstolen_end: .byte 0\n.text");
extern const char stolen[], stolen_end[];
#include "assay.h"
#define assay_kernel honest
#include "naive.h"
#undef assay_kernel
int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    return stolen_end - stolen > 0 ? honest(in, n_in, out, n_out, stream) : 1;
}
C
    # A candidate is one file, so the honest part is pasted in.
    sed -i -e "/naive.h/r $ROOT/exemplars/cpu/level1/019_relu/naive.c" -e '/naive.h/d' "thieves/$(basename "$place").c"
done
[ "$(ls thieves | wc -l)" -ge 11 ] || wrong "only $(ls thieves) are installed"
# The same with a file that everybody may read: it passes, so the others do not fail for another reason.
sed 's|\.incbin \\"[^"]*\\"|.incbin \\"/usr/include/stdio.h\\"|' thieves/problems.c >thieves/control.c

judge() { /usr/local/bin/assay eval --json --check-only --no-cache level1/19 "$@"; }
check() { # WALLS
    judge includes.c thieves/*.c >records 2>err
    python3 - "$1" <<'P' || { cat err; bad=1; }
import json, sys
records = [json.loads(line) for line in open("records")]
passed = [r["candidate"]["file"] for r in records if r["verdict"] == "pass"]
assert len(records) >= 13 and passed == ["thieves/control.c"], (sys.argv[1], len(records), passed)
assert records[0]["verdict"] == "build_error", records[0]["detail"]
walls = {r["sandbox"]["builder"] for r in records if r["verdict"] == "pass"}
assert ("bubblewrap" in walls) == (sys.argv[1] == "bubblewrap"), walls
P
}
if bwrap --ro-bind / / true 2>/dev/null; then check bubblewrap; fi
# Without bubblewrap in PATH.
mkdir bin && ln -s /usr/bin/* bin/ && rm -f bin/bwrap
PATH=$PWD/bin check landlock

cat >reads.py <<'P'
import glob, subprocess
import torch
for path in ["/usr/local/bin/assay", *glob.glob("/usr/local/libexec/assay/*"),
             "/usr/local/share/assay/exemplars/cpu/level1/019_relu/naive.c", "/usr/local/share/assay/problems/level1/019_relu.lua"]:
    try:
        open(path).close()
    except OSError:
        continue
    raise SystemExit("it reads " + path)
class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)
P
judge reads.py >record 2>err
if ! grep -q 'no torch' err; then
    grep -q '"verdict":"pass"' record || { cat record err; wrong "a candidate in Python reads our files"; }
fi
exit $bad
