# tests/gpu/hard, which records the hard seven on a GPU: tried out on the CPU, where it has to keep what it found, go on
# from there, and tell a verdict that was not expected.
# long: 6 s
set -u
hard() { "$ROOT/tests/gpu/hard" "$ROOT" "$(dirname "$ASSAY")" out.json --device cpu --sizes small "$@"; }
hard --only admit --problems 1,5,7 --limit 0 | grep -q '^0 passed, 0 failed, 3 skipped$' || exit 1
hard --only admit --problems 1,5,7 >first.txt || { cat first.txt; exit 1; }
[ "$(grep -c '^ok *admit ' first.txt)" = 3 ] || { cat first.txt; exit 1; }
hard --only admit,leaks --problems 4,5,7 >second.txt || { cat second.txt; exit 1; }
# 5 and 7 were admitted already; 4 is new, and 4 and 7 have leaks.
[ "$(grep -c ' admit ' second.txt)" = 1 ] || { cat second.txt; exit 1; }
grep -q '^5 passed, 0 failed, 0 skipped$' second.txt || { cat second.txt; exit 1; }
python3 - <<'END' || exit 1
import json
r = json.load(open("out.json"))
assert [row["problem"][:7] for row in r["admission"]] == ["hard/01", "hard/04", "hard/05", "hard/07"], r["admission"]
assert [row["verdict"] for row in r["leaks"]] == ["wrong", "wrong"], r["leaks"]
assert all(size["cases"]["zeros"]["outcome"] == "caught" for row in r["admission"] for size in row["sizes"])
END
cp -r "$ROOT/attacks" . && mkdir share && ln -s "$ROOT"/problems "$ROOT"/include "$ROOT"/exemplars "$ROOT"/workers share/
mv attacks share/ && cp "$ROOT/exemplars/cpu/hard/04_kahan_softmax/naive.c" share/attacks/cpu/109_plain_sum.c
"$ROOT/tests/gpu/hard" share "$(dirname "$ASSAY")" other.json --device cpu --sizes small --only leaks --problems 4 >third.txt
[ $? = 1 ] || { cat third.txt; exit 1; }
grep -q '^FAILED *leaks .* pass ' third.txt || { cat third.txt; exit 1; }
