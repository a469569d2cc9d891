# Asked for a GPU it chose the loops of the CPU, skipped them as not of that device, and said nothing of a GPU.
mkdir hidden && : >hidden/libcuda.so.1 # no library, and found first: a machine without a driver
export LD_LIBRARY_PATH=$PWD/hidden
"$ASSAY" baseline level1/19 --device cuda
echo "exit $?"
"$ASSAY" baseline level1/19 --device cuda --kinds torch:eager
echo "exit $?"
