# covers: src/cmd/cmd_completions.c
"$ASSAY" completions tcsh
