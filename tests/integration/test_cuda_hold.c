/* SPDX-License-Identifier: MIT */
/* covers: workers/assay_worker/hold.ptx */
/* The kernel that waits for the judge's release is assembled for every architecture. */
#include "testing.h"

#include "device/cuda/cuda_hold.h"

static void waiting_kernel_assembles(void **state)
{
    static const char *const archs[] = {"sm_75", "sm_80", "sm_90a", "sm_100a"};

    (void)state;
    if (system("PATH=$PATH:/usr/local/cuda/bin ptxas --version >/dev/null 2>&1") != 0)
        skip();
    write_file("hold.ptx", cuda_hold_ptx);
    for (size_t i = 0; i < ARRAY_SIZE(archs); i++) {
        AUTO(freep)
        char *line = xasprintf(
            "PATH=$PATH:/usr/local/cuda/bin ptxas -arch=%s -o hold.cubin hold.ptx", archs[i]);

        assert_int_equal(system(line), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiting_kernel_assembles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
