# The message names every device; tests/e2e/devices.sh compares the list with the folders.
names=$("$ASSAY" eval --help | sed -n 's/^DEVICE is one of \(.*\), or NAME:1.*/\1/p')
echo 'op relu' >k.fake
"$ASSAY" eval level1/19 k.fake --device cuba 2>err
status=$?
sed "s/there are $names (/there are DEVICES (/" err >&2
exit $status
