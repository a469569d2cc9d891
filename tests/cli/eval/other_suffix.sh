# It was judged infra and kept in the store, and the error named the file twice.
echo 'int x;' >mine.cu
"$ASSAY" eval level1/19 mine.cu --device cpu
