# docs/reasons.md is the expected output: `tests/run-tests BUILD --update` writes the page.
"$ASSAY" list --reasons
