# A device that there is not was kept as the run's, and the name was lost to the right one.
mkdir -p gen/a/level1_19
printf 'op relu\n' >gen/a/level1_19/sample0.fake
names=$("$ASSAY" run --help | sed -n 's/^DEVICE is one of \(.*\), or NAME:1.*/\1/p')
"$ASSAY" run gen --name r --device fke >out 2>&1
status=$?
sed "s/there are $names (/there are DEVICES (/" out
echo "exit $status"
"$ASSAY" run gen --name r --device fake 2>/dev/null
