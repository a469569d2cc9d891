# A run with a baseline among its candidates: the page was refused, because its source was looked for under the
# hash of its word.
printf 'name: r\ncheck_only: true\ncandidates:\n- { model: naive, problem: level1/19, file: "cpu:naive" }\n' >plan.yaml
"$ASSAY" run plan.yaml >run.txt 2>&1 || { cat run.txt; exit 9; }
"$ASSAY" report r --markdown -o r.html
