/* SPDX-License-Identifier: MIT */
/* Whose fault it is that there is no evidence, found out with a compiler and a script for a
 * disassembler. */
#include "build_rig.h"

#include "build/nvcc.h"
#include "device/cuda/nvrtc_api.h"
#include "judge/requirement.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define TOOL(how) "#!/bin/sh\n[ \"$1\" = --version ] && exit 0\n" how "\n"
#define READS TOOL("echo '/*0000*/ EXIT ;'")

static void skip_without_compilers(void)
{
    AUTO(nvcc_release) struct nvcc n = NVCC_INIT;
    AUTO(freep) char *nvrtc = nvrtc_library();
    struct err err = ERR_INIT;

    if (nvcc_find(cache, &n, &err) < 0 || !nvrtc)
        skip();
}

/* A candidate for fp8 that called dlsym(), or carried bytes no disassembler can read, chose the
 * verdict infra. */
static void test_who_hides_is_rejected(void **state)
{
    static const struct {
        const char *source, *tool;
        bool checked; /* and yet not seen: its instructions do not say their type */
        enum verdict_kind kind;
    } hidden[] = {
        {"with host code", READS, false, VERDICT_REJECTED},
        {"// assay: launch f grid=1 block=1\n", READS, false, VERDICT_REJECTED},
        {"with host code", READS, true, VERDICT_INFRA},
        {"with host code", TOOL("exit 1"), false, VERDICT_INFRA},
        {"// assay: launch f grid=1 block=1\n", TOOL("exit 1"), false, VERDICT_INFRA},
        {"with host code", "#!/bin/sh\nexit 1\n", false, VERDICT_INFRA},
    };
    AUTO(freep) char *tool = fs_join(base, "nvdisasm");
    const struct places places = {.share = base, .cache = cache};
    const struct device_info h200 = {.arch = "90a"};
    const struct plan plan = {0};
    const struct prebuild_request p = {
        .places = &places, .device = &device_cuda, .plan = &plan, .info = &h200, .problem_h = ""};

    (void)state;
    skip_without_compilers();
    setenv("ASSAY_DISASM", tool, 1);
    for (size_t i = 0; i < ARRAY_SIZE(hidden); i++) {
        const struct evidence e = {.applies = true, .checked = hidden[i].checked};
        struct verdict v = VERDICT_INIT;
        struct err err = ERR_INIT;

        verdict_set(&v, REASON_INFRA_EVIDENCE, "not seen");
        assert_int_equal(fs_write_atomic(tool, hidden[i].tool, strlen(hidden[i].tool), &err), 0);
        assert_int_equal(chmod(tool, 0755), 0);

        const struct source_text source = {"k.cu", hidden[i].source, strlen(hidden[i].source)};

        requirement_blame(&e, &p, &source, &v);
        if (v.kind != hidden[i].kind)
            fail_msg("case %zu: %s", i, verdict_names[v.kind]);
        assert_string_equal(v.code, "evidence");
        assert_string_equal(v.detail, "not seen");
    }
}

static int set_up(void **state)
{
    (void)state;
    /* What an empty kernel needs of assay.h. */
    return rig_open("typedef struct { int x; } DLTensor;\n");
}

static int tear_down(void **state)
{
    (void)state;
    unsetenv("ASSAY_DISASM");
    return rig_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_who_hides_is_rejected, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
