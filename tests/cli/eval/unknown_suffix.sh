echo hello >kernel.txt
"$ASSAY" eval level1/19 kernel.txt
