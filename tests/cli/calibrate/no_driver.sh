mkdir hidden && : >hidden/libcuda.so.1 # no library, and found first: a machine without a driver
export LD_LIBRARY_PATH=$PWD/hidden
"$ASSAY" calibrate --device cuda
