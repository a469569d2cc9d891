/* SPDX-License-Identifier: MIT */
#include "device/cuda/cuda_launch.h"

#include "device/cuda/launch_expr.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const cuda_arg_names[] = {"pointer", "i32", "i64", "f32"};

size_t cuda_arg_size(enum cuda_arg_type t)
{
    return t == CUDA_ARG_I32 || t == CUDA_ARG_F32 ? 4 : 8;
}

/* ---- fields ---- */

struct range {
    const char *what;
    int64_t min, max;
};

/* *known becomes false if the value is not known yet. */
static int value_in(struct launch_parser *p, const struct range *r, unsigned *ret, bool *known)
{
    struct launch_value v;
    const char *at;

    launch_peek(p);
    at = p->at;
    if (launch_sum(p, &v) < 0)
        return -1;
    if (v.fraction)
        return launch_bad(p, at, "not a whole number");
    if (v.known && (v.whole < r->min || v.whole > r->max))
        return launch_bad(p, at, "%s is %" PRId64 ", and has to be %" PRId64 " to %" PRId64,
                          r->what, v.whole, r->min, r->max);
    *ret = (unsigned)v.whole;
    *known = *known && v.known;
    return 0;
}

static int three_values(struct launch_parser *p, const struct range ranges[3], unsigned ret[3],
                        bool *ret_known)
{
    int n = 0;

    ret[0] = ret[1] = ret[2] = 1;
    *ret_known = true;
    do {
        if (n == 3)
            return launch_bad(p, p->at - 1, "more than three values");
        if (value_in(p, &ranges[n], &ret[n], ret_known) < 0)
            return -1;
        n++;
    } while (launch_take(p, ','));
    return 0;
}

static int grid_field(struct launch_parser *p, struct cuda_launch *l)
{
    static const struct range ranges[3] = {
        {"grid x", 1, INT32_MAX}, {"grid y", 1, 65535}, {"grid z", 1, 65535}};
    bool ignored;

    return three_values(p, ranges, l->grid, &ignored);
}

static int block_field(struct launch_parser *p, struct cuda_launch *l)
{
    static const struct range ranges[3] = {
        {"block x", 1, 1024}, {"block y", 1, 1024}, {"block z", 1, 64}};
    const char *at = p->at;
    bool known;

    if (three_values(p, ranges, l->block, &known) < 0)
        return -1;
    if (known && l->block[0] * l->block[1] * l->block[2] > 1024)
        return launch_bad(p, at, "a block of %u threads: 1024 is the limit",
                          l->block[0] * l->block[1] * l->block[2]);
    return 0;
}

static int smem_field(struct launch_parser *p, struct cuda_launch *l)
{
    static const struct range range = {"smem", 0, 1 << 20}; /* the device's own limit is lower */
    bool ignored = true;

    return value_in(p, &range, &l->smem, &ignored);
}

/* Reads in0 or out0 alone; *ret_is: true if it was one, else nothing is read. */
static int pointer_arg(struct launch_parser *p, struct cuda_arg *ret, bool *ret_is)
{
    const char *at = p->at;
    char word[CUDA_LAUNCH_MAX_NAME];
    bool out;
    int index;

    *ret_is = false;
    if (launch_word(p, word) < 0)
        return -1;
    if (!launch_tensor_word(word, &out, &index) || launch_peek(p) == '.') {
        p->at = at;
        return 0;
    }
    *ret_is = true;
    *ret = (struct cuda_arg){CUDA_ARG_POINTER, 0};
    if (!p->call)
        return 0;

    const struct tensor_slot *t = launch_tensor(p, at, out, index);
    char *base = out ? p->call->out_base : p->call->in_base;

    if (!t)
        return -1;
    if (!out && p->call->params_only && index < p->call->first_param)
        base = NULL;
    ret->bits = base ? (uint64_t)(uintptr_t)base + t->offset : 0;
    return 0;
}

static int take_type(struct launch_parser *p, enum cuda_arg_type *ret)
{
    const char *at;
    char word[CUDA_LAUNCH_MAX_NAME];

    if (!launch_take(p, ':'))
        return launch_bad(p, p->at, "a number needs its type after it: :i32, :i64 or :f32");
    at = p->at;
    if (launch_word(p, word) < 0)
        return -1;
    for (int t = CUDA_ARG_I32; t <= CUDA_ARG_F32; t++)
        if (!strcmp(word, cuda_arg_names[t])) {
            *ret = t;
            return 0;
        }
    return launch_bad(p, at, "types are i32, i64 and f32, not '%.40s'", word);
}

static uint64_t float_bits(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof(bits));
    return bits;
}

static int number_arg(struct launch_parser *p, struct cuda_arg *ret)
{
    const char *at = p->at;
    struct launch_value v;

    if (launch_sum(p, &v) < 0 || take_type(p, &ret->type) < 0)
        return -1;
    if (v.fraction && ret->type != CUDA_ARG_F32)
        return launch_bad(p, at, "a fraction can only be passed as f32");
    if (v.known && ret->type == CUDA_ARG_I32 && (v.whole < INT32_MIN || v.whole > INT32_MAX))
        return launch_bad(p, at, "%" PRId64 " does not fit into i32: pass it as i64", v.whole);
    ret->bits = ret->type == CUDA_ARG_F32 ? float_bits((float)v.real) : (uint64_t)v.whole;
    return 0;
}

static int args_field(struct launch_parser *p, struct cuda_launch *l)
{
    do {
        struct cuda_arg *a = &l->args[l->n_args];
        bool is_pointer;

        launch_peek(p);
        if (l->n_args == CUDA_LAUNCH_MAX_ARGS)
            return launch_bad(p, p->at, "more than %d arguments", CUDA_LAUNCH_MAX_ARGS);
        if (pointer_arg(p, a, &is_pointer) < 0 || (!is_pointer && number_arg(p, a) < 0))
            return -1;
        l->n_args++;
    } while (launch_take(p, ','));
    return 0;
}

static const struct field {
    const char *name;
    bool required;
    int (*parse)(struct launch_parser *p, struct cuda_launch *l);
} fields[] = {{"grid", true, grid_field},
              {"block", true, block_field},
              {"smem", false, smem_field},
              {"args", false, args_field}};

static int no_field(struct launch_parser *p, const char *at, const char *word)
{
    /* The last is for a misspelt `launch`: such a line seems to continue the one before. */
    static const char *const names[] = {"grid", "block", "smem", "args", "launch"};
    const char *near = *word ? nearest(word, names, ARRAY_SIZE(names)) : NULL;

    if (near)
        return launch_bad(p, at,
                          "expected grid=, block=, smem= or args=: did you mean '%s' by '%.40s'?",
                          near, word);
    return launch_bad(p, at, "expected grid=, block=, smem= or args=");
}

/* Reads one NAME=..., which must not have been there before. */
static int field(struct launch_parser *p, struct cuda_launch *l, unsigned *seen)
{
    const char *at = p->at;
    char word[CUDA_LAUNCH_MAX_NAME];

    if (launch_word(p, word) < 0)
        return -1;
    for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
        if (strcmp(word, fields[i].name) != 0)
            continue;
        if (*seen & 1u << i)
            return launch_bad(p, at, "a second %s=", word);
        *seen |= 1u << i;
        return launch_expect(p, '=') < 0 ? -1 : fields[i].parse(p, l);
    }
    return no_field(p, at, word);
}

static int launch_name(struct launch_parser *p, char name[CUDA_LAUNCH_MAX_NAME])
{
    char word[CUDA_LAUNCH_MAX_NAME];

    launch_peek(p);
    if (launch_word(p, word) < 0)
        return -1;
    if (strcmp(word, "launch") != 0)
        return launch_bad(p, p->start, "expected 'launch' at the start of the line");
    launch_peek(p);
    if (launch_word(p, name) < 0)
        return -1;
    if (!*name)
        return launch_bad(p, p->at, "expected the name of a kernel after 'launch'");
    if (p->at < p->end && (*p->at == '<' || *p->at == ':'))
        return launch_bad(
            p, p->at,
            "a kernel is named as in extern \"C\", without '%c': call the template or "
            "the class's function from one",
            *p->at);
    return 0;
}

static int whole_line(struct launch_parser *p, struct cuda_launch *ret)
{
    struct cuda_launch l = {.n_args = 0};
    unsigned seen = 0;

    if (p->end - p->start > CUDA_LAUNCH_MAX_LINE)
        return launch_bad(p, p->start + CUDA_LAUNCH_MAX_LINE - 1, "the line is too long");
    if (launch_name(p, l.name) < 0)
        return -1;
    while (launch_peek(p))
        if (field(p, &l, &seen) < 0)
            return -1;
    if (p->at < p->end)
        return launch_bad(p, p->at, "a NUL byte");
    for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
        if (fields[i].required && !(seen & 1u << i))
            return launch_bad(p, p->at, "the line has no %s=", fields[i].name);
    *ret = l;
    return 0;
}

int cuda_launch_parse(const char *line, size_t len, const struct device_call *call,
                      struct cuda_launch *ret, struct err *err)
{
    struct launch_parser p = {
        .start = line, .at = line, .end = line + len, .call = call, .err = err};

    if (whole_line(&p, ret) == 0)
        return 0;
    if (p.bad.line)
        return wrap(err, "line %d, column %d", p.bad.line, p.bad.column);
    return wrap(err, "column %d", p.bad.column);
}

int cuda_launch_check(const char *line, size_t len, struct cuda_launch *ret,
                      struct cuda_place *ret_where, struct err *err)
{
    struct launch_parser p = {.start = line, .at = line, .end = line + len, .err = err};
    int rc = whole_line(&p, ret);

    if (rc < 0)
        *ret_where = p.bad;
    return rc;
}

int cuda_launch_line(const struct cuda_text *line)
{
    return launch_place(line->at, line->at, line->at + line->len).line;
}

/* ---- the artifact ---- */

bool cuda_program_is(const void *bytes, size_t len)
{
    size_t n = strlen(CUDA_LAUNCH_MAGIC);

    return len >= n && !memcmp(bytes, CUDA_LAUNCH_MAGIC, n);
}

static int add_line(struct cuda_program *p, const char *at, size_t len, struct err *err)
{
    struct cuda_launch ignored;

    if (p->n_lines == CUDA_LAUNCH_MAX_LINES)
        return fail(err, ERR_INPUT, "more than %d launch lines", CUDA_LAUNCH_MAX_LINES);
    if (cuda_launch_parse(at, len, NULL, &ignored, err) < 0)
        return wrap(err, "launch line %d", p->n_lines + 1);
    p->lines[p->n_lines++] = (struct cuda_text){at, len};
    return 0;
}

int cuda_program_split(const char *bytes, size_t len, struct cuda_program *ret, struct err *err)
{
    const char *at = bytes + strlen(CUDA_LAUNCH_MAGIC), *end = bytes + len, *eol;
    struct cuda_program p = {.n_lines = 0};

    if (!cuda_program_is(bytes, len))
        return fail(err, ERR_INPUT, "not a program of launch lines and machine code");
    for (;; at = eol + 1) {
        eol = memchr(at, '\n', (size_t)(end - at));
        if (!eol)
            return fail(err, ERR_INPUT, "no empty line behind the launch lines");
        if (eol == at)
            break;
        if (add_line(&p, at, (size_t)(eol - at), err) < 0)
            return -1;
    }
    p.cubin = (struct cuda_text){eol + 1, (size_t)(end - eol - 1)};
    if (!p.n_lines || !p.cubin.len)
        return fail(err, ERR_INPUT,
                    p.n_lines ? "no machine code behind the launch lines" : "no launch line");
    *ret = p;
    return 0;
}

void cuda_program_join(const struct cuda_program *p, struct buf *out)
{
    buf_adds(out, CUDA_LAUNCH_MAGIC);
    for (int i = 0; i < p->n_lines; i++) {
        buf_add(out, p->lines[i].at, p->lines[i].len);
        buf_addch(out, '\n');
    }
    buf_addch(out, '\n');
    buf_add(out, p->cubin.at, p->cubin.len);
}
