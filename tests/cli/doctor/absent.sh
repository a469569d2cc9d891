# What is not here, and only its own users need, was marked "ok". A library that is here is named with its file.
# long: 9 s
# covers: src/build/build_tools.c src/device/cuda/cuda.c src/device/cuda/cuda_libraries_for_judge.c
mkdir hidden && : >hidden/libcuda.so.1 && : >hidden/libnvidia-ml.so.1 # no libraries, and found first
export LD_LIBRARY_PATH=$PWD/hidden ASSAY_NVRTC=$PWD/none ASSAY_CUBLAS=$PWD/none ASSAY_DISASM=$PWD/none
export ASSAY_PYTHON=$PWD/none # importing PyTorch takes seconds
printf 'int cublasLtGetProperty(int which, int *ret) { *ret = 13 - 12 * which; return 0; }\n' |
    gcc -shared -fPIC -x c - -o libcublasLt.so
export ASSAY_CUBLASLT=$PWD/libcublasLt.so
"$ASSAY" doctor >out
grep -E '^.{4}(cuda|nvrtc|cublas|cublaslt|nvml) ' out | sed "s|$PWD|.|g"
grep -o '^-   disasm ' out
"$ASSAY" doctor --json | python3 -c '
import json, sys
for f in json.load(sys.stdin):
    if f["what"] in ("cuda", "cublas", "cublaslt"):
        print(f["what"], f["ok"], f["found"])'
ASSAY_CUBLASLT=$PWD/out "$ASSAY" doctor | grep cublaslt
