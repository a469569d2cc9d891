/* SPDX-License-Identifier: MIT */
/* covers: src/device/cuda/cuda.c src/device/cuda/cuda_compare.c src/device/cuda/cuda_content.c */
/* covers: src/device/cuda/cuda_gemm.c src/device/cuda/cuda_memory.c src/device/cuda/cuda_rates.c */
/* The judge's face of the cuda device against the host's own functions: the same bits, the same
 * figures. Needs no cmocka: it also runs from a dist tree. Exits 77 where there is no GPU.
 * usage: test_cuda_judge [speed | emulated]; speed adds timings, emulated goes by the libcuda.so.1
 * of tests/emu, which has no rates. */
#include "base/clock.h"
#include "base/fs.h"
#include "device/cuda/cuda_driver.h"
#include "device/cuda/cuda_judge.h"
#include "device/cuda/cuda_kernels.h"
#include "hardware/hardware.h"
#include "tensor/law.h"
#include "tensor/philox.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY 0x1234567890abcdefull
#define BYTES ((size_t)20 << 20)

static const struct device_judge_ops *ops = &cuda_judge_ops;
static void *ctx;
static int passed, failed;
static struct err err;

#define CHECK(condition, ...)                             \
    do {                                                  \
        if (condition) {                                  \
            passed++;                                     \
        } else {                                          \
            failed++;                                     \
            printf("FAILED %s:%d: ", __FILE__, __LINE__); \
            printf(__VA_ARGS__);                          \
            printf(" %s\n", err.text);                    \
        }                                                 \
    } while (0)

static struct mem alloc(enum mem_kind kind, size_t bytes)
{
    struct mem m = MEM_INIT;

    if (ops->mem_alloc(ctx, kind, bytes, &m, &err) < 0) {
        printf("cannot go on: %s\n", err.text);
        exit(1);
    }
    return m;
}

static void upload(struct mem *m, size_t at, const void *host, size_t bytes)
{
    CHECK(ops->upload(ctx, m, at, host, bytes, &err) == 0, "upload");
}

static void download(const struct mem *m, size_t at, void *host, size_t bytes)
{
    CHECK(ops->download(ctx, m, at, host, bytes, &err) == 0, "download");
}

/* ---- the device itself ---- */

static void describes_itself(void)
{
    struct device_info info, again;
    void *other = NULL;

    CHECK(ops->describe(ctx, &info, &err) == 0 && ops->describe(ctx, &again, &err) == 0,
          "describe");
    printf("%s, %s, driver %s, %.1f GiB, L2 %.1f MiB, %d SMs\n", info.name, info.uuid, info.driver,
           (double)info.memory_bytes / (1 << 30), (double)info.cache_bytes / (1 << 20), info.cores);
    CHECK(info.name[0] && info.driver[0] && strlen(info.uuid) == 40, "name and driver");
    CHECK(!strcmp(info.fingerprint, again.fingerprint), "fingerprint");
    CHECK(info.memory_bytes > 1 << 20 && info.cache_bytes > 0 && info.cores > 0, "sizes");
    CHECK(ops->open(4711, &other, &err) < 0 && err.kind == ERR_DEVICE && strstr(err.text, "4711"),
          "another index");
    ops->close(NULL);
}

static void memory_comes_and_goes(void)
{
    static const size_t sizes[] = {1, 4096, 4097, BYTES};

    for (int kind = MEM_PRIVATE; kind <= MEM_OUTPUT; kind++) {
        for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
            struct mem m = alloc(kind, sizes[i]);

            CHECK((int)m.kind == kind && m.bytes == sizes[i] && !m.host, "size %zu", sizes[i]);
            CHECK(m.handle && m.handle % 256 == 0, "alignment");
            CHECK((m.fd >= 0) == (kind != MEM_PRIVATE), "descriptor");
            CHECK(m.fd < 0 || fcntl(m.fd, F_GETFD) == FD_CLOEXEC, "close on exec");
            ops->mem_free(ctx, &m);
            CHECK(m.fd == -1 && !m.handle, "freed");
            ops->mem_free(ctx, &m);
        }

        struct mem m = MEM_INIT;

        CHECK(ops->mem_alloc(ctx, kind, (size_t)1 << 60, &m, &err) < 0 && err.kind == ERR_SYSTEM &&
                  strstr(err.text, "GiB") && m.fd == -1 && !m.handle,
              "too much memory");
    }
}

/* What is not given back is missed. */
static void nothing_is_left_behind(void)
{
    struct mem first = alloc(MEM_OUTPUT, BYTES); /* whatever the driver allocates once */
    const char *why;
    const struct cuda_driver *cu = cuda_driver(&why);
    size_t before = 0, after = 0, total;

    ops->mem_free(ctx, &first);
    cu->cuMemGetInfo_v2(&before, &total);
    for (int i = 0; i < 300; i++) {
        struct mem m = alloc(i % 3, 3 * BYTES);

        ops->mem_free(ctx, &m);
    }
    cu->cuMemGetInfo_v2(&after, &total);
    CHECK(before - MIN(before, after) <= BYTES, "%zu bytes free before, %zu after", before, after);
}

static void shared_memory_starts_empty(void)
{
    AUTO(freep) unsigned char *seen = malloc(BYTES);
    size_t other = 0;

    for (int i = 0; i < 4; i++) {
        struct mem m = alloc(i % 2 ? MEM_INPUT : MEM_OUTPUT, BYTES);

        download(&m, 0, seen, BYTES);
        for (size_t k = 0; k < BYTES; k++)
            other += seen[k] != 0;
        CHECK(ops->poison(ctx, &m, 0, BYTES, KEY, &err) == 0, "poison");
        ops->mem_free(ctx, &m);
    }
    CHECK(other == 0, "%zu bytes of former contents", other);
}

static void copy_stays_inside(void)
{
    static const struct {
        size_t dst_at, src_at, bytes;
        int want;
    } cases[] = {
        {0, 0, BYTES, 0},  {3, 5, BYTES - 5, 0},  {BYTES, BYTES, 0, 0},     {1, 0, BYTES, -1},
        {0, 1, BYTES, -1}, {BYTES + 1, 0, 0, -1}, {0, SIZE_MAX - 2, 8, -1}, {8, 0, SIZE_MAX, -1},
    };
    struct mem a = alloc(MEM_PRIVATE, BYTES), b = alloc(MEM_OUTPUT, BYTES);
    AUTO(freep) unsigned char *from = malloc(BYTES), *to = malloc(BYTES);
    unsigned char word[8];

    fill_poison(KEY, from, BYTES);
    upload(&a, 0, from, BYTES);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        size_t n = cases[i].bytes;
        int rc = ops->copy(ctx, &b, cases[i].dst_at, &a, cases[i].src_at, n, &err);

        CHECK(rc == cases[i].want, "copy case %zu", i);
        if (rc < 0)
            continue;
        download(&b, cases[i].dst_at, to, n);
        CHECK(memcmp(to, from + cases[i].src_at, n) == 0, "copy case %zu: other bytes", i);
    }
    CHECK(ops->upload(ctx, &a, BYTES - 7, from, 8, &err) < 0, "upload past the end");
    CHECK(ops->download(ctx, &a, BYTES - 7, word, 8, &err) < 0, "download past the end");
    CHECK(ops->upload(ctx, &a, SIZE_MAX, from, 8, &err) < 0, "upload at the end of the world");
    ops->mem_free(ctx, &a);
    ops->mem_free(ctx, &b);
}

/* As the runner does it, in this process. */
static void descriptor_is_importable(void)
{
    const char *why;
    const struct cuda_driver *cu = cuda_driver(&why);
    struct mem m = alloc(MEM_INPUT, 5000);
    size_t padded = (size_t)2 << 20;
    struct cu_mem_access access = {{1, 0}, 1};
    CUmemGenericAllocationHandle handle = 0;
    CUdeviceptr at = 0;
    unsigned char seen[5000];

    CHECK(ops->poison(ctx, &m, 0, m.bytes, KEY, &err) == 0, "poison");
    CHECK(cu->cuMemImportFromShareableHandle(&handle, (void *)(intptr_t)m.fd,
                                             CU_MEM_HANDLE_POSIX_FD) == 0,
          "import");
    CHECK(cu->cuMemAddressReserve(&at, padded, 0, 0, 0) == 0, "reserve");
    CHECK(cu->cuMemMap(at, padded, 0, handle, 0) == 0, "map");
    CHECK(cu->cuMemSetAccess(at, padded, &access, 1) == 0, "access");
    CHECK(cu->cuMemcpyDtoH_v2(seen, at, sizeof(seen)) == 0, "read");
    CHECK(fill_poison_check(KEY, seen, sizeof(seen)) == -1, "other bytes");
    cu->cuMemUnmap(at, padded);
    cu->cuMemAddressFree(at, padded);
    cu->cuMemRelease(handle);
    ops->mem_free(ctx, &m);
}

/* ---- fill and poison ---- */

static void fill_equals(struct mem *m, size_t at, const struct law *law, enum dtype t,
                        const struct shape *shape)
{
    size_t bytes = (size_t)shape_count(shape) * dtype_size(t), i = 0;
    AUTO(freep) unsigned char *want = malloc(bytes + 1), *got = malloc(bytes + 1);
    unsigned char after = 0;

    fill_tensor(law, KEY, t, shape, want);
    upload(m, at + bytes, "\xA5", 1);
    CHECK(ops->fill(ctx, &(struct device_fill){m, at, law, KEY, t, shape}, &err) == 0, "fill");
    download(m, at, got, bytes);
    download(m, at + bytes, &after, 1);
    while (i < bytes && want[i] == got[i])
        i++;
    CHECK(i == bytes && after == 0xA5, "law %s, %s, count %lld, row %lld at %zu: byte %zu of %zu",
          law_name(law->kind), dtype_name(t), (long long)shape_count(shape),
          (long long)(shape->rank ? shape->dim[shape->rank - 1] : 1), at, i, bytes);
}

/* Laws that know the shape they are for. */
static void shaped_fills(struct mem *m)
{
    static const struct {
        struct law law;
        struct shape shape;
    } cases[] = {
        {{LAW_OFFSETS, 262144, 0, 0}, {1, {129}}},
        {{LAW_OFFSETS, 262144, 1, 0}, {1, {129}}},
        {{LAW_OFFSETS, 7, 0, 0}, {1, {5}}},
        {{LAW_OFFSETS, 100, 1, 0}, {2, {3, 1025}}},
        {{LAW_OFFSETS, 0x1p31 - 1, 1, 0}, {1, {2}}},
        {{LAW_PAGES, 4096, 16, 0}, {2, {32, 128}}},
        {{LAW_PAGES, 4096, 16, 2047}, {2, {32, 128}}},
        {{LAW_PAGES, 21, 1, 7}, {2, {3, 7}}},
        {{LAW_PAGES, 5, 16, 70}, {2, {1, 5}}},
    };
    const char *why = "";

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        CHECK(law_fits_shape(&cases[i].law, &cases[i].shape, &why), "case %zu: %s", i, why);
        fill_equals(m, 512, &cases[i].law, DT_I32, &cases[i].shape);
        fill_equals(m, 520, &cases[i].law, DT_I64, &cases[i].shape);
    }
}

static void fill_is_the_tensors_fill(void)
{
    static const struct law laws[] = {
        {LAW_SPREAD, 0, 0, 0},
        {LAW_SPREAD, 0, 0, 0.37},
        {LAW_NORMAL, 1.5, 0.25, 0},
        {LAW_NORMAL, 0, 1e-40, 0},
        {LAW_NORMAL, 1, 2, -0.3},
        {LAW_UNIFORM, -1, 3, 1e4},
        {LAW_HEAVY, 0, 0, 0},
        {LAW_HEAVY, 0, 0, 1e-3},
        {LAW_NEEDLE, 0, 0, 2.5},
        {LAW_INTS, -3, 100, 0},
        {LAW_INTS, -0x1p52, 0x1p52, 0},
        {LAW_INTS, 0, 2, 0},
        {LAW_PERM, 0, 0, 0},
        {LAW_LENGTHS, 100, 16, 0},
        {LAW_LENGTHS, 7, 0, 0},
        {LAW_CONSTANT, 1, 0, 0},
        {LAW_CONSTANT, 0.1, 0, 3},
        {LAW_BERNOULLI, 0.3, 0, 0},
        {LAW_SORTED, 1, 0, 0},
        {LAW_SORTED, -1, 0, 2.5},
        {LAW_CLUSTER, 1, 8, 0},
        {LAW_CLUSTER, 64, -3, 0.5},
        {LAW_PEAKS, 64, 16.65, 0},
        {LAW_PEAKS, 1, 2, 0},
        {LAW_PAGED, 1, 0, 0},
        {LAW_PAGED, 128, 0, 2},
        {LAW_PAGED, 3, 1, 0.5},
        {LAW_TIES, -40, 40, 0},
        {LAW_TIES, 0, 2, 3},
        {LAW_BANDS, 0.5, 2, 0},
        {LAW_BANDS, -1, 3, 1e-3},
    };
    static const struct shape shapes[] = {
        {0, {0}},        {1, {1}},    {1, {3}},        {1, {1027}},      {2, {7, 1}},
        {2, {33, 65}},   {2, {5, 3}}, {3, {3, 2, 64}}, {2, {63, 129}},   {2, {2, 4099}},
        {2, {4, 65536}}, {2, {0, 5}}, {2, {301, 999}}, {2, {100000, 2}}, {2, {999, 17}},
    };
    struct mem m = alloc(MEM_INPUT, (size_t)4 << 20);
    const char *why;

    for (size_t l = 0; l < ARRAY_SIZE(laws); l++) {
        for (int t = 0; t < DT_COUNT; t++) {
            if (!law_fits(&laws[l], t, &why))
                continue;
            for (size_t s = 0; s < ARRAY_SIZE(shapes); s++)
                fill_equals(&m, 512, &laws[l], t, &shapes[s]);
            fill_equals(&m, 512 + dtype_size(t), &laws[l], t, &shapes[5]);
        }
    }
    shaped_fills(&m);
    CHECK(
        ops->fill(ctx,
                  &(struct device_fill){&m, m.bytes - 33 * 65 * 4 + 4, laws, 1, DT_F32, &shapes[5]},
                  &err) < 0,
        "fill past the end");
    CHECK(ops->fill(ctx, &(struct device_fill){&m, 2, laws, 1, DT_F32, &shapes[5]}, &err) < 0,
          "fill off the grid");
    ops->mem_free(ctx, &m);
}

static void poison_is_the_hosts(void)
{
    static const size_t ats[] = {0, 1, 100, 4095}, sizes[] = {0, 1, 7, 8, 9, 63, 4096, 1000003};
    struct mem m = alloc(MEM_OUTPUT, BYTES);
    AUTO(freep) unsigned char *got = malloc(BYTES);

    for (size_t a = 0; a < ARRAY_SIZE(ats); a++) {
        for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
            int64_t at = 0;

            upload(&m, ats[a] + sizes[s], "\xA5", 1);
            CHECK(ops->poison(ctx, &m, ats[a], sizes[s], KEY, &err) == 0, "poison");
            download(&m, ats[a], got, sizes[s] + 1);
            CHECK(fill_poison_check(KEY, got, sizes[s]) == -1 && got[sizes[s]] == 0xA5,
                  "%zu bytes at %zu", sizes[s], ats[a]);
            CHECK(ops->poison_check(ctx, &m, ats[a], sizes[s], KEY, &at, &err) == 0 && at == -1,
                  "check of %zu bytes at %zu: %lld", sizes[s], ats[a], (long long)at);
        }
    }
    CHECK(ops->poison(ctx, &m, BYTES - 3, 4, KEY, &err) < 0, "poison past the end");
    ops->mem_free(ctx, &m);
}

/* The words at the places that the key chooses. */
static void peek_sees_what_is_there(void)
{
    enum { WORDS = 1000003 };
    struct mem m = alloc(MEM_OUTPUT, WORDS * sizeof(uint32_t));
    AUTO(freep) uint32_t *words = malloc(WORDS * sizeof(uint32_t));
    struct peeks where = {.key = KEY, .n = 2, .spans = {{1024, WORDS - 1025}, {WORDS - 1, 1}}};
    uint32_t seen[DEVICE_PEEKS];
    int wrong = 0;

    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = i * 2654435761u;
    upload(&m, 0, words, WORDS * sizeof(uint32_t));
    CHECK(ops->peek(ctx, &m, &where, seen, &err) == 0, "peek");
    for (uint32_t i = 0; i < DEVICE_PEEKS; i++)
        wrong += seen[i] != words[peeks_place(&where, i)];
    CHECK(wrong == 0, "%d of %d words are others", wrong, DEVICE_PEEKS);
    where.spans[1].at = m.bytes / sizeof(uint32_t);
    CHECK(ops->peek(ctx, &m, &where, seen, &err) < 0, "peek past the end");
    ops->mem_free(ctx, &m);
}

static void poison_shows_one_changed_byte(void)
{
    static const size_t places[] = {0, 1, 4095, BYTES / 2 + 3, BYTES - 101};
    static const size_t starts[] = {100, 96, 97};
    struct mem m = alloc(MEM_OUTPUT, BYTES);
    int64_t at = 0;

    for (size_t s = 0; s < ARRAY_SIZE(starts); s++) {
        size_t from = starts[s], n = BYTES - 100;

        CHECK(ops->poison(ctx, &m, from, n, KEY, &err) == 0, "poison");
        for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
            unsigned char byte;

            download(&m, from + places[i], &byte, 1);
            byte ^= 1;
            upload(&m, from + places[i], &byte, 1);
            CHECK(ops->poison_check(ctx, &m, from, n, KEY, &at, &err) == 0 &&
                      at == (int64_t)places[i],
                  "place %zu: %lld", places[i], (long long)at);
            byte ^= 1;
            upload(&m, from + places[i], &byte, 1);
        }
        CHECK(ops->poison_check(ctx, &m, from, n, KEY + 1, &at, &err) == 0 && at >= 0 && at < 8,
              "another key: %lld", (long long)at);
    }
    ops->mem_free(ctx, &m);
}

static void differ_finds_the_first_byte(void)
{
    static const size_t places[] = {0, 1, 4095, BYTES / 2 + 3, BYTES - 101, BYTES - 1};
    struct mem a = alloc(MEM_INPUT, BYTES), b = alloc(MEM_PRIVATE, BYTES);
    int64_t at = 0;

    CHECK(ops->poison(ctx, &a, 0, BYTES, KEY, &err) == 0, "poison");
    CHECK(ops->copy(ctx, &b, 0, &a, 0, BYTES, &err) == 0, "copy");
    CHECK(ops->differ(ctx, &a, &b, BYTES, &at, &err) == 0 && at == -1, "the same: %lld",
          (long long)at);
    for (size_t i = ARRAY_SIZE(places); i-- > 0;) { /* each before the one that is off already */
        unsigned char byte;

        download(&b, places[i], &byte, 1);
        byte ^= 1;
        upload(&b, places[i], &byte, 1);
        CHECK(ops->differ(ctx, &a, &b, BYTES, &at, &err) == 0 && at == (int64_t)places[i],
              "place %zu: %lld", places[i], (long long)at);
    }
    ops->mem_free(ctx, &a);
    ops->mem_free(ctx, &b);
}

/* ---- compare ---- */

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool near(double a, double b)
{
    return same(a, b) || fabs(a - b) <= 1e-12 * fabs(b);
}

/* A device squares quotients in float: each within 2^-20, or lost below float's range. */
static bool near_squares(double a, double b, int64_t n)
{
    return same(a, b) || fabs(a - b) <= 0x1p-19 * fabs(b) + (double)n * 0x1p-126;
}

/* Scales of rows made beforehand change nothing, and the RMS is the host's. */
static void rows_equal(const char *what, enum dtype t, const struct mem *y, const struct mem *got,
                       int64_t n, const struct compare_scale *scale,
                       const struct compare_stats *want)
{
    struct mem rms = alloc(MEM_PRIVATE, 8 + (size_t)n * 8);
    struct compare_stats have;

    if (dtype_is_float(t)) {
        CHECK(ops->row_rms(ctx, y, 256, n, scale->row_len, &rms, 8, &err) == 0, "row sums");
        CHECK(ops->compare(ctx,
                           &(struct device_compare){y, 256, got, 512, t, n, scale, &rms, 8, NULL},
                           &have, &err) == 0 &&
                  (memcmp(&have, want, sizeof(have)) == 0 || isnan(have.got) || isnan(have.want)),
              "%s, %s, n %lld, row %lld: other figures by rows made before", what, dtype_name(t),
              (long long)n, (long long)scale->row_len);
    }
    ops->mem_free(ctx, &rms);
}

static void rms_equals(const double *y, const struct mem *dy, int64_t n)
{
    double want = compare_rms(y, n), have = -1;

    CHECK(ops->rms(ctx, dy, 256, n, &have, &err) == 0 &&
              (near(have, want) || (!isfinite(have) && want > 1e150)),
          "rms of %lld: %.17g, not %.17g", (long long)n, have, want);
}

/* Where an output begins changes nothing, though kernels read pairs where they lie for it. */
static void lies_anywhere(const char *what, enum dtype t, const struct mem *y, const void *got,
                          int64_t n, const struct compare_scale *scale,
                          const struct compare_stats *want)
{
    size_t at = 512 + dtype_size(t), bytes = (size_t)n * dtype_size(t);
    struct mem dgot = alloc(MEM_OUTPUT, at + bytes);
    struct compare_stats have;

    upload(&dgot, at, got, bytes);
    CHECK(ops->compare(ctx, &(struct device_compare){y, 256, &dgot, at, t, n, scale, NULL, 0, NULL},
                       &have, &err) == 0 &&
              (memcmp(&have, want, sizeof(have)) == 0 || isnan(have.got) || isnan(have.want)),
          "%s, %s, n %lld, row %lld: other figures at another place", what, dtype_name(t),
          (long long)n, (long long)scale->row_len);
    ops->mem_free(ctx, &dgot);
}

/* The same one beside a comparison and alone, wherever the output lies. */
static void prints_equal(const char *what, enum dtype t, const struct mem *y, const struct mem *got,
                         int64_t n, const struct compare_scale *scale)
{
    struct fingerprint beside = {.key = KEY}, alone = {.key = KEY}, aside = {.key = KEY};
    size_t at = 512 + dtype_size(t), bytes = (size_t)n * dtype_size(t);
    struct mem moved = alloc(MEM_OUTPUT, at + bytes);
    struct compare_stats stats;

    CHECK(ops->compare(ctx,
                       &(struct device_compare){y, 256, got, 512, t, n, scale, NULL, 0, &beside},
                       &stats, &err) == 0 &&
              ops->fingerprint(ctx, got, 512, t, n, &alone, &err) == 0 &&
              ops->copy(ctx, &moved, at, got, 512, bytes, &err) == 0 &&
              ops->fingerprint(ctx, &moved, at, t, n, &aside, &err) == 0,
          "fingerprint");
    CHECK(memcmp(&beside, &alone, sizeof(alone)) == 0 && memcmp(&aside, &alone, sizeof(alone)) == 0,
          "%s, %s, n %lld: fingerprints differ", what, dtype_name(t), (long long)n);
    ops->mem_free(ctx, &moved);
}

static void compare_equals(const char *what, enum dtype t, const void *y, const void *got,
                           int64_t n, struct compare_scale scale)
{
    struct mem dy = alloc(MEM_PRIVATE, 256 + (size_t)n * 8);
    struct mem dgot = alloc(MEM_OUTPUT, 512 + (size_t)n * dtype_size(t));
    struct compare_stats want, have, again;

    upload(&dy, 256, y, (size_t)n * 8);
    upload(&dgot, 512, got, (size_t)n * dtype_size(t));
    compare_output(t, y, got, n, &scale, &want);
    if (dtype_is_float(t))
        rms_equals(y, &dy, n);
    CHECK(ops->compare(ctx,
                       &(struct device_compare){&dy, 256, &dgot, 512, t, n, &scale, NULL, 0, NULL},
                       &have, &err) == 0 &&
              ops->compare(
                  ctx, &(struct device_compare){&dy, 256, &dgot, 512, t, n, &scale, NULL, 0, NULL},
                  &again, &err) == 0,
          "compare");
    CHECK(
        have.count == want.count && have.max == want.max && have.max_at == want.max_at &&
            same(have.got, want.got) && same(have.want, want.want) &&
            have.n_nonfinite == want.n_nonfinite && have.first_nonfinite == want.first_nonfinite &&
            have.n_unequal == want.n_unequal && have.first_unequal == want.first_unequal &&
            near_squares(have.sum_sq, want.sum_sq, n),
        "%s, %s, n %lld, row %lld: max %.17g at %lld, not %.17g at %lld; sum %.17g, not %.17g; "
        "nonfinite %lld from %lld, not %lld from %lld; unequal %lld from %lld, not %lld from %lld",
        what, dtype_name(t), (long long)n, (long long)scale.row_len, have.max,
        (long long)have.max_at, want.max, (long long)want.max_at, have.sum_sq, want.sum_sq,
        (long long)have.n_nonfinite, (long long)have.first_nonfinite, (long long)want.n_nonfinite,
        (long long)want.first_nonfinite, (long long)have.n_unequal, (long long)have.first_unequal,
        (long long)want.n_unequal, (long long)want.first_unequal);
    CHECK(memcmp(&have, &again, sizeof(have)) == 0 || isnan(have.got) || isnan(have.want),
          "%s: twice the same, other figures", what);
    rows_equal(what, t, &dy, &dgot, n, &scale, &have);
    prints_equal(what, t, &dy, &dgot, n, &scale);
    if (n > 0 && n < 50000)
        lies_anywhere(what, t, &dy, got, n, &scale, &have);
    CHECK(n == 0 ||
              ops->compare(
                  ctx, &(struct device_compare){&dy, 264, &dgot, 512, t, n, &scale, NULL, 0, NULL},
                  &have, &err) < 0,
          "%s: past the end", what);
    ops->mem_free(ctx, &dy);
    ops->mem_free(ctx, &dgot);
}

/* What can go wrong in an output, planted at a random place now and then. */
enum plant { HONEST, ONE_ERROR, NANS, INFINITE_Y, HUGE_Y, ZERO_ROWS, EQUAL, PLANTS };
static const char *const plant_names[] = {"honest", "one error", "nans", "infinite y",
                                          "huge y", "zero rows", "equal"};

static void plant(enum plant what, enum dtype t, double *y, char *got, int64_t n)
{
    size_t size = dtype_size(t);

    for (int64_t i = 0; i < n; i++) {
        struct philox r = law_draw(KEY, i, LAW_STREAM_SECOND);
        bool here = r.v[0] % 97 == 0;

        if (what == ONE_ERROR && i == n / 3)
            dtype_store(t, got + (size_t)i * size, y[i] * 1.5 + 0.25);
        else if (what == NANS && here)
            dtype_store(t, got + (size_t)i * size, r.v[1] % 2 ? NAN : INFINITY);
        else if (what == INFINITE_Y && here)
            y[i] = r.v[1] % 3 == 0 ? NAN : r.v[1] % 3 == 1 ? INFINITY : -INFINITY;
        else if (what == HUGE_Y && here)
            y[i] = r.v[1] % 2 ? 1e200 : -1.7e308;
        else if (what == ZERO_ROWS && i / 1000 % 2)
            y[i] = 0;
        else if (what == EQUAL)
            y[i] = dtype_load(t, got + (size_t)i * size);
        /* Infinity where infinity is expected is right. */
        if (what == INFINITE_Y && here && r.v[2] % 2)
            dtype_store(t, got + (size_t)i * size, y[i]);
        if (what == ZERO_ROWS && i / 1000 % 2 && r.v[0] % 1009)
            dtype_store(t, got + (size_t)i * size, 0);
    }
}

static void reals_compare(enum dtype t, enum plant what, int64_t n, int64_t row_len)
{
    struct law law = {LAW_SPREAD, 0, 0, 0};
    struct shape shape = {2, {row_len ? n / row_len : 1, row_len ? row_len : n}};
    AUTO(freep) double *y = malloc((size_t)n * 8 + 8);
    AUTO(freep) char *got = malloc((size_t)n * dtype_size(t) + 8);
    struct compare_scale scale = {row_len, 0, 0};

    fill_tensor(&law, KEY, DT_F64, &shape, y);
    dtype_from_f64(t, y, got, n);
    plant(what, t, y, got, n);
    scale.pooled_rms = row_len ? 0 : compare_rms(y, n);
    scale.floor = 0x1p-20 * compare_rms(y, n);
    compare_equals(plant_names[what], t, y, got, n, scale);
    scale.floor = what == HONEST ? NAN : 0;
    compare_equals(plant_names[what], t, y, got, n, scale);
}

static void compare_is_the_hosts(void)
{
    static const struct {
        int64_t n, row_len;
    } cases[] = {
        {0, 0},
        {1, 0},
        {1, 1},
        {15, 0},
        {4096, 0},
        {4097, 17},
        {33 * 65, 65},
        {6000, 1},
        {5 * 4095, 4095},
        {12288, 4096},
        {3 * 4097, 4097},
        {20 * 999, 999},
        {65535 * 2, 65535},
        {65536 * 2, 65536},
        {100003 * 3, 100003},
        {1000000, 16},
        {1000001, 0},
    };

    for (int t = 0; t < DT_COUNT; t++) {
        for (size_t i = 0; dtype_is_float(t) && i < ARRAY_SIZE(cases); i++) {
            for (int what = 0; what < PLANTS; what++) {
                /* The long ones in one type with everything, in the others with the essential. */
                if (cases[i].n < 50000 || t == DT_F32 || what == NANS)
                    reals_compare(t, what, cases[i].n, cases[i].row_len);
            }
        }
    }
}

/* Outputs of which many elements come close to the maximum, or that floats have no room for. */
enum hard {
    EQUAL_MAXIMA,
    RISING,
    FALLING,
    CLOSE,
    BEYOND_FLOATS,
    SMALL_ERRORS,
    NO_NUMBERS,
    ONLY_ZEROS,
    HARDS
};
static const char *const hard_names[] = {"equal maxima", "rising",        "falling",
                                         "close",        "beyond floats", "small errors",
                                         "no numbers",   "only zeros"};

/* Element i of n, in units of the output. */
static void hard_element(enum hard what, int64_t i, int64_t n, double *ret_y, double *ret_got)
{
    struct philox r = law_draw(KEY, i, LAW_STREAM_SECOND);
    double y = 1 + r.v[0] % 4, part = 0;

    switch (what) {
    case EQUAL_MAXIMA: /* not by the first threads, and everywhere behind */
        part = i > n / 3 && r.v[1] % 5 == 0 ? 0x1p-8 : 0x1p-9;
        break;
    case RISING:
        part = (double)(i + 1) * 0x1p-23;
        break;
    case FALLING:
        part = (double)(n - i) * 0x1p-23;
        break;
    case CLOSE: /* in float the larger of two ratios is the smaller one */
        y = 1;
        part = r.v[1] % 64 ? 0x1p-9 : 0x1p-8 * (1 + 1.9 * 0x1p-23);
        if (i > n / 2 && r.v[1] % 128 == 0) {
            y = 1 + 0.51 * 0x1p-23;
            part = 0x1p-8 * (1 + 1.98 * 0x1p-23);
        }
        break;
    case BEYOND_FLOATS: /* squares, or the ratios themselves */
        part = r.v[1] % 3000 ? 0x1p-8 : r.v[1] % 2 ? 0x1p70 : 0x1p100;
        break;
    case SMALL_ERRORS:
        y *= 0x1p-30;
        part = r.v[1] % 300 ? 0 : 0x1p-23 * (r.v[1] % 2 ? 1 : 2);
        break;
    case NO_NUMBERS:
        part = r.v[1] % 700 == 0 ? NAN : 0x1p-8;
        y = r.v[1] % 500 == 0 ? NAN : r.v[1] % 500 == 1 ? INFINITY : y;
        break;
    default:
        y = 0;
    }
    *ret_y = y;
    *ret_got = y * (1 + part);
}

static void hard_compare(enum dtype t, enum hard what, int64_t n, int64_t row_len, double unit,
                         double low)
{
    AUTO(freep) double *y = malloc((size_t)n * 8);
    AUTO(freep) char *got = malloc((size_t)n * dtype_size(t));
    struct compare_scale scale = {row_len, low, 0};

    for (int64_t i = 0; i < n; i++) {
        double value;

        hard_element(what, i, n, &y[i], &value);
        y[i] *= unit;
        dtype_store(t, got + (size_t)i * dtype_size(t), value * unit);
    }
    compare_equals(hard_names[what], t, y, got, n, scale);
}

#define CHUNKS(n) ((int64_t)(n)*CUDA_COMPARE_BLOCKS * CUDA_COMPARE_CHUNK)

/* A maximum is the host's to the bit and at the same place, though few elements are divided with
 * that care. */
static void maxima_are_the_hosts(void)
{
    static const int64_t rows[] = {0, 16, 1000, 5000};
    static const struct {
        double unit, low;
    } scales[] = {
        {1, 0},
        {1, 1.5},
        {1, 0x1p-99},
        {1, 0x1p-101},
        {1, 0x1p-127},
        {1, 0x1p-140},
        {1, 1e-300},
        {1e-37, 2e-37},
        {1, 0x1p90},
        {0x1p-1030, 0x1p-1030},
        {0x1p-1000, 0x1p-1024},
        {0x1p1000, 0x1p1023},
        {0x1p1000, 0x1.8p1022},
    };

    for (int what = 0; what < HARDS; what++) {
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
            hard_compare(DT_F32, what, 40000, rows[i], 1, 1);
            hard_compare(DT_F64, what, 40000, rows[i], 0x1p-300, 0x1p-301);
        }
        for (size_t i = 0; i < ARRAY_SIZE(scales); i++)
            hard_compare(DT_F64, what, 9000, 0, scales[i].unit, scales[i].low);
    }
    /* More than a chunk for each block: its threads hear of each other's. */
    hard_compare(DT_F64, CLOSE, CHUNKS(2), 0, 1, 1);
    hard_compare(DT_F64, EQUAL_MAXIMA, CHUNKS(2), 0, 1, 1);
}

/* Errors below 2^-100 of the scale may count as none, but always the same ones. */
static void tiny_errors_are_nearly_none(void)
{
    enum { N = 40000 };
    struct mem dy = alloc(MEM_PRIVATE, N * 8), dgot = alloc(MEM_OUTPUT, N * 8);
    AUTO(freep) double *y = malloc(N * 8), *got = malloc(N * 8);
    struct compare_scale scale = {0, 1, 0};
    struct compare_stats first, have;

    for (int64_t i = 0; i < N; i++) {
        y[i] = 0x1p-60;
        got[i] = y[i] * (1 + 0x1p-52 * (double)(law_draw(KEY, i, LAW_STREAM_SECOND).v[0] % 2048));
    }
    upload(&dy, 0, y, N * 8);
    upload(&dgot, 0, got, N * 8);
    for (int i = 0; i < 8; i++) {
        CHECK(ops->compare(
                  ctx, &(struct device_compare){&dy, 0, &dgot, 0, DT_F64, N, &scale, NULL, 0, NULL},
                  &have, &err) == 0,
              "compare");
        CHECK(have.max < 0x1p-100 && have.max_at >= 0 && have.n_nonfinite == 0, "max %g at %lld",
              have.max, (long long)have.max_at);
        CHECK(i == 0 || memcmp(&have, &first, sizeof(have)) == 0, "other figures the next time");
        first = have;
    }
    ops->mem_free(ctx, &dy);
    ops->mem_free(ctx, &dgot);
}

static void integers_compare(enum dtype t, int64_t n, int64_t every)
{
    struct law law = {t == DT_BOOL ? LAW_BERNOULLI : LAW_INTS, t == DT_BOOL ? 0.5 : 0, 100, 0};
    struct shape shape = {1, {n}};
    size_t size = dtype_size(t);
    AUTO(freep) int64_t *y = malloc((size_t)n * 8 + 8);
    AUTO(freep) char *got = malloc((size_t)n * size + 8);
    struct compare_scale scale = {0, 0, 0};

    fill_tensor(&law, KEY, t, &shape, got);
    dtype_to_i64(t, got, y, n);
    for (int64_t i = every; every && i < n; i += every)
        got[(size_t)i * size] ^= t == DT_BOOL ? (i / every % 2 ? 1 : 2) : 1;
    compare_equals("integers", t, y, got, n, scale);
}

static void integers_are_compared(void)
{
    static const int64_t counts[] = {0, 1, 100, 4097, 300001}, every[] = {0, 1, 7, 5000};

    for (int t = 0; t < DT_COUNT; t++) {
        for (size_t i = 0; !dtype_is_float(t) && i < ARRAY_SIZE(counts); i++) {
            for (size_t k = 0; k < ARRAY_SIZE(every); k++)
                integers_compare(t, counts[i], every[k]);
        }
    }
}

static void flush_changes_nothing(void)
{
    struct mem a = alloc(MEM_INPUT, 4097), b = alloc(MEM_OUTPUT, 1);
    struct mem *both[] = {&a, &b};
    int64_t at = 0;

    CHECK(ops->poison(ctx, &a, 0, 4097, KEY, &err) == 0, "poison");
    CHECK(ops->flush(ctx, both, 2, &err) == 0 && ops->flush(ctx, both, 0, &err) == 0, "flush");
    CHECK(ops->poison_check(ctx, &a, 0, 4097, KEY, &at, &err) == 0 && at == -1, "changed");
    ops->mem_free(ctx, &a);
    ops->mem_free(ctx, &b);
}

/* ---- how long things take: shown, not judged ---- */

static void show(const char *what, uint64_t start_ns, double bytes)
{
    double ms = clock_ms_since(start_ns);

    printf("%-28s %8.3f ms %8.0f GB/s\n", what, ms, bytes / ms / 1e6);
}

static void speed(void)
{
    struct shape shape = {2, {4096, 100000}}; /* 1.6 GB of f32 */
    int64_t n = shape_count(&shape);
    double x_bytes = 4.0 * (double)n, y_bytes = 8.0 * (double)n;
    struct law spread = {LAW_SPREAD, 0, 0, 0}, uniform = {LAW_UNIFORM, 0, 1, 0};
    struct compare_scale rows = {100000, 0, 0}, pooled = {0, 1, 0};
    struct fingerprint print = {.key = KEY};
    struct mem x = MEM_INIT, y = MEM_INIT;
    struct compare_stats stats;
    int64_t at = 0;

    if (ops->mem_alloc(ctx, MEM_OUTPUT, (size_t)n * 4, &x, &err) == 0 &&
        ops->mem_alloc(ctx, MEM_PRIVATE, (size_t)n * 8, &y, &err) == 0) {
        for (int i = 0; i < 2; i++) { /* the second time is the one to read */
            uint64_t start = clock_ns();

#define TIMED(what, bytes, call) \
    start = clock_ns();          \
    CHECK(call == 0, what);      \
    if (i)                       \
        show(what, start, bytes);
            TIMED("fill spread f64", y_bytes,
                  ops->fill(ctx, &(struct device_fill){&y, 0, &spread, KEY, DT_F64, &shape}, &err))
            TIMED("fill uniform f32", x_bytes,
                  ops->fill(ctx, &(struct device_fill){&x, 0, &uniform, KEY, DT_F32, &shape}, &err))
            TIMED("fill spread f32", x_bytes,
                  ops->fill(ctx, &(struct device_fill){&x, 0, &spread, KEY, DT_F32, &shape}, &err))
            TIMED("compare f32, rows", x_bytes + 2 * y_bytes,
                  ops->compare(
                      ctx, &(struct device_compare){&y, 0, &x, 0, DT_F32, n, &rows, NULL, 0, NULL},
                      &stats, &err))
            TIMED("compare f32, pooled", x_bytes + y_bytes,
                  ops->compare(
                      ctx,
                      &(struct device_compare){&y, 0, &x, 0, DT_F32, n, &pooled, NULL, 0, NULL},
                      &stats, &err))
            TIMED("fingerprint f32", x_bytes, ops->fingerprint(ctx, &x, 0, DT_F32, n, &print, &err))
            TIMED("poison", x_bytes, ops->poison(ctx, &x, 0, (size_t)n * 4, KEY, &err))
            TIMED("poison check", x_bytes,
                  ops->poison_check(ctx, &x, 0, (size_t)n * 4, KEY, &at, &err))
            TIMED("copy", 2 * x_bytes, ops->copy(ctx, &y, 0, &x, 0, (size_t)n * 4, &err))
            TIMED("flush", 0, ops->flush(ctx, NULL, 0, &err))
            TIMED("compare of 4096", 0,
                  ops->compare(
                      ctx,
                      &(struct device_compare){&y, 0, &x, 0, DT_F32, 4096, &pooled, NULL, 0, NULL},
                      &stats, &err))
            TIMED("poison of 4096", 0, ops->poison(ctx, &x, 0, 4096, KEY, &err))
            TIMED("poison check of 4096", 0, ops->poison_check(ctx, &x, 0, 4096, KEY, &at, &err))
#undef TIMED
        }
    }
    ops->mem_free(ctx, &x);
    ops->mem_free(ctx, &y);
}

/* ---- rates ---- */

/* More than the datasheet's (boost clocks allow a little) would say that the work is counted wrong,
 * a small part of it that the kernel is poor. */
static void check_rate(const char *what, double measured, double stated)
{
    if (measured <= 0 || stated <= 0)
        return;
    printf("  %-12s %10.4g of %10.4g: %.2f\n", what, measured, stated, measured / stated);
    CHECK(measured < 1.1 * stated, "%s is above the datasheet's", what);
    CHECK(measured > 0.4 * stated, "%s is far below the datasheet's", what);
}

static void rates_are_what_the_datasheet_allows(void)
{
    AUTO(hardware_release) struct hardware_list known = HARDWARE_LIST_INIT;
    AUTO(freep) char *share = fs_share_dir();
    struct device_rates rates = {.partial = true};
    struct device_info info = {.name = ""};
    uint64_t start = clock_ns();

    CHECK(ops->rates(ctx, &rates, &err) == 0, "rates");
    printf("rates in %.0f ms%s\n", clock_ms_since(start), rates.partial ? ", no cuBLASLt" : "");
    CHECK(rates.read_bytes_s > 1e10 && rates.flops_s[ARITH_FP32] > 1e11, "too slow to be true");
    CHECK(ops->describe(ctx, &info, &err) == 0, "describe");
    CHECK(hardware_load(share, &known, &err) == 0, "hardware tables");

    const struct hardware *hw = hardware_find(&known, info.name);

    if (!hw) {
        printf("  no datasheet of %s\n", info.name);
        return;
    }
    check_rate("read", rates.read_bytes_s, hw->bytes_s);
    for (int a = 0; a < ARITH_COUNT; a++)
        check_rate(arith_names[a], rates.flops_s[a], hw->flops_s[a]);
}

int main(int argc, char **argv)
{
    static void (*const tests[])(void) = {
        describes_itself,
        memory_comes_and_goes,
        nothing_is_left_behind,
        shared_memory_starts_empty,
        copy_stays_inside,
        descriptor_is_importable,
        fill_is_the_tensors_fill,
        poison_is_the_hosts,
        peek_sees_what_is_there,
        poison_shows_one_changed_byte,
        differ_finds_the_first_byte,
        compare_is_the_hosts,
        maxima_are_the_hosts,
        tiny_errors_are_nearly_none,
        integers_are_compared,
        flush_changes_nothing,
    };
    const char *why = "", *how = argc > 1 ? argv[1] : "";
    bool emulated = !strcmp(how, "emulated");
    uint64_t start = clock_ns();

    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!emulated && device_cuda.probe(&why) <= 0) {
        printf("skipped: %s\n0 passed, 0 failed, 1 skipped\n", why);
        return 77;
    }
    if (ops->open(0, &ctx, &err) < 0) {
        printf("FAILED open: %s\n0 passed, 1 failed, 0 skipped\n", err.text);
        return 1;
    }
    printf("opened in %.0f ms\n", clock_ms_since(start));
    for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
        tests[i]();
    if (!emulated)
        rates_are_what_the_datasheet_allows();
    if (!strcmp(how, "speed"))
        speed();
    ops->close(ctx);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
