/* SPDX-License-Identifier: MIT */
/* covers: src/device/cpu/cpu.c src/device/cpu/cpu_judge.c src/device/cpu/cpu_for_judge.c */
/* covers: src/device/fake/fake.c src/device/fake/fake_judge.c src/device/fake/fake_for_judge.c */
/* covers: src/device/hostmem.c src/device/hostmem_import.c */
/* Every device through every rule of device.h that a judge relies on. */
#include "testing.h"

#include "device/device.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define KEY 0x1234567890abcdefull
#define BYTES ((size_t)20 << 20) /* past the size from which work is done in parallel */

/* One device, opened. The contract's tests see nothing else. */
struct fixture {
    const struct device *device;
    const struct device_judge_ops *ops;
    void *ctx;
};

static struct fixture open_device(void **state)
{
    struct fixture f = {.device = *state};
    struct err err = ERR_INIT;

    f.ops = f.device->judge;
    assert_int_equal(f.ops->open(0, &f.ctx, &err), 0);
    return f;
}

static struct mem alloc(struct fixture *f, enum mem_kind kind, size_t bytes)
{
    struct mem m = MEM_INIT;
    struct err err = ERR_INIT;

    must(f->ops->mem_alloc(f->ctx, kind, bytes, &m, &err), &err);
    return m;
}

/* What lies at [at, at + bytes), fetched by way of the device. The caller's to free. */
static unsigned char *fetch(struct fixture *f, const struct mem *m, size_t at, size_t bytes)
{
    unsigned char *out = malloc(bytes);
    struct err err = ERR_INIT;

    assert_int_equal(f->ops->download(f->ctx, m, at, out, bytes, &err), 0);
    return out;
}

static void describes_itself(void **state)
{
    struct fixture f = open_device(state);
    struct device_info info, again;
    struct err err = ERR_INIT;

    assert_int_equal(f.device->api, DEVICE_API);
    assert_int_equal(f.ops->describe(f.ctx, &info, &err), 0);
    assert_true(info.name[0] && info.driver[0] && info.fingerprint[0]);
    assert_true(info.memory_bytes > 1 << 20);
    assert_true(info.cache_bytes >= 0 && info.cache_bytes < info.memory_bytes);
    assert_true(info.cores >= 1);
    assert_int_equal(f.ops->describe(f.ctx, &again, &err), 0);
    assert_string_equal(info.fingerprint, again.fingerprint);
    f.ops->close(f.ctx);
    f.ops->close(NULL);
}

static void refuses_other_indices(void **state)
{
    const struct device *d = *state;
    struct err err = ERR_INIT;
    void *ctx = NULL;

    assert_int_equal(d->judge->open(4711, &ctx, &err), -1);
    assert_int_equal(err.kind, ERR_DEVICE);
    assert_non_null(strstr(err.text, "4711"));
}

static void memory_comes_and_goes(void **state)
{
    static const size_t sizes[] = {1, 4096, 4097, BYTES};
    struct fixture f = open_device(state);

    for (int kind = MEM_PRIVATE; kind <= MEM_OUTPUT; kind++) {
        for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
            struct mem m = alloc(&f, kind, sizes[i]);

            assert_int_equal(m.kind, kind);
            assert_int_equal(m.bytes, sizes[i]);
            assert_int_equal(m.fd >= 0, kind != MEM_PRIVATE);
            assert_int_equal((uintptr_t)m.host % 256, 0);
            if (m.fd >= 0)
                assert_int_equal(fcntl(m.fd, F_GETFD), FD_CLOEXEC);
            f.ops->mem_free(f.ctx, &m);
            assert_int_equal(m.fd, -1);
            f.ops->mem_free(f.ctx, &m); /* MEM_INIT is fine */
        }
    }
    f.ops->close(f.ctx);
}

static void too_much_memory_is_one_line(void **state)
{
    struct fixture f = open_device(state);

    for (int kind = MEM_PRIVATE; kind <= MEM_OUTPUT; kind++) {
        struct mem m = MEM_INIT;
        struct err err = ERR_INIT;

        assert_int_equal(f.ops->mem_alloc(f.ctx, kind, (size_t)1 << 60, &m, &err), -1);
        assert_int_equal(err.kind, ERR_SYSTEM);
        assert_non_null(strstr(err.text, "GiB"));
        assert_null(strchr(err.text, '\n'));
        assert_null(m.host);
        assert_int_equal(m.fd, -1);
    }

    struct mem m = MEM_INIT;
    struct err err = ERR_INIT;

    static int planned; /* the counter of planned faults is the process's */
    char plan[32];

    snprintf(plan, sizeof(plan), "alloc:%d", ++planned);
    setenv("ASSAY_FAULT", plan, 1);
    assert_int_equal(f.ops->mem_alloc(f.ctx, MEM_OUTPUT, 64, &m, &err), -1);
    unsetenv("ASSAY_FAULT");
    assert_int_equal(err.kind, ERR_SYSTEM);
    f.ops->close(f.ctx);
}

static bool maps_writable(int fd)
{
    void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (p != MAP_FAILED)
        munmap(p, 4096);
    return p != MAP_FAILED;
}

static bool becomes_writable(int fd)
{
    void *p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

    assert_ptr_not_equal(p, MAP_FAILED);

    bool yes = mprotect(p, 4096, PROT_READ | PROT_WRITE) == 0;

    munmap(p, 4096);
    return yes;
}

static int reopen(int fd)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return open(path, O_RDWR | O_CLOEXEC);
}

/* The runner holds the descriptor: what it could do with it, it will try. */
static void seals_hold(void **state)
{
    struct fixture f = open_device(state);
    struct mem in = alloc(&f, MEM_INPUT, 8192), out = alloc(&f, MEM_OUTPUT, 8192);
    AUTO(fd_closep) int again = reopen(in.fd);

    ((char *)in.host)[5] = 1; /* the judge still may */
    if (!f.ops->differ) {     /* or the judge looks after each call */
        assert_false(maps_writable(in.fd));
        assert_false(becomes_writable(in.fd));
        assert_true(again < 0 || !maps_writable(again));
        assert_int_equal(pwrite(in.fd, "x", 1, 0), -1);
    }
    assert_true(maps_writable(out.fd));
    for (int i = 0; i < 2; i++) {
        int fd = i ? in.fd : out.fd;

        assert_int_equal(ftruncate(fd, 0), -1);
        assert_int_equal(ftruncate(fd, 1 << 20), -1);
        assert_int_equal(fallocate(fd, 0x03 /* KEEP_SIZE | PUNCH_HOLE */, 0, 4096) == 0,
                         !i || f.ops->differ);
        assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
    }
    f.ops->mem_free(f.ctx, &in);
    f.ops->mem_free(f.ctx, &out);
    f.ops->close(f.ctx);
}

static void fill_is_the_tensors_fill(void **state)
{
    static const struct law laws[] = {{LAW_SPREAD, 0, 0, 0}, {LAW_NEEDLE, 0, 0, 2.5}};
    struct fixture f = open_device(state);
    struct mem m = alloc(&f, MEM_INPUT, 65536);
    struct shape shape = {2, {33, 65}};
    size_t bytes = 33 * 65 * 4;
    struct err err = ERR_INIT;

    for (size_t i = 0; i < ARRAY_SIZE(laws); i++) {
        AUTO(freep) char *want = malloc(bytes);

        fill_tensor(&laws[i], 42, DT_F32, &shape, want);
        assert_int_equal(
            f.ops->fill(f.ctx, &(struct device_fill){&m, 512, &laws[i], 42, DT_F32, &shape}, &err),
            0);

        AUTO(freep) unsigned char *got = fetch(&f, &m, 512, bytes);

        assert_memory_equal(got, want, bytes);
    }
    assert_int_equal(
        f.ops->fill(f.ctx, &(struct device_fill){&m, 65536 - bytes + 1, laws, 1, DT_F32, &shape},
                    &err),
        -1);
    f.ops->mem_free(f.ctx, &m);
    f.ops->close(f.ctx);
}

static void poison_shows_one_changed_byte(void **state)
{
    static const size_t places[] = {0, 1, 4095, BYTES / 2 + 3, BYTES - 101};
    struct fixture f = open_device(state);
    struct mem m = alloc(&f, MEM_OUTPUT, BYTES);
    struct err err = ERR_INIT;
    int64_t at = 0;

    assert_int_equal(f.ops->poison(f.ctx, &m, 100, BYTES - 100, KEY, &err), 0);
    assert_int_equal(f.ops->poison_check(f.ctx, &m, 100, BYTES - 100, KEY, &at, &err), 0);
    assert_int_equal(at, -1);
    for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
        unsigned char *byte = (unsigned char *)m.host + 100 + places[i];

        *byte ^= 1;
        assert_int_equal(f.ops->poison_check(f.ctx, &m, 100, BYTES - 100, KEY, &at, &err), 0);
        assert_int_equal(at, (int64_t)places[i]);
        *byte ^= 1;
    }
    assert_int_equal(f.ops->poison_check(f.ctx, &m, 100, BYTES - 100, KEY + 1, &at, &err), 0);
    assert_true(at >= 0 && at < 8); /* another key, other bytes */
    f.ops->mem_free(f.ctx, &m);
    f.ops->close(f.ctx);
}

/* The words at the places that the key chooses: each of a span's can be, the last one too, and none
 * beside it. */
static void peek_sees_what_is_there(void **state)
{
    struct fixture f = open_device(state);
    struct mem m = alloc(&f, MEM_OUTPUT, 64);
    struct peeks where = {.key = KEY, .n = 3, .spans = {{1, 9}, {15, 1}, {12, 2}}};
    uint32_t words[16], seen[DEVICE_PEEKS], found = 0;
    struct err err = ERR_INIT;

    for (uint32_t i = 0; i < ARRAY_SIZE(words); i++)
        words[i] = i;
    assert_int_equal(f.ops->upload(f.ctx, &m, 0, words, sizeof(words), &err), 0);
    assert_int_equal(f.ops->peek(f.ctx, &m, &where, seen, &err), 0);
    for (uint32_t i = 0; i < DEVICE_PEEKS; i++) {
        assert_int_equal(seen[i], peeks_place(&where, i));
        found |= 1u << seen[i];
    }
    assert_int_equal(found, 0x1ff << 1 | 1 << 15 | 3 << 12);
    where.spans[1].words++;
    assert_int_equal(f.ops->peek(f.ctx, &m, &where, seen, &err), -1);
    f.ops->mem_free(f.ctx, &m);
    f.ops->close(f.ctx);
}

static void differ_finds_the_first_byte(void **state)
{
    static const size_t places[] = {0, 7, 4096, BYTES - 1};
    struct fixture f = open_device(state);
    struct mem a = alloc(&f, MEM_INPUT, BYTES), b = alloc(&f, MEM_PRIVATE, BYTES);
    struct err err = ERR_INIT;
    int64_t at = 0;

    if (f.ops->differ) {
        assert_int_equal(f.ops->poison(f.ctx, &a, 0, BYTES, KEY, &err), 0);
        assert_int_equal(f.ops->copy(f.ctx, &b, 0, &a, 0, BYTES, &err), 0);
        assert_int_equal(f.ops->differ(f.ctx, &a, &b, BYTES, &at, &err), 0);
        assert_int_equal(at, -1);
        for (size_t i = ARRAY_SIZE(places);
             i-- > 0;) { /* each before the one that is off already */
            ((unsigned char *)b.host)[places[i]] ^= 1;
            assert_int_equal(f.ops->differ(f.ctx, &a, &b, BYTES, &at, &err), 0);
            assert_int_equal(at, (int64_t)places[i]);
        }
        assert_int_equal(f.ops->differ(f.ctx, &a, &b, BYTES + 1, &at, &err), -1);
    }
    f.ops->mem_free(f.ctx, &a);
    f.ops->mem_free(f.ctx, &b);
    f.ops->close(f.ctx);
}

static void compare_finds_the_error(void **state)
{
    struct fixture f = open_device(state);
    struct mem y = alloc(&f, MEM_PRIVATE, 4096), got = alloc(&f, MEM_OUTPUT, 4096);
    struct compare_scale scale = {.row_len = 0, .pooled_rms = 1, .floor = 0};
    struct compare_stats stats;
    struct err err = ERR_INIT;
    double *want = (double *)((char *)y.host + 256);
    float *have = (float *)((char *)got.host + 512);

    for (int i = 0; i < 100; i++) {
        want[i] = i % 2 ? 1 : -1;
        have[i] = (float)want[i];
    }
    have[77] = 1.5f;
    assert_int_equal(f.ops->compare(f.ctx,
                                    &(struct device_compare){&y, 256, &got, 512, DT_F32, 100,
                                                             &scale, NULL, 0, NULL},
                                    &stats, &err),
                     0);
    assert_int_equal(stats.count, 100);
    assert_int_equal(stats.max_at, 77);
    assert_true(fabs(stats.max - 0.5) < 1e-12);
    assert_int_equal(f.ops->compare(f.ctx,
                                    &(struct device_compare){&y, 256, &got, 512, DT_F32, 481,
                                                             &scale, NULL, 0, NULL},
                                    &stats, &err),
                     -1); /* y has 480 */
    assert_int_equal(
        f.ops->compare(f.ctx,
                       &(struct device_compare){&y, 0, &got, 0, DT_F32, -1, &scale, NULL, 0, NULL},
                       &stats, &err),
        -1);
    f.ops->mem_free(f.ctx, &y);
    f.ops->mem_free(f.ctx, &got);
    f.ops->close(f.ctx);
}

static void copy_stays_inside(void **state)
{
    static const struct {
        size_t dst_at, src_at, bytes;
        int want;
    } cases[] = {
        {0, 0, BYTES, 0},  {3, 5, BYTES - 5, 0},  {BYTES, BYTES, 0, 0},     {1, 0, BYTES, -1},
        {0, 1, BYTES, -1}, {BYTES + 1, 0, 0, -1}, {0, SIZE_MAX - 2, 8, -1}, {8, 0, SIZE_MAX, -1},
    };
    struct fixture f = open_device(state);
    struct mem a = alloc(&f, MEM_PRIVATE, BYTES), b = alloc(&f, MEM_OUTPUT, BYTES);
    struct err err = ERR_INIT;

    assert_int_equal(f.ops->poison(f.ctx, &a, 0, BYTES, KEY, &err), 0);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        size_t n = cases[i].bytes;

        memset(b.host, 0, BYTES);
        assert_int_equal(f.ops->copy(f.ctx, &b, cases[i].dst_at, &a, cases[i].src_at, n, &err),
                         cases[i].want);
        if (cases[i].want == 0)
            assert_int_equal(
                memcmp((char *)b.host + cases[i].dst_at, (char *)a.host + cases[i].src_at, n), 0);
        else
            assert_int_equal(((char *)b.host)[BYTES - 1], 0);
    }
    f.ops->mem_free(f.ctx, &a);
    f.ops->mem_free(f.ctx, &b);
    f.ops->close(f.ctx);
}

static void upload_and_download_stay_inside(void **state)
{
    static const struct {
        size_t at, bytes;
        int want;
    } cases[] = {
        {0, 64, 0}, {3, 61, 0}, {64, 0, 0}, {1, 64, -1}, {65, 0, -1}, {SIZE_MAX - 2, 8, -1},
    };
    struct fixture f = open_device(state);
    struct mem m = alloc(&f, MEM_INPUT, 64);
    char out[64], in[64];
    struct err err = ERR_INIT;

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        size_t at = cases[i].at, n = cases[i].bytes;

        memset(in, 0, sizeof(in));
        memset(out, (int)('a' + i), sizeof(out));
        assert_int_equal(f.ops->upload(f.ctx, &m, at, out, n, &err), cases[i].want);
        assert_int_equal(f.ops->download(f.ctx, &m, at, in, n, &err), cases[i].want);
        if (cases[i].want == 0)
            assert_memory_equal(in, out, n);
    }
    f.ops->mem_free(f.ctx, &m);
    f.ops->close(f.ctx);
}

static void flush_changes_nothing(void **state)
{
    struct fixture f = open_device(state);
    struct mem a = alloc(&f, MEM_INPUT, 4097), b = alloc(&f, MEM_OUTPUT, 1);
    struct mem *both[] = {&a, &b};
    struct err err = ERR_INIT;
    int64_t at = 0;

    if (f.ops->flush) {
        assert_int_equal(f.ops->poison(f.ctx, &a, 0, 4097, KEY, &err), 0);
        assert_int_equal(f.ops->flush(f.ctx, both, 2, &err), 0);
        assert_int_equal(f.ops->flush(f.ctx, both, 0, &err), 0);
        assert_int_equal(f.ops->poison_check(f.ctx, &a, 0, 4097, KEY, &at, &err), 0);
        assert_int_equal(at, -1);
    }
    f.ops->mem_free(f.ctx, &a);
    f.ops->mem_free(f.ctx, &b);
    f.ops->close(f.ctx);
}

#define RUNNER_DECLARE(name) extern const struct device_runner_ops name##_runner_ops;
DEVICES(RUNNER_DECLARE)

/* This program has the devices' faces for a judge, which name no runner. */
static const struct device_runner_ops *runner_of(const struct device *d)
{
#define RUNNER_PAIR(name) {&device_##name, &name##_runner_ops},
    static const struct {
        const struct device *device;
        const struct device_runner_ops *runner;
    } faces[] = {DEVICES(RUNNER_PAIR)};
    const struct device_runner_ops *found = NULL;

    assert_null(d->runner);
    for (size_t i = 0; i < ARRAY_SIZE(faces); i++)
        if (faces[i].device == d)
            found = faces[i].runner;
    assert_non_null(found);
    return found;
}

/* Through the runner's face: what the judge wrote is there, at the address where it is mapped. */
static void runner_sees_the_memory(void **state)
{
    struct fixture f = open_device(state);
    const struct device_runner_ops *runner = runner_of(f.device);
    struct mem in = alloc(&f, MEM_INPUT, 8192), out = alloc(&f, MEM_OUTPUT, 8192);
    void *ctx = NULL, *seen_in = NULL, *seen_out = NULL;
    struct err err = ERR_INIT;

    assert_int_equal(runner->open(0, &ctx, &err), 0);
    assert_int_equal(f.ops->poison(f.ctx, &in, 0, 8192, KEY, &err), 0);
    assert_int_equal(runner->import(ctx, in.fd, 8192, true, &seen_in, &err), 0);
    assert_int_equal(runner->import(ctx, out.fd, 8192, false, &seen_out, &err), 0);
    assert_int_equal(fill_poison_check(KEY, seen_in, 8192), -1);
    memcpy(seen_out, "hello", 5);

    AUTO(freep) unsigned char *got = fetch(&f, &out, 0, 5);

    assert_memory_equal(got, "hello", 5);
    if (!f.ops->differ)
        assert_int_equal(runner->import(ctx, in.fd, 8192, false, &seen_in, &err), -1);
    if (in.host) /* a file: what would lie behind its end is not mapped */
        assert_int_equal(runner->import(ctx, in.fd, in.bytes + 65536, true, &seen_in, &err), -1);
    runner->unimport(ctx, seen_in, 8192);
    runner->unimport(ctx, seen_out, 8192);
    f.ops->mem_free(f.ctx, &in);
    f.ops->mem_free(f.ctx, &out);
    f.ops->close(f.ctx);
}

#define CONTRACT(test)                   \
    {                                    \
        .name = #test, .test_func = test \
    }

static int contract(const struct device *d)
{
    struct CMUnitTest tests[] = {
        CONTRACT(describes_itself),
        CONTRACT(refuses_other_indices),
        CONTRACT(memory_comes_and_goes),
        CONTRACT(too_much_memory_is_one_line),
        CONTRACT(seals_hold),
        CONTRACT(fill_is_the_tensors_fill),
        CONTRACT(poison_shows_one_changed_byte),
        CONTRACT(peek_sees_what_is_there),
        CONTRACT(differ_finds_the_first_byte),
        CONTRACT(compare_finds_the_error),
        CONTRACT(copy_stays_inside),
        CONTRACT(upload_and_download_stay_inside),
        CONTRACT(flush_changes_nothing),
        CONTRACT(runner_sees_the_memory),
    };

    for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
        tests[i].initial_state = (void *)d;
    return cmocka_run_group_tests_name(d->name, tests, NULL, NULL);
}

int main(void)
{
    const char *why = "";
    int failed = 0;

    for (const struct device *const *d = device_registry; *d; d++) {
        if ((*d)->opens_slowly) /* its memory has no address here */
            printf("skipped %s: tests/gpu has its contract\n", (*d)->name);
        else if ((*d)->probe(&why) > 0)
            failed += contract(*d);
        else
            printf("skipped %s: %s\n", (*d)->name, why);
    }
    return failed != 0;
}
