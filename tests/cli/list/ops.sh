# docs/ops.md is made by this command.
"$ASSAY" list --ops | diff "$ROOT/docs/ops.md" - && echo same
