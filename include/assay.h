/* SPDX-License-Identifier: MIT */
/*
 * The candidate's contract: the only header a kernel for Assay needs besides its problem's own
 * (problem.h, printed by `assay show PROBLEM --as c`).
 *
 *     int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream);
 *
 * in[]:  the inputs, then the parameters, in the order of the problem; read-only memory.
 * out[]: the outputs, allocated by the caller and filled with garbage; write every element.
 * All data is contiguous and 256-byte aligned. stream is the device's stream (NULL on the CPU).
 * Return 0; anything else is reported as `crash: returned N`.
 *
 *     int assay_setup(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream);
 *
 * Optional: called once per size before the first call, untimed, for scratch memory and tables.
 * Shapes and types are filled in; data pointers are NULL there, except for the parameters where the
 * problem says setup = "params".
 *
 * The structures have DLPack's layout (version 1.x), so a DLPack header may be included first.
 */
#ifndef ASSAY_H
#define ASSAY_H

#include <stdint.h>

#ifndef DLPACK_DLPACK_H_

typedef struct {
    int32_t device_type; /* 1 CPU, 2 CUDA, 4 OpenCL, 10 ROCm */
    int32_t device_id;
} DLDevice;

typedef struct {
    uint8_t code; /* ASSAY_INT, ... */
    uint8_t bits;
    uint16_t lanes; /* always 1 */
} DLDataType;

typedef struct {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape;
    int64_t *strides;     /* in elements, contiguous */
    uint64_t byte_offset; /* always 0 */
} DLTensor;

#endif

/* DLPack's type codes. */
#define ASSAY_INT 0
#define ASSAY_UINT 1
#define ASSAY_FLOAT 2
#define ASSAY_BFLOAT 4
#define ASSAY_BOOL 6
#define ASSAY_FLOAT8_E4M3 10 /* e4m3fn: no infinity, largest 448 */
#define ASSAY_FLOAT8_E5M2 12

#ifdef __cplusplus
extern "C" {
#endif

__attribute__((visibility("default"))) int assay_kernel(const DLTensor *in, int n_in, DLTensor *out,
                                                        int n_out, void *stream);
__attribute__((visibility("default"))) int assay_setup(const DLTensor *in, int n_in, DLTensor *out,
                                                       int n_out, void *stream);

#ifdef __cplusplus
}
#endif

#endif
