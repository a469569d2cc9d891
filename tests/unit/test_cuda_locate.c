/* SPDX-License-Identifier: MIT */
/* covers: src/device/cuda/cuda_locate.c src/device/cuda/cuda_export.c */
/* On the emulated GPU: results in a runner's own memory, which the judge opens by name. There a
 * handle is the address of an allocation. */
#include "emulated_judge.h"

#include "device/cuda/cuda_ctx.h"
#include "device/cuda/cuda_export.h"

#include <string.h>

#define BYTES 4096

static struct device_result named(const struct mem *m, uint64_t at)
{
    struct device_result r = {.at = at};

    memcpy(r.handle, &m->handle, sizeof(m->handle));
    return r;
}

static void opens_what_was_named(void **state)
{
    struct mem m = MEM_INIT, view = MEM_INIT;
    struct err err = ERR_INIT;
    char got[16] = {0};

    (void)state;
    must(ops->mem_alloc(ctx, MEM_PRIVATE, BYTES, &m, &err), &err);
    must(ops->upload(ctx, &m, 256, "a result", 9, &err), &err);

    const struct device_result r = named(&m, 256);

    must(ops->locate(ctx, &r, 9, &view, &err), &err);
    must(ops->download(ctx, &view, 0, got, 9, &err), &err);
    assert_string_equal(got, "a result");
    must(ops->locate(ctx, &r, 9, &view, &err), &err);
    assert_int_equal(((struct cuda_ctx *)ctx)->n_opened, 1); /* it was known */
    ops->forget(ctx);
    assert_int_equal(((struct cuda_ctx *)ctx)->n_opened, 0);
    ops->mem_free(ctx, &m);
}

static void refuses_other_memory(void **state)
{
    static const struct {
        uint64_t at;
        size_t bytes;
    } cases[] = {{BYTES, 1}, {BYTES - 1, 2}, {UINT64_MAX, 1}, {1, SIZE_MAX}, {0, BYTES + 1}};
    const struct device_result nowhere = {.at = 0};
    struct mem m = MEM_INIT, view = MEM_INIT;
    struct err err = ERR_INIT;

    (void)state;
    must(ops->mem_alloc(ctx, MEM_PRIVATE, BYTES, &m, &err), &err);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct device_result r = named(&m, cases[i].at);

        assert_int_equal(ops->locate(ctx, &r, cases[i].bytes, &view, &err), -1);
        assert_non_null(strstr(err.text, "leave an allocation of 4096 bytes"));
    }
    assert_int_equal(ops->locate(ctx, &nowhere, 1, &view, &err), -1);
    assert_non_null(strstr(err.text, "cannot open it"));
    ops->forget(ctx);
    ops->mem_free(ctx, &m);
}

static void many_names_are_no_leak(void **state)
{
    struct mem m = MEM_INIT, view = MEM_INIT;
    struct err err = ERR_INIT;

    (void)state;
    must(ops->mem_alloc(ctx, MEM_PRIVATE, BYTES, &m, &err), &err);
    for (int i = 0; i < 3 * CUDA_OPENED_MAX; i++) {
        struct device_result r = named(&m, 0);

        r.handle[40] = (unsigned char)i; /* another name for the same memory */
        must(ops->locate(ctx, &r, 1, &view, &err), &err);
        assert_true(((struct cuda_ctx *)ctx)->n_opened <= CUDA_OPENED_MAX);
    }
    ops->forget(ctx);
    ops->mem_free(ctx, &m);
}

static int handles_made;

static CUresult make_handle(struct cu_ipc_handle *handle, CUdeviceptr at)
{
    handles_made++;
    memset(handle, 0, sizeof(*handle));
    memcpy(handle->bytes, &at, sizeof(at));
    return 0;
}

static CUresult refuse_handle(struct cu_ipc_handle *handle, CUdeviceptr at)
{
    (void)handle, (void)at;
    return 1;
}

static void an_allocation_is_named_once(void **state)
{
    struct cuda_export e = {.cu = ((struct cuda_ctx *)ctx)->cu, .get_handle = make_handle};
    struct device_result r = {0};
    struct mem m = MEM_INIT, view = MEM_INIT;
    struct err err = ERR_INIT;

    (void)state;
    must(ops->mem_alloc(ctx, MEM_PRIVATE, BYTES, &m, &err), &err);
    for (int i = 0; i < 3; i++)
        assert_int_equal(cuda_export_name(&e, (void *)(uintptr_t)m.handle, &r), 0);
    assert_int_equal(handles_made, 1);
    must(ops->locate(ctx, &r, BYTES, &view, &err), &err); /* both sides agree */
    assert_true(view.handle == m.handle);
    ops->forget(ctx);
    e = (struct cuda_export){.cu = e.cu, .get_handle = refuse_handle};
    assert_int_equal(cuda_export_name(&e, (void *)(uintptr_t)m.handle, &r), -1);
    ops->mem_free(ctx, &m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opens_what_was_named),
        cmocka_unit_test(refuses_other_memory),
        cmocka_unit_test(many_names_are_no_leak),
        cmocka_unit_test(an_allocation_is_named_once),
    };

    return cmocka_run_group_tests(tests, emulated_open, emulated_close);
}
