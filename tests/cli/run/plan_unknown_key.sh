printf 'name: x\n\nrepeat: 3\n' >plan.yaml
"$ASSAY" run plan.yaml
