/* SPDX-License-Identifier: MIT */
/*
 * Frames as bytes, field by field and little-endian:
 *
 *   u32 magic, u16 version, u16 type, u32 payload length, payload
 *
 * Each value has one encoding only (flags are 0 or 1, texts carry their length and no NUL, a tensor
 * has exactly rank dimensions), so a frame that decodes is the frame that encoding gives back. The
 * fuzzer checks that.
 */
#include "wire/wire.h"

#include <assert.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEADER_BYTES 12
#define OFFSET_ALIGN 256
#define TENSOR_MIN_BYTES 10 /* a scalar has this many, with no dimensions */

struct frame_reader {
    const unsigned char *at;
    size_t left;
    bool bad; /* sticky: a field was missing or had no valid value */
};

static const unsigned char *take(struct frame_reader *r, size_t n)
{
    static const unsigned char zeros[8];
    const unsigned char *p = r->at;

    if (r->left < n) {
        r->bad = true;
        r->left = 0;
        return zeros;
    }
    r->at += n;
    r->left -= n;
    return p;
}

static uint64_t get_uint(struct frame_reader *r, size_t bytes)
{
    const unsigned char *p = take(r, bytes);
    uint64_t v = 0;

    for (size_t i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

static uint64_t get_below(struct frame_reader *r, size_t bytes, uint64_t limit)
{
    uint64_t v = get_uint(r, bytes);

    if (v >= limit) {
        r->bad = true;
        return 0;
    }
    return v;
}

static void get_text(struct frame_reader *r, char *out, size_t out_size)
{
    size_t len = get_below(r, 2, out_size);

    if (r->left < len || memchr(r->at, '\0', len)) {
        r->bad = true;
        len = 0;
    }
    memcpy(out, r->at, len);
    out[len] = '\0';
    r->at += len;
    r->left -= len;
}

static void put_uint(struct buf *out, uint64_t v, size_t bytes)
{
    uint64_t le = htole64(v);

    buf_add(out, &le, bytes);
}

static void put_text(struct buf *out, const char *s, size_t size)
{
    size_t len = strnlen(s, size - 1);

    put_uint(out, len, 2);
    buf_add(out, s, len);
}

static void put_hello(const struct wire_msg *m, struct buf *out)
{
    const struct wire_hello *h = &m->u.hello;

    put_text(out, h->device, sizeof(h->device));
    put_uint(out, (uint32_t)h->index, 4);
    put_uint(out, h->mem_bytes, 8);
    put_uint(out, h->uid, 4);
    put_uint(out, h->require, 1);
    put_uint(out, h->yield, 1);
}

static void get_hello(struct frame_reader *r, struct wire_msg *m)
{
    struct wire_hello *h = &m->u.hello;

    get_text(r, h->device, sizeof(h->device));
    h->index = (int32_t)get_below(r, 4, (uint64_t)INT32_MAX + 1);
    h->mem_bytes = get_uint(r, 8);
    h->uid = (uint32_t)get_uint(r, 4);
    h->require = (uint8_t)get_below(r, 1, 2);
    h->yield = (uint8_t)get_below(r, 1, 2);
}

static void put_ready(const struct wire_msg *m, struct buf *out)
{
    put_uint(out, m->u.ready.layers, 4);
}

static void get_ready(struct frame_reader *r, struct wire_msg *m)
{
    m->u.ready.layers = (uint32_t)get_uint(r, 4);
}

static void put_bytes(const struct wire_msg *m, struct buf *out)
{
    put_uint(out, m->u.bytes, 8);
}

static void get_bytes(struct frame_reader *r, struct wire_msg *m)
{
    m->u.bytes = get_below(r, 8, (uint64_t)INT64_MAX);
}

static void put_arena(const struct wire_msg *m, struct buf *out)
{
    put_uint(out, m->u.arena.id, 4);
    put_uint(out, m->u.arena.bytes, 8);
    put_uint(out, m->u.arena.read_only, 1);
}

static void get_arena(struct frame_reader *r, struct wire_msg *m)
{
    m->u.arena.id = (uint32_t)get_below(r, 4, WIRE_MAX_ARENAS);
    m->u.arena.bytes = get_below(r, 8, (uint64_t)INT64_MAX);
    m->u.arena.read_only = (uint8_t)get_below(r, 1, 2);
}

static void put_tensor(const struct wire_tensor *t, struct buf *out)
{
    put_uint(out, t->dtype, 1);
    put_uint(out, t->rank, 1);
    put_uint(out, t->offset, 8);
    for (int i = 0; i < t->rank; i++)
        put_uint(out, (uint64_t)t->dim[i], 8);
}

static void get_tensor(struct frame_reader *r, struct wire_tensor *t)
{
    struct shape shape = {0};

    t->dtype = (uint8_t)get_below(r, 1, DT_COUNT);
    t->rank = (uint8_t)get_below(r, 1, SHAPE_MAX_RANK + 1);
    t->offset = get_below(r, 8, (uint64_t)INT64_MAX);
    shape.rank = t->rank;
    for (int i = 0; i < t->rank; i++)
        shape.dim[i] = t->dim[i] = (int64_t)get_uint(r, 8);
    r->bad |= t->offset % OFFSET_ALIGN != 0 || shape_count(&shape) < 0;
}

static void put_size(const struct wire_msg *m, struct buf *out)
{
    const struct wire_size *s = &m->u.size;

    put_uint(out, s->n_in, 4);
    put_uint(out, s->n_out, 4);
    put_uint(out, s->first_param, 4);
    put_uint(out, s->setup_params, 1);
    put_uint(out, s->setup_arena, 4);
    for (uint32_t i = 0; i < s->n_in + s->n_out; i++)
        put_tensor(&s->tensors[i], out);
}

static void get_size(struct frame_reader *r, struct wire_msg *m)
{
    struct wire_size *s = &m->u.size;

    s->n_in = (uint32_t)get_below(r, 4, WIRE_MAX_TENSORS + 1);
    s->n_out = (uint32_t)get_below(r, 4, WIRE_MAX_TENSORS + 1 - s->n_in);
    s->first_param = (uint32_t)get_below(r, 4, (uint64_t)s->n_in + 1);
    s->setup_params = (uint8_t)get_below(r, 1, 2);
    s->setup_arena = (uint32_t)get_below(r, 4, WIRE_MAX_ARENAS);

    uint32_t n = s->n_in + s->n_out;

    if (r->bad || (size_t)n * TENSOR_MIN_BYTES > r->left) {
        r->bad = true;
        return;
    }
    s->tensors = xcalloc(n, sizeof(*s->tensors));
    for (uint32_t i = 0; i < n && !r->bad; i++)
        get_tensor(r, &s->tensors[i]);
}

static void put_fail(const struct wire_msg *m, struct buf *out)
{
    const struct wire_fail *f = &m->u.fail;

    put_uint(out, f->stage, 4);
    put_uint(out, (uint32_t)f->status, 4);
    put_text(out, f->text, sizeof(f->text));
}

static void get_fail(struct frame_reader *r, struct wire_msg *m)
{
    struct wire_fail *f = &m->u.fail;

    f->stage = (uint32_t)get_below(r, 4, WIRE_STAGE_SETUP + 1);
    f->status = (int32_t)(uint32_t)get_uint(r, 4);
    get_text(r, f->text, sizeof(f->text));
}

static void put_note(const struct wire_msg *m, struct buf *out)
{
    put_text(out, m->u.note ? m->u.note : "", WIRE_MAX_NOTE + 1);
}

static void get_note(struct frame_reader *r, struct wire_msg *m)
{
    size_t len = get_below(r, 2, WIRE_MAX_NOTE + 1);
    const char *text = (const char *)r->at;

    if (r->left < len || memchr(text, '\0', len)) {
        r->bad = true;
        return;
    }
    take(r, len);
    m->u.note = len ? xstrndup(text, len) : NULL;
}

static const struct codec {
    const char *name;
    bool fd;
    /* put and get are NULL if there is no payload */
    void (*put)(const struct wire_msg *m, struct buf *out);
    void (*get)(struct frame_reader *r, struct wire_msg *m);
} codecs[] = {
    [WIRE_HELLO] = {"HELLO", false, put_hello, get_hello},
    [WIRE_READY] = {"READY", false, put_ready, get_ready},
    [WIRE_PAGE] = {"PAGE", true, put_bytes, get_bytes},
    [WIRE_ARENA] = {"ARENA", true, put_arena, get_arena},
    [WIRE_SIZE] = {"SIZE", false, put_size, get_size},
    [WIRE_LOAD] = {"LOAD", true, put_bytes, get_bytes},
    [WIRE_SETUP] = {"SETUP", false, NULL, NULL},
    [WIRE_START] = {"START", false, NULL, NULL},
    [WIRE_OK] = {"OK", false, put_note, get_note},
    [WIRE_FAIL] = {"FAIL", false, put_fail, get_fail},
    [WIRE_WARM] = {"WARM", false, NULL, NULL},
    [WIRE_SWEEP] = {"SWEEP", true, put_bytes, get_bytes},
};

const char *wire_type_name(enum wire_type t)
{
    return (unsigned)t < ARRAY_SIZE(codecs) ? codecs[t].name : NULL;
}

bool wire_carries_fd(enum wire_type t)
{
    return (unsigned)t < ARRAY_SIZE(codecs) && codecs[t].fd;
}

void wire_size_release(struct wire_size *s)
{
    free(s->tensors);
    *s = (struct wire_size){0};
}

void wire_msg_release(struct wire_msg *m)
{
    fd_closep(&m->fd);
    if (m->type == WIRE_SIZE)
        wire_size_release(&m->u.size);
    if (m->type == WIRE_OK)
        freep(&m->u.note);
}

void wire_encode(const struct wire_msg *m, struct buf *out)
{
    AUTO(buf_release) struct buf payload = BUF_INIT;

    assert(wire_type_name(m->type));
    if (codecs[m->type].put)
        codecs[m->type].put(m, &payload);
    put_uint(out, WIRE_MAGIC, 4);
    put_uint(out, WIRE_VERSION, 2);
    put_uint(out, m->type, 2);
    put_uint(out, payload.len, 4);
    buf_add(out, payload.ptr, payload.len);
}

static int decode_header(struct frame_reader *r, enum wire_type *ret_type, struct err *err)
{
    if (r->left < HEADER_BYTES)
        return fail(err, ERR_SYSTEM, "frame of %zu bytes is shorter than its header", r->left);
    if (get_uint(r, 4) != WIRE_MAGIC)
        return fail(err, ERR_SYSTEM, "not a frame of ours: wrong magic number");

    unsigned version = (unsigned)get_uint(r, 2), type = (unsigned)get_uint(r, 2);
    size_t len = get_uint(r, 4);

    if (version != WIRE_VERSION)
        return fail(
            err, ERR_SYSTEM,
            "protocol version %u, wanted %d: assay and assay-runner are of different builds",
            version, WIRE_VERSION);
    if (!wire_type_name(type))
        return fail(err, ERR_SYSTEM, "unknown frame type %u", type);
    if (len != r->left)
        return fail(err, ERR_SYSTEM, "%s frame says %zu bytes of payload and has %zu",
                    wire_type_name(type), len, r->left);
    *ret_type = type;
    return 0;
}

int wire_decode(const void *frame, size_t len, struct wire_msg *ret, struct err *err)
{
    struct frame_reader r = {frame, len, false};
    struct wire_msg m = WIRE_MSG_INIT(0);

    if (len > WIRE_MAX_FRAME)
        return fail(err, ERR_SYSTEM, "frame of more than %d bytes", WIRE_MAX_FRAME);
    if (decode_header(&r, &m.type, err) < 0)
        return -1;
    if (codecs[m.type].get)
        codecs[m.type].get(&r, &m);
    if (r.bad || r.left) {
        fail(err, ERR_SYSTEM, "malformed %s frame: %s", wire_type_name(m.type),
             r.bad ? "a field is missing or out of range" : "bytes left over");
        wire_msg_release(&m);
        return -1;
    }
    *ret = m;
    return 0;
}
