# docs/reasons.md is made by this command.
"$ASSAY" list --reasons | diff "$ROOT/docs/reasons.md" - && echo same
