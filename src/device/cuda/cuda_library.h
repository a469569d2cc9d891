/* SPDX-License-Identifier: MIT */
/* Where the CUDA toolkit's libraries lie: NVRTC, cuBLASLt. Nothing is loaded. */
#ifndef ASSAY_DEVICE_CUDA_LIBRARY_H
#define ASSAY_DEVICE_CUDA_LIBRARY_H

/* The file of "libnvrtc", without links, the caller's: what the variable names, else in
 * $CUDA_HOME/lib64, the lib folder beside this program's own, /usr/local/cuda/lib64 and the
 * system's. NULL: none. */
char *cuda_library_find(const char *variable, const char *stem);

#endif
