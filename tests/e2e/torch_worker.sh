# PyTorch in the place of assay-runner: judged like a candidate, marked as none, gone when the judge is.
# san: no, PyTorch does the work
# covers: src/process/worker.c
# slow: workers src/process src/wire src/measure src/judge src/problem tests/gpu/torch_proof tests/e2e/waiting.bash
# long: 30 s
set -u
. "$ROOT/tests/e2e/waiting.bash"
if ! "$ASSAY" eval level1/19 torch:eager --device cpu --sizes small --json >record.json 2>err.txt; then
    if grep -q 'no torch' err.txt; then
        tail -n 1 err.txt
        exit 77
    fi
    cat record.json err.txt
    exit 1
fi
python3 - record.json <<'END' || exit 1
import json, sys
r = json.load(open(sys.argv[1]))
assert r["kind"] == "baseline", r["kind"]
assert r["verdict"] == "pass", r["detail"]
assert r["candidate"]["file"] == "torch:eager"
assert r["build"]["toolchain"].startswith("torch "), r["build"]
assert r["build"]["toolchain"].endswith(" eager, tf32 off"), r["build"]
assert r["sandbox"]["trusted"] is True and r["sandbox"]["layers"] == [], r["sandbox"]
assert r["audit"]["clock"] == "worker"
assert r["sizes"][0]["cold_us"] > 0 and len(r["sizes"][0]["samples"]) >= 18
assert r["candidate"]["printed"] == "", r["candidate"]["printed"]
END

# Parameters in calling order, several outputs, modules that list parameters in another order.
"$ROOT/tests/gpu/torch_proof" "$ASSAY" rows.jsonl --device cpu --sizes small \
    level1/019 level1/041 level2/014 level3/004 level3/035 level3/044 || exit 1
# Called again it has nothing to do.
"$ROOT/tests/gpu/torch_proof" "$ASSAY" rows.jsonl --device cpu --sizes small level1/019 | grep -q '^level' &&
    { echo "a row was made twice"; exit 1; }

# A candidate and a baseline in one table, on the same contents.
"$ASSAY" eval level1/19 "$ROOT/exemplars/cpu/level1/019_relu/fast.c" torch:eager --sizes small --check-only >table.txt ||
    { cat table.txt; exit 1; }
[ "$(grep -c ' pass' table.txt)" = 2 ] || { cat table.txt; exit 1; }

# A vendor's library: judged like everybody, and timed at every size although it is found wrong.
"$ASSAY" eval hard/02 torch:vendor --device cpu --sizes small --check-only --no-store >vendor.txt || { cat vendor.txt; exit 1; }
"$ASSAY" eval hard/04 torch:vendor --device cpu --sizes small --json --no-store >softmax.json
python3 - softmax.json <<'END' || exit 1
import json, sys
r = json.load(open(sys.argv[1]))
assert (r["verdict"], r["reason"], r["kind"]) == ("wrong", "max", "baseline"), (r["verdict"], r["detail"])
assert [s["cold_us"] > 0 and len(s["samples"]) >= 18 for s in r["sizes"]] == [True, True], r["sizes"]
assert r["peak_fraction"] is None, r["peak_fraction"]
END
"$ASSAY" eval level1/19 torch:vendor --device cpu --no-store 2>&1 | grep -q "no vendor's library is known" || exit 1

# What the worker writes is what is judged: results of a lower precision are wrong.
mkdir share && ln -s "$ROOT/problems" "$ROOT/include" share/ && cp -r "$ROOT/workers" share/
sed -i 's/want.copy_(have)/want.copy_(have.to(torch.bfloat16))/' share/workers/assay_worker/model.py
ASSAY_SHARE=$PWD/share "$ASSAY" eval level1/19 torch:eager --device cpu --sizes small --json >wrong.json
grep -q '"verdict":"wrong","reason":"max"' wrong.json || { cat wrong.json; exit 1; }
# An exception is a crash that is told, and the next one is judged.
sed -i 's/want.copy_(have)/raise ValueError("as asked")/; s/want.copy_(have.*/raise ValueError("as asked")/' \
    share/workers/assay_worker/model.py
ASSAY_SHARE=$PWD/share "$ASSAY" eval level1/19 torch:eager --device cpu --sizes small --json >crash.json
grep -q '"verdict":"crash","reason":"setup","detail":"ValueError: as asked"' crash.json || { cat crash.json; exit 1; }

# The file of rows grows over several calls that each run out of time.
"$ROOT/tests/gpu/torch_proof" "$ASSAY" cut.jsonl --device cpu --sizes small --limit 0 level1/019 >cut.txt
grep -q '^0 passed, 0 failed, 1 skipped' cut.txt || { cat cut.txt; exit 1; }
"$ROOT/tests/gpu/torch_proof" "$ASSAY" cut.jsonl --device cpu --sizes small level1/019 >cut.txt
grep -q '^1 passed, 0 failed, 0 skipped' cut.txt || { cat cut.txt; exit 1; }

# kill -9 of the judge, of the worker, of a runner.
alive() { ps -eo pid,ppid,args | grep "[w]orkers/torch_worker.py" | grep -F "$ROOT"; }
none_alive() { [ -z "$(alive)" ]; }
two_alive() { [ "$(pgrep -P "$judge" -f torch_worker.py | wc -l)" -ge 2 ]; }
for victim in judge worker runner; do
    "$ASSAY" eval level1/1 torch:eager --device cpu --sizes small --no-store --budget 20000 --max-calls 100000 >/dev/null 2>&1 &
    judge=$!
    await two_alive || { echo "no runner was ever started"; exit 1; }
    case $victim in
    judge) kill -9 $judge ;;
    worker) kill -9 "$(pgrep -P $judge -f torch_worker.py -o)" && kill $judge ;;
    runner) kill -9 "$(pgrep -P $judge -f torch_worker.py -n)" ;;
    esac
    wait $judge 2>/dev/null
    status=$?
    # A verdict, or that it died while starting.
    [ $victim != runner ] || [ $status = 1 ] || [ $status = 4 ] || { echo "a killed runner: exit $status"; exit 1; }
    await none_alive || { alive; echo "processes are left over"; exit 1; }
done
exit 0
