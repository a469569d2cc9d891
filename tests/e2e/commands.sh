# Every command answers --help, has a section in the manual and at least one CLI test.
# covers: src/cmd/table.c
set -u
bad=0
for name in $("$ASSAY" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
    "$ASSAY" "$name" --help | grep -q "^usage: assay $name" || { echo "$name: no --help"; bad=1; }
    grep -q "^## assay $name" "$ROOT/docs/assay.1.md" || { echo "$name: no section in docs/assay.1.md"; bad=1; }
    ls "$ROOT/tests/cli/$name"/*.sh >/dev/null 2>&1 || { echo "$name: no test under tests/cli"; bad=1; }
    # and the manual knows every option
    for option in $("$ASSAY" "$name" --help | sed -n 's/^  .*--\([a-z-]*\).*/\1/p' | grep -v '^help$'); do
        sed -n "/^## assay $name/,/^## /p" "$ROOT/docs/assay.1.md" | grep -q -- "--$option" ||
            { echo "$name: docs/assay.1.md does not know --$option"; bad=1; }
    done
done
exit $bad
