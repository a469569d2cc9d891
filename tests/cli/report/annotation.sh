# A note is found by its record and marks the cell; one that quotes what is not there stops the report.
mkdir -p c/m/level1_19 notes
printf 'op relu\n# keeps it\ntime 10us\n' >c/m/level1_19/sample0.fake
"$ASSAY" run c --name noted >run.txt 2>&1 || { cat run.txt; exit 9; }
id=$("$ASSAY" report noted --json | sed -n 's/.*"run_id": "\(.*\)",/\1/p')
note() {
    printf 'record: %s\nverdict: interesting\nsummary: says so itself\nquotes:\n- file: sample0.fake\n' "$id"
    printf '  lines: 2\n  text: "%s"\n' "$1"
}
note '# keeps it' >notes/m.yaml
"$ASSAY" report noted --markdown --annotations notes
note '# drops it' >notes/m.yaml
"$ASSAY" report noted --markdown --annotations notes || echo "exit $?"
printf 'record: x\nverdit: clean\n' >notes/m.yaml
"$ASSAY" report noted --markdown --annotations notes || echo "exit $?"
"$ASSAY" report noted --markdown --annotations nowhere || echo "exit $?"
"$ASSAY" report noted --markdown --beside notes/m.yaml || echo "exit $?"
