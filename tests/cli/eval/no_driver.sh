# Without NVIDIA's driver: what is missing, and what to do.
# covers: src/device/cuda/cuda.c
mkdir hidden && : >hidden/libcuda.so.1 # no library, and found first: a machine without a driver
export LD_LIBRARY_PATH=$PWD/hidden
"$ASSAY" eval level1/19 "$ROOT/exemplars/cuda/level1/019_relu/launch.cu"
echo "exit $?"
"$ASSAY" eval --device cuda:1 level1/19 torch:eager
echo "exit $?"
