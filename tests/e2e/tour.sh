# What `make run` judges: on a machine without a GPU the CPU's candidates, and it says what it lacked; on one
# with a GPU that GPU's as well. A stand-in for assay tells what it is asked for; every file has to exist.
set -u
cd "$ROOT" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/assay" <<'END'
#!/bin/bash
if [ "$1" = doctor ]; then
    echo "ok  cpu      some CPU"
    case $GPU in none*) echo "-   cuda     $GPU" ;; *) echo "ok  cuda     $GPU" ;; esac
    exit "${DOCTOR:-0}"
fi
for word in "$@"; do
    case $word in *.c | *.cu) [ -e "$word" ] || { echo "no $word"; exit 4; } ;; esac
done
echo "judged: $*"
exit "${JUDGED:-1}"
END
chmod 755 "$work/assay"
bad=0
tour() { # WHAT CUDA-LINE WANT-STATUS PATTERN LINES
    GPU=$2 tools/tour "$work/assay" >"$work/out" 2>&1
    got=$?
    [ "$got" = "$3" ] || { echo "$1: exit $got"; bad=1; }
    [ "$(grep -c "$4" "$work/out")" = "$5" ] || { echo "$1: not $5 lines with '$4'"; cat "$work/out"; bad=1; }
}
none="none: no NVIDIA driver (libcuda.so.1)"
tour "no GPU" "$none" 0 "^Nothing was judged on a GPU: no NVIDIA driver" 1
tour "no GPU" "$none" 0 "^judged: " 1
tour "a GPU" "NVIDIA H200, 132 cores" 0 "^judged: .*--device cuda .*[.]cu" 1
tour "a GPU" "NVIDIA H200, 132 cores" 0 "^judged: " 2
DOCTOR=1 tour "a GPU that does not open" "cuda:0: out of memory" 0 "^judged: " 2
JUDGED=5 tour "a device that fails" "NVIDIA H200" 1 "^judged: " 2
exit $bad
