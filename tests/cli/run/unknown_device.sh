# A device that there is not was kept as the run's, and the name was lost to the right one.
mkdir -p gen/a/level1_19
printf 'op relu\n' >gen/a/level1_19/sample0.fake
"$ASSAY" run gen --name r --device fke 2>&1
echo "exit $?"
"$ASSAY" run gen --name r --device fake 2>/dev/null
