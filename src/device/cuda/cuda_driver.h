/* SPDX-License-Identifier: MIT */
/* libcuda by dlopen, with prototypes of our own: nothing is linked and no toolkit header is needed,
 * so that one binary runs on machines with and without a GPU. Names and values are those of the
 * CUDA driver API (12.0 and later; symbols in their _v2 form if that is the current one). */
#ifndef ASSAY_DEVICE_CUDA_DRIVER_H
#define ASSAY_DEVICE_CUDA_DRIVER_H

#include "base/err.h"

typedef int CUresult; /* 0 is CUDA_SUCCESS */
typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef uint64_t CUmemGenericAllocationHandle;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUmemPoolHandle_st *CUmemoryPool;

/* CUipcMemHandle */
struct cu_ipc_handle {
    unsigned char bytes[64];
};

struct cu_uuid {
    unsigned char bytes[16];
};

/* CUmemLocation, CUmemAllocationProp, CUmemAccessDesc */
struct cu_mem_location {
    int type; /* 1: device */
    int id;
};
struct cu_mem_prop {
    int type;         /* 1: pinned */
    int handle_types; /* 1: POSIX file descriptor */
    struct cu_mem_location location;
    void *win32;
    struct {
        unsigned char compression, gpudirect_rdma;
        unsigned short usage;
        unsigned char reserved[4];
    } flags;
};
struct cu_mem_access {
    struct cu_mem_location location;
    int flags; /* 1: read, 3: read and write */
};

#define CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT 16
#define CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE 38
#define CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR 39
#define CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR 75
#define CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR 76
#define CU_MEM_HANDLE_POSIX_FD 1
#define CU_MEMPOOL_ATTR_RELEASE_THRESHOLD 4
#define CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT 5
#define CU_LIMIT_PERSISTING_L2_CACHE_SIZE 6
#define CU_CTX_SCHED_SPIN 1
#define CU_POINTER_ATTRIBUTE_BUFFER_ID 7
#define CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS 1

/* Name and arguments of every call. To use another call: a line here. */
#define CUDA_DRIVER_FUNCTIONS(F)                                                                   \
    F(cuInit, (unsigned flags))                                                                    \
    F(cuDriverGetVersion, (int *version))                                                          \
    F(cuGetErrorName, (CUresult error, const char **name))                                         \
    F(cuGetErrorString, (CUresult error, const char **text))                                       \
    F(cuDeviceGetCount, (int *count))                                                              \
    F(cuDeviceGet, (CUdevice * device, int ordinal))                                               \
    F(cuDeviceGetName, (char *name, int len, CUdevice device))                                     \
    F(cuDeviceGetUuid_v2, (struct cu_uuid * uuid, CUdevice device))                                \
    F(cuDeviceGetAttribute, (int *value, int attribute, CUdevice device))                          \
    F(cuDeviceTotalMem_v2, (size_t * bytes, CUdevice device))                                      \
    F(cuDevicePrimaryCtxRetain, (CUcontext * ctx, CUdevice device))                                \
    F(cuDevicePrimaryCtxRelease_v2, (CUdevice device))                                             \
    F(cuDevicePrimaryCtxGetState, (CUdevice device, unsigned *flags, int *active))                 \
    F(cuDevicePrimaryCtxSetFlags_v2, (CUdevice device, unsigned flags))                            \
    F(cuCtxSetCurrent, (CUcontext ctx))                                                            \
    F(cuCtxSynchronize, (void))                                                                    \
    F(cuCtxSetLimit, (int limit, size_t value))                                                    \
    F(cuCtxResetPersistingL2Cache, (void))                                                         \
    F(cuMemGetInfo_v2, (size_t * free_bytes, size_t * total_bytes))                                \
    F(cuMemAlloc_v2, (CUdeviceptr * at, size_t bytes))                                             \
    F(cuMemFree_v2, (CUdeviceptr at))                                                              \
    F(cuMemGetAddressRange_v2, (CUdeviceptr * base, size_t * bytes, CUdeviceptr at))               \
    F(cuPointerGetAttribute, (void *value, int attribute, CUdeviceptr at))                         \
    F(cuIpcOpenMemHandle_v2, (CUdeviceptr * at, struct cu_ipc_handle handle, unsigned flags))      \
    F(cuIpcCloseMemHandle, (CUdeviceptr at))                                                       \
    F(cuMemHostRegister_v2, (void *at, size_t bytes, unsigned flags))                              \
    F(cuMemHostGetDevicePointer_v2, (CUdeviceptr * device_at, void *at, unsigned flags))           \
    F(cuMemAllocAsync, (CUdeviceptr * at, size_t bytes, CUstream stream))                          \
    F(cuMemFreeAsync, (CUdeviceptr at, CUstream stream))                                           \
    F(cuDeviceGetDefaultMemPool, (CUmemoryPool * pool, CUdevice device))                           \
    F(cuMemPoolSetAttribute, (CUmemoryPool pool, int attribute, void *value))                      \
    F(cuMemPoolGetAttribute, (CUmemoryPool pool, int attribute, void *value))                      \
    F(cuMemPoolTrimTo, (CUmemoryPool pool, size_t keep_bytes))                                     \
    F(cuMemcpyHtoD_v2, (CUdeviceptr to, const void *from, size_t bytes))                           \
    F(cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t bytes))                                 \
    F(cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))     \
    F(cuMemsetD32Async, (CUdeviceptr at, unsigned value, size_t count, CUstream stream))           \
    F(cuMemGetAllocationGranularity, (size_t * bytes, const struct cu_mem_prop *prop, int option)) \
    F(cuMemCreate, (CUmemGenericAllocationHandle * handle, size_t bytes,                           \
                    const struct cu_mem_prop *prop, unsigned long long flags))                     \
    F(cuMemRelease, (CUmemGenericAllocationHandle handle))                                         \
    F(cuMemAddressReserve, (CUdeviceptr * at, size_t bytes, size_t alignment, CUdeviceptr hint,    \
                            unsigned long long flags))                                             \
    F(cuMemAddressFree, (CUdeviceptr at, size_t bytes))                                            \
    F(cuMemMap, (CUdeviceptr at, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle, \
                 unsigned long long flags))                                                        \
    F(cuMemUnmap, (CUdeviceptr at, size_t bytes))                                                  \
    F(cuMemSetAccess,                                                                              \
      (CUdeviceptr at, size_t bytes, const struct cu_mem_access *access, size_t count))            \
    F(cuMemExportToShareableHandle,                                                                \
      (void *fd, CUmemGenericAllocationHandle handle, int type, unsigned long long flags))         \
    F(cuMemImportFromShareableHandle, (CUmemGenericAllocationHandle * handle, void *fd, int type)) \
    F(cuModuleLoadDataEx,                                                                          \
      (CUmodule * module, const void *image, unsigned n_options, int *options, void **values))     \
    F(cuModuleUnload, (CUmodule module))                                                           \
    F(cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name))             \
    F(cuFuncSetAttribute, (CUfunction function, int attribute, int value))                         \
    F(cuLaunchKernel,                                                                              \
      (CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,       \
       unsigned bz, unsigned shared_bytes, CUstream stream, void **params, void **extra))          \
    F(cuStreamCreate, (CUstream * stream, unsigned flags))                                         \
    F(cuStreamDestroy_v2, (CUstream stream))                                                       \
    F(cuStreamSynchronize, (CUstream stream))                                                      \
    F(cuStreamWaitValue32_v2, (CUstream stream, CUdeviceptr at, uint32_t value, unsigned flags))   \
    F(cuEventCreate, (CUevent * event, unsigned flags))                                            \
    F(cuEventRecord, (CUevent event, CUstream stream))                                             \
    F(cuEventSynchronize, (CUevent event))                                                         \
    F(cuEventDestroy_v2, (CUevent event))                                                          \
    F(cuEventElapsedTime, (float *ms, CUevent start, CUevent end))

struct cuda_driver {
#define CUDA_DRIVER_FIELD(name, args) CUresult(*name) args;
    CUDA_DRIVER_FUNCTIONS(CUDA_DRIVER_FIELD)
#undef CUDA_DRIVER_FIELD
};

/* Loads libcuda.so.1 once per process; NULL with *ret_why (static text) if there is none. Does not
 * call cuInit: never fork after that. */
const struct cuda_driver *cuda_driver(const char **ret_why);
/* Reports ERR_DEVICE "WHAT: CUDA_ERROR_X (text)" and returns -1, for `return cuda_fail(...)`. */
int cuda_fail(const struct cuda_driver *cu, CUresult rc, struct err *err, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

#endif
