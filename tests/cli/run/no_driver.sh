# Asked for a GPU it made a run without a cell and printed its empty table.
mkdir hidden && : >hidden/libcuda.so.1 # no library, and found first: a machine without a driver
export LD_LIBRARY_PATH=$PWD/hidden
mkdir -p gen/m/level1_19
cp "$ROOT/exemplars/cuda/level1/019_relu/launch.cu" gen/m/level1_19/sample0.cu
"$ASSAY" run gen --name r --device cuda
echo "exit $?"
"$ASSAY" analyze r
echo "exit $?"
# By suffix, on whatever is here: what is left waits for a start where there is a GPU.
cp "$ROOT/exemplars/cpu/level1/019_relu/naive.c" gen/m/level1_19/sample1.c
"$ASSAY" run gen --name both --check-only 2>err
echo "exit $?"
grep cuda: err
