# It was judged infra and kept in the store, and the error named the file twice. The message has all suffixes of the device.
echo 'int x;' >mine.cu
"$ASSAY" eval level1/19 mine.cu --device cpu 2>err
status=$?
sed -E 's/takes \.c( and \.[a-z]+)* files/takes SUFFIXES files/' err >&2
exit $status
