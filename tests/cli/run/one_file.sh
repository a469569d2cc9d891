# A candidate was read as a plan: "line 2: mapping values are not allowed in this context".
printf 'int a;\n/* b: c: */\n' >mine.c
"$ASSAY" run mine.c --name r
