/* SPDX-License-Identifier: MIT */
/* NVRTC by dlopen, with prototypes of our own. It has two users: the judge for its own device code
 * (nvrtc.h), and the tool assay-nvrtc for candidates, in the builder's sandbox. */
#ifndef ASSAY_DEVICE_NVRTC_API_H
#define ASSAY_DEVICE_NVRTC_API_H

#include "base/util.h"

#define NVRTC_TOOL "assay-nvrtc"
#define NVRTC_TOOL_TROUBLE 4 /* the tool's exit status for trouble of its own, not the source's */

typedef int nvrtcResult; /* 0 is NVRTC_SUCCESS */
typedef struct _nvrtcProgram *nvrtcProgram;

#define NVRTC_ERROR_INVALID_OPTION 5
#define NVRTC_ERROR_COMPILATION 6
#define NVRTC_ERROR_BUILTIN_OPERATION_FAILURE 7

#define NVRTC_FUNCTIONS(F)                                                                       \
    F(nvrtcVersion, (int *major, int *minor))                                                    \
    F(nvrtcCreateProgram, (nvrtcProgram * program, const char *text, const char *name,           \
                           int n_headers, const char *const *headers, const char *const *names)) \
    F(nvrtcDestroyProgram, (nvrtcProgram * program))                                             \
    F(nvrtcCompileProgram, (nvrtcProgram program, int n_options, const char *const *options))    \
    F(nvrtcGetProgramLogSize, (nvrtcProgram program, size_t * bytes))                            \
    F(nvrtcGetProgramLog, (nvrtcProgram program, char *text))                                    \
    F(nvrtcGetCUBINSize, (nvrtcProgram program, size_t * bytes))                                 \
    F(nvrtcGetCUBIN, (nvrtcProgram program, char *cubin))

struct nvrtc_api {
#define NVRTC_FIELD(name, args) nvrtcResult(*name) args;
    NVRTC_FUNCTIONS(NVRTC_FIELD)
#undef NVRTC_FIELD
    const char *(*nvrtcGetErrorString)(nvrtcResult result);
};

/* Path of the library, which the caller frees: $ASSAY_NVRTC, else from cuda_library_find(). NULL:
 * none. Nothing is loaded, so that it costs a cached build nothing. */
char *nvrtc_library(void);

/* Loads the library, once per process: the path of a later call does not count. NULL with *ret_why
 * (static text) if that fails; a NULL path fails. */
const struct nvrtc_api *nvrtc_api(const char *library, const char **ret_why);

#endif
