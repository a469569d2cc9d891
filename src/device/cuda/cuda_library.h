/* SPDX-License-Identifier: MIT */
/* Finds the CUDA toolkit's libraries: NVRTC, cuBLASLt. Nothing is loaded. */
#ifndef ASSAY_DEVICE_CUDA_LIBRARY_H
#define ASSAY_DEVICE_CUDA_LIBRARY_H

/* Path of a library ("libnvrtc"), without links; the caller frees it. It is the file that the
 * variable names, else one in $CUDA_HOME/lib64, the lib folder beside this program's own,
 * /usr/local/cuda/lib64 and the system's. NULL: none. */
char *cuda_library_find(const char *variable, const char *stem);

#endif
