# The report in a real browser: opens, sorts, filters, shows a cell; no console errors, nothing fetched,
# and hostile names and sources stay text.
# san: no, a browser does the work
# covers: src/report/page_data.c src/report/report_page.c src/report/page_assets.c
# slow: src/report src/results src/store src/cmd/cmd_report.c tests/browser
# long: 14 s
set -u
python=/usr/bin/python3 # Debian's, which has Debian's selenium
{ command -v chromium && command -v chromedriver && $python -c 'import selenium'; } >/dev/null 2>&1 ||
    { echo "no chromium, chromedriver or python3-selenium here: tools/install-deps browser"; exit 77; }

ex=$ROOT/exemplars/cpu attacks=$ROOT/attacks/cpu
put() { mkdir -p "c/$1/$2" && cp "$4" "c/$1/$2/sample$3.c"; }
put naive level1_19 0 "$ex/level1/019_relu/naive.c"
put naive level1_1 0 "$ex/level1/001_square_matrix_multiplication/naive.c"
put naive level1_23 0 "$ex/level1/023_softmax/naive.c"
put tuned level1_19 0 "$ex/level1/019_relu/fast.c"
put tuned level1_19 1 "$attacks/012_zeros.c"
put tuned level1_1 0 "$ex/level1/001_square_matrix_multiplication/fast.c"
put faulty level1_19 0 "$attacks/211_null_pointer.c"
put faulty level1_1 0 "$attacks/212_does_not_compile.c"
evil="<img src=x onerror=pwned()>$(printf 'x%.0s' {1..200})" # nor may it widen the page
mkdir -p "c/$evil/level1_19"
{ echo '/* </script><script>pwned()</script><!-- */'; cat "$ex/level1/019_relu/naive.c"; } >"c/$evil/level1_19/sample0.c"

"$ASSAY" run c --name browser --sizes small >run.txt 2>&1 || [ $? = 1 ] || { cat run.txt; exit 1; }
id=$("$ASSAY" report browser --json | $python -c 'import json, sys
print(next(m for m in json.load(sys.stdin)["models"] if m["label"] == "tuned")["results"]["level1/019_relu"]["run_id"])')
mkdir notes
printf 'record: %s\nverdict: interesting\nsummary: "<b>streams</b> its stores"\nquotes:\n- file: sample0.c\n  lines: 5\n  text: "%s"\n' \
    "$id" '#include \"assay.h\"' >notes/a.yaml
cat >published.json <<'JSON'
{"schema_version": 1, "hardware": {"name": "GPU X"}, "problems": ["019_relu"], "models": [{"label": "published <b>model</b>",
 "results": {"019_relu": {"run_id": "p1", "correct": true, "has_solution": true, "peak_fraction": 0.25}}, "pass_count": 1, "total_runs": 1}]}
JSON
"$ASSAY" report browser -o browser.html --annotations notes --beside published.json \
    --baseline naive || exit 1
$python "$ROOT/tests/browser/report.py" "$PWD/browser.html"
