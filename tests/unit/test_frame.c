/* SPDX-License-Identifier: MIT */
/* Frames as bytes: what is written is read back, and nothing else is taken for a frame. */
#include "wire_rig.h"

#include "base/fs.h"
#include "wire/wire.h"

#include <stdlib.h>
#include <string.h>

#define HEADER_BYTES 12

static int decode(const void *frame, size_t len)
{
    /* On the heap and of exactly this size, so that a sanitizer sees one byte too far. */
    AUTO(freep) char *copy = malloc(len ? len : 1);
    struct wire_msg m = WIRE_MSG_INIT(0);
    struct err err = ERR_INIT;

    memcpy(copy, frame, len);

    int rc = wire_decode(copy, len, &m, &err);

    assert_int_equal(rc < 0, err.text[0] != '\0');
    wire_msg_release(&m);
    return rc;
}

static void round_trip(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
        AUTO(buf_release) struct buf a = encoded(&samples[i]);
        struct wire_msg m = WIRE_MSG_INIT(0);
        struct err err = ERR_INIT;

        assert_int_equal(wire_decode(a.ptr, a.len, &m, &err), 0);
        assert_int_equal(m.type, samples[i].type);
        assert_int_equal(m.fd, -1);

        AUTO(buf_release) struct buf b = encoded(&m);

        assert_int_equal(a.len, b.len);
        assert_memory_equal(a.ptr, b.ptr, a.len);
        wire_msg_release(&m);
    }
}

static void fields_arrive(void **state)
{
    AUTO(buf_release) struct buf hello = encoded(&samples[0]), size = encoded(&samples[4]);
    AUTO(buf_release) struct buf failed = encoded(&samples[9]);
    struct wire_msg m = WIRE_MSG_INIT(0);
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(wire_decode(hello.ptr, hello.len, &m, &err), 0);
    assert_string_equal(m.u.hello.device, "cuda");
    assert_int_equal(m.u.hello.index, 3);
    assert_int_equal(m.u.hello.mem_bytes, 1ull << 40);
    assert_int_equal(m.u.hello.uid, 65534);
    assert_int_equal(m.u.hello.require, 1);
    assert_int_equal(m.u.hello.yield, 1);

    assert_int_equal(wire_decode(failed.ptr, failed.len, &m, &err), 0);
    assert_int_equal(m.u.fail.stage, WIRE_STAGE_SETUP);
    assert_int_equal(m.u.fail.status, -7);
    assert_string_equal(m.u.fail.text, "assay_setup returned -7");

    assert_int_equal(wire_decode(size.ptr, size.len, &m, &err), 0);
    assert_int_equal(m.u.size.n_in, 3);
    assert_int_equal(m.u.size.n_out, 1);
    assert_int_equal(m.u.size.first_param, 2);
    assert_int_equal(m.u.size.setup_params, 1);
    assert_int_equal(m.u.size.setup_arena, 63);
    assert_memory_equal(m.u.size.tensors, tensors, sizeof(tensors));
    wire_msg_release(&m);
}

/* The layout is part of the protocol: bytes on the wire, not a struct of this compiler. */
static void bytes_are_fixed(void **state)
{
    static const unsigned char want[] = {'A', 'S', 'A', 'Y', 5, 0, WIRE_ARENA, 0, 13, 0, 0, 0, 63,
                                         0,   0,   0,   0,   0, 0, 0,          8, 0,  0, 0, 1};
    AUTO(buf_release) struct buf b = encoded(&samples[3]);

    (void)state;
    assert_int_equal(b.len, sizeof(want));
    assert_memory_equal(b.ptr, want, sizeof(want));
}

static void every_truncation_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
        AUTO(buf_release) struct buf b = encoded(&samples[i]);

        for (size_t len = 0; len < b.len; len++) {
            assert_int_equal(decode(b.ptr, len), -1);
            if (len < HEADER_BYTES)
                continue;

            /* and again with a header that agrees with what is left */
            AUTO(buf_release) struct buf cut = BUF_INIT;

            buf_add(&cut, b.ptr, len);
            cut.ptr[8] = (char)(len - HEADER_BYTES);
            cut.ptr[9] = (char)((len - HEADER_BYTES) >> 8);
            assert_int_equal(decode(cut.ptr, cut.len), -1);
        }
    }
}

static void trailing_bytes_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
        AUTO(buf_release) struct buf b = encoded(&samples[i]);

        buf_addch(&b, 0);
        assert_int_equal(decode(b.ptr, b.len), -1);
        b.ptr[8]++;
        assert_int_equal(decode(b.ptr, b.len), -1);
    }
}

/* A flipped bit is refused or means another frame: never the same one twice. */
static void flipped_bits(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
        AUTO(buf_release) struct buf b = encoded(&samples[i]);

        for (size_t bit = 0; bit < b.len * 8; bit++) {
            struct wire_msg m = WIRE_MSG_INIT(0);
            struct err err = ERR_INIT;

            b.ptr[bit / 8] ^= (char)(1 << bit % 8);
            if (wire_decode(b.ptr, b.len, &m, &err) == 0) {
                AUTO(buf_release) struct buf again = encoded(&m);

                assert_int_equal(again.len, b.len);
                assert_memory_equal(again.ptr, b.ptr, b.len);
                wire_msg_release(&m);
            } else {
                assert_true(err.text[0]);
            }
            b.ptr[bit / 8] ^= (char)(1 << bit % 8);
        }
    }
}

/* One number changed in a good frame; offsets count from its start. */
static void bad_values_are_refused(void **state)
{
    static const struct {
        int sample;
        size_t at, bytes;
        uint64_t value;
        const char *error;
    } cases[] = {
        {0, 0, 4, 0x12345678, "magic"},
        {0, 4, 2, WIRE_VERSION + 1, "protocol version 6, wanted 5"},
        {0, 4, 2, 0, "protocol version 0"},
        {0, 6, 2, 0, "unknown frame type 0"},
        {0, 6, 2, WIRE_SWEEP + 1, "unknown frame type 13"},
        {0, 6, 2, 0xffff, "unknown frame type 65535"},
        {0, 8, 4, 0xffffffff, "bytes of payload"},
        {0, 12, 2, 0xffff, "HELLO"},     /* length of the device's name */
        {0, 12, 2, 32, "HELLO"},         /* no room for its NUL */
        {0, 14, 1, 0, "HELLO"},          /* NUL inside */
        {0, 18, 4, 0x80000000, "HELLO"}, /* index < 0 */
        {0, 34, 1, 2, "HELLO"},          /* require: no flag */
        {0, 35, 1, 2, "HELLO"},          /* yield: no flag */
        {3, 12, 4, WIRE_MAX_ARENAS, "ARENA"},
        {3, 16, 8, UINT64_MAX, "ARENA"},
        {3, 24, 1, 2, "ARENA"},
        {4, 12, 4, 0xffffffff, "SIZE"}, /* n_in */
        {4, 12, 4, WIRE_MAX_TENSORS + 1, "SIZE"},
        {4, 12, 4, WIRE_MAX_TENSORS, "SIZE"}, /* + n_out: one too many */
        {4, 12, 4, 4, "SIZE"},                /* one tensor more than there is */
        {4, 16, 4, 0xfffffffd, "SIZE"},       /* n_in + n_out wraps to 0 */
        {4, 20, 4, 4, "SIZE"},                /* first_param > n_in */
        {4, 24, 1, 2, "SIZE"},
        {4, 25, 4, WIRE_MAX_ARENAS, "SIZE"},
        {4, 29, 1, DT_COUNT, "SIZE"},
        {4, 30, 1, SHAPE_MAX_RANK + 1, "SIZE"},
        {4, 30, 1, 3, "SIZE"},   /* a dimension more than there is */
        {4, 31, 8, 255, "SIZE"}, /* offset */
        {4, 31, 8, UINT64_MAX - 255, "SIZE"},
        {4, 39, 8, UINT64_MAX, "SIZE"}, /* dim -1 */
        {4, 39, 8, 1ull << 46, "SIZE"}, /* x 16 elements: over SHAPE_MAX_COUNT */
        {8, 12, 2, 13, "OK"},           /* length of the note */
        {8, 12, 2, 11, "OK"},
        {8, 12, 2, WIRE_MAX_NOTE + 1, "OK"},
        {8, 14, 1, 0, "OK"}, /* NUL inside */
        {9, 12, 4, WIRE_STAGE_SETUP + 1, "FAIL"},
        {9, 20, 2, 1024, "FAIL"},
        {9, 22, 1, 0, "FAIL"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(buf_release) struct buf b = encoded(&samples[cases[i].sample]);
        struct wire_msg m = WIRE_MSG_INIT(0);
        struct err err = ERR_INIT;

        for (size_t k = 0; k < cases[i].bytes; k++)
            b.ptr[cases[i].at + k] = (char)(cases[i].value >> 8 * k);
        if (wire_decode(b.ptr, b.len, &m, &err) == 0)
            fail_msg("case %zu was accepted", i);
        if (!strstr(err.text, cases[i].error))
            fail_msg("case %zu: %s", i, err.text);
        assert_int_equal(m.type, 0); /* untouched on failure */
    }
}

/* An OK frame without a note, and with the longest one. */
static void notes_have_a_limit(void **state)
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    struct wire_msg m = WIRE_MSG_INIT(WIRE_OK), back = WIRE_MSG_INIT(0);
    struct err err = ERR_INIT;

    (void)state;

    AUTO(buf_release) struct buf none = encoded(&m);

    assert_int_equal(wire_decode(none.ptr, none.len, &back, &err), 0);
    assert_null(back.u.note);
    buf_fill(&text, 'x', WIRE_MAX_NOTE + 1);
    m.u.note = text.ptr;

    AUTO(buf_release) struct buf longest = encoded(&m);

    assert_int_equal(wire_decode(longest.ptr, longest.len, &back, &err), 0);
    assert_int_equal(strlen(back.u.note), WIRE_MAX_NOTE);
    wire_msg_release(&back);
}

static void long_texts_are_cut(void **state)
{
    struct wire_msg m = WIRE_MSG_INIT(WIRE_FAIL), back = WIRE_MSG_INIT(0);
    struct err err = ERR_INIT;

    (void)state;
    memset(m.u.fail.text, 'x', sizeof(m.u.fail.text)); /* not even terminated */

    AUTO(buf_release) struct buf b = encoded(&m);

    assert_int_equal(wire_decode(b.ptr, b.len, &back, &err), 0);
    assert_int_equal(strlen(back.u.fail.text), sizeof(m.u.fail.text) - 1);
}

/* The numbers and characters between the braces or brackets that follow `name =`. */
static struct buf bytes_of(const char *source, const char *name)
{
    struct buf b = BUF_INIT;
    const char *at = strstr(source, name);

    at = at ? strchr(at, '=') : NULL;
    at = at ? strpbrk(at, "{[") : NULL;
    while (at && *at && !strchr("}]", *at)) {
        at += 1 + strspn(at + 1, " \n");
        buf_addch(&b, at[0] == '\'' ? at[1] : (char)strtol(at, NULL, 10));
        at += strcspn(at, ",}]");
    }
    return b;
}

/* Attack 91 spoke version 1 of the protocol when the judge spoke 2: its frame was refused for that,
 * and nobody tried what the judge makes of its stage. */
static void forged_frames_are_of_this_version(void **state)
{
    static const char *const files[] = {"cpu/091_forged_failure.c", "cuda/091_forged_failure.cu",
                                        "python/091_forged_failure.py"};
    static const struct wire_msg fail = {WIRE_FAIL, -1, {.fail = {WIRE_STAGE_DEVICE, 0, ""}}};
    AUTO(buf_release) struct buf want = encoded(&fail);
    const char *share = getenv("ASSAY_SHARE");

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        AUTO(freep) char *path = xasprintf("%s/attacks/%s", share ? share : ".", files[i]);
        AUTO(buf_release) struct buf text = BUF_INIT;
        struct err err = ERR_INIT;

        assert_int_equal(fs_read(path, 65536, &text, &err), 0);

        AUTO(buf_release) struct buf forged = bytes_of(buf_str(&text), "frame");

        assert_int_equal(forged.len, want.len);
        assert_memory_equal(forged.ptr, want.ptr, want.len);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(fields_arrive),
        cmocka_unit_test(bytes_are_fixed),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(trailing_bytes_are_refused),
        cmocka_unit_test(flipped_bits),
        cmocka_unit_test(bad_values_are_refused),
        cmocka_unit_test(notes_have_a_limit),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(forged_frames_are_of_this_version),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
