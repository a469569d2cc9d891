/* SPDX-License-Identifier: MIT */
/* The page that judge and runner share. */
#include "testing.h"

#include "wire/wire.h"

#include <sys/mman.h>
#include <unistd.h>

static void page_is_shared_and_sealed(void **state)
{
    struct wire_page *judge = NULL, *runner = NULL;
    AUTO(fd_closep) int fd = -1;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(wire_page_create(&judge, &fd, &err), 0);
    assert_int_equal(wire_page_map(fd, sizeof(struct wire_page), &runner, &err), 0);
    atomic_store(&judge->go, 7);
    assert_int_equal(atomic_load(&runner->go), 7);
    runner->claim_ns = 9;
    assert_int_equal(judge->claim_ns, 9);
    assert_int_equal(ftruncate(fd, 0), -1);
    assert_int_equal(ftruncate(fd, 2 * sizeof(struct wire_page)), -1);
    assert_int_equal(wire_page_map(fd, 64, &runner, &err), -1);

    AUTO(fd_closep) int empty = memfd_create("page", MFD_CLOEXEC);

    assert_int_equal(wire_page_map(empty, sizeof(struct wire_page), &runner, &err), -1);
    wire_page_unmap(runner);
    wire_page_unmap(judge);
    wire_page_unmap(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(page_is_shared_and_sealed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
