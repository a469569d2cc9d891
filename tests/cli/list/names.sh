# Names alone, for scripts and for completion.
"$ASSAY" list --names hard
"$ASSAY" list --names --grep relu
