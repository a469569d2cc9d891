# Everything works without root, with every layer that needs no privilege.
set -u
[ "$(id -u)" = 0 ] || { echo "not root: the other tests show it already"; exit 77; }
command -v setpriv >/dev/null || { echo "no setpriv"; exit 77; }
setpriv --reuid 65534 --regid 65534 --clear-groups test -r "$ROOT/Makefile" -a -x "$ASSAY" ||
    { echo "the checkout is not readable by others"; exit 77; }
setpriv --reuid 65534 --regid 65534 --clear-groups unshare -U true 2>/dev/null ||
    { echo "ordinary users get no user namespaces here"; exit 77; }
mkdir -m 777 home cache
export ASSAY_HOME=$PWD/home ASSAY_CACHE=$PWD/cache
setpriv --reuid 65534 --regid 65534 --clear-groups "$ASSAY" eval --json --sizes small level1/19 \
    "$ROOT/exemplars/cpu/level1/019_relu/naive.c" "$ROOT/attacks/cpu/123_fork.c" >r.json 2>err
cat err
python3 - <<'P'
import json
good, bad = [json.loads(line) for line in open("r.json")]
assert good["verdict"] == "pass", good["detail"]
assert bad["verdict"] == "rejected" and bad["reason"] == "sandbox", bad["detail"]
assert not good["sandbox"]["missing"], good["sandbox"]
assert {"landlock", "seccomp", "no_new_privs", "rlimits"} <= set(good["sandbox"]["layers"]), good["sandbox"]
P
# shellcheck disable=SC2181
[ $? = 0 ] || exit 1
# A candidate in Python, with results that the judge reads in its process.
setpriv --reuid 65534 --regid 65534 --clear-groups "$ASSAY" eval --json --sizes small --check-only level1/19 \
    "$ROOT/attacks/python/137_transposed_result.py" "$ROOT/attacks/python/007_writes_input.py" >r.json 2>err
if grep -q 'no torch' err; then
    echo "no torch: candidates in Python were not tried"
    exit 0
fi
cat err
python3 - <<'P'
import json
good, bad = [json.loads(line) for line in open("r.json")]
assert good["verdict"] == "pass", good["detail"]
assert bad["verdict"] == "crash" and bad["reason"] == "SIGSEGV", bad["detail"]
assert not good["sandbox"]["missing"], good["sandbox"]
assert {"user_ns", "landlock", "seccomp", "no_new_privs", "rlimits", "scratch"} <= set(good["sandbox"]["layers"]), good["sandbox"]
assert good["candidate"]["results"] == "read", good["candidate"]
P
# shellcheck disable=SC2181
[ $? = 0 ] || exit 1
# A file of that user, outside of the candidate's folder, keeps its mode and times: in a runner and in a rehearsal, too.
touch owned && chmod 600 owned && chown 65534 owned && before=$(stat -c '%a %Y' owned)
sed "s|/tmp/assay-attack-owned|$PWD/owned|" "$ROOT/attacks/python/045_changes_modes.py" >modes.py
{ cat modes.py; echo "import subprocess"; } >rehearsed.py
chmod 644 modes.py rehearsed.py
setpriv --reuid 65534 --regid 65534 --clear-groups "$ASSAY" eval --json --sizes small --check-only --device cpu level1/19 \
    modes.py rehearsed.py >r.json 2>err
cat err
python3 - <<'P'
import json
for record in map(json.loads, open("r.json")):
    assert record["verdict"] == "pass", record["detail"]
P
# shellcheck disable=SC2181
[ $? = 0 ] || exit 1
[ "$before" = "$(stat -c '%a %Y' owned)" ] || { echo "a candidate changed a file: $before, now $(stat -c '%a %Y' owned)"; exit 1; }
