# Spoke of the layout of folders, where the plan's own words left nothing over.
mkdir -p gen/a/level1_19
echo 'op relu' >gen/a/level1_19/sample0.fake
printf 'name: r\nfolders: gen\nmodels: [b]\n' >plan.yaml
"$ASSAY" run plan.yaml
