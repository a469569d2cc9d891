# Two files that are the same share a record: a note that quoted one of them by its name was refused for the other.
mkdir -p c/a/level1_19 c/b/level1_19 notes
printf 'op relu\n' >c/a/level1_19/sample0.fake
cp c/a/level1_19/sample0.fake c/b/level1_19/sample3.fake
"$ASSAY" run c --name r >run.txt 2>&1 || { cat run.txt; exit 9; }
id=$("$ASSAY" report r --json | sed -n 's/.*"run_id": "\(.*\)",/\1/p' | head -n 1)
for file in sample0.fake sample3.fake sample4.fake; do
    printf 'record: %s\nverdict: bug\nsummary: s\nquotes:\n- { file: %s, lines: 1, text: op relu }\n' "$id" $file >notes/a.yaml
    "$ASSAY" report r --markdown --annotations notes 2>&1 || echo "exit $?"
done
