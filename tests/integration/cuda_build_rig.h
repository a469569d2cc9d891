/* SPDX-License-Identifier: MIT */
/* Candidates with host code for a GPU, and a build of them. */
#ifndef TESTS_CUDA_BUILD_RIG_H
#define TESTS_CUDA_BUILD_RIG_H

#include "build_rig.h"

#include "build/build.h"

#include <stdlib.h>
#include <string.h>

static char *nvcc_before; /* $ASSAY_NVCC, or NULL */

static const char header[] =
    "typedef struct { int x; } DLTensor;\n"
    "extern \"C\" __attribute__((visibility(\"default\")))\n"
    "int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream);\n";

#define ENTRY \
    "int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)\n"

/* Host code that can be called without a GPU, C++'s library, and the driver behind a condition. */
static const char host_code[] =
    "#include \"assay.h\"\n#include \"problem.h\"\n#include <cuda.h>\n#include <vector>\n"
    "__global__ void twice(float *x) { x[threadIdx.x] *= 2; }\n" ENTRY "{\n"
    "    std::vector<int> v(n_in, ANSWER);\n"
    "    if (stream)\n"
    "        twice<<<1, 32, 0, (cudaStream_t)stream>>>((float *)out);\n"
    "    return v.back();\n"
    "}\n";

static const char with_library[] =
    "#include \"assay.h\"\n"
    "extern \"C\" int cuTensorMapEncodeTiled(int);\nextern \"C\" int cublasSgemm_v2(int);\n" ENTRY
    "{ return cuTensorMapEncodeTiled(n_in) + cublasSgemm_v2(n_out); }\n";

static inline struct build_request request(const char *source)
{
    return (struct build_request){.device = &device_cuda,
                                  .arch = "90a",
                                  .file_name = "mine.cu",
                                  .source = source,
                                  .source_len = strlen(source),
                                  .problem_h = "#define ANSWER 42\n",
                                  .include_dir = include,
                                  .cache_dir = cache};
}

static inline bool lacks_compiler(const struct err *err)
{
    return strstr(err->text, "no nvcc found") || strstr(err->text, "no NVRTC found") ||
           strstr(err->text, "install g++");
}

/* Skips where the machine has no such compiler. */
static inline void build(const struct build_request *req, struct build_result *ret)
{
    struct err err = ERR_INIT;

    if (build_artifact(req, ret, &err) == 0)
        return;
    if (lacks_compiler(&err))
        skip();
    fail_msg("%s", err.text);
}

static inline int set_up(void **state)
{
    (void)state;
    nvcc_before = getenv("ASSAY_NVCC") ? xstrdup(getenv("ASSAY_NVCC")) : NULL;
    return rig_open(header);
}

static inline int tear_down(void **state)
{
    (void)state;
    if (nvcc_before)
        setenv("ASSAY_NVCC", nvcc_before, 1);
    else
        unsetenv("ASSAY_NVCC");
    freep(&nvcc_before);
    return rig_close();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
