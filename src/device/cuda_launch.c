/* SPDX-License-Identifier: MIT */
/* Recursive descent that computes while it reads: a line is evaluated a handful of times in a
 * runner's life, so there is no tree. Without a call every tensor's size counts as 1 and what
 * depends on values (ranges, division by zero) is left for the runner to find. */
#include "device/cuda_launch.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 64 /* of brackets */
#define WORD_MAX CUDA_LAUNCH_MAX_NAME

const char *const cuda_arg_names[] = {"pointer", "i32", "i64", "f32"};

size_t cuda_arg_size(enum cuda_arg_type t)
{
    return t == CUDA_ARG_I32 || t == CUDA_ARG_F32 ? 4 : 8;
}

struct parser {
    const char *start, *at, *end;
    const struct device_call *call; /* NULL: only the form matters; not owned */
    int depth;
    struct err *err;
};

/* ---- words ---- */

static int bad(struct parser *p, const char *at, const char *fmt, ...) PRINTF_LIKE(3, 4);
static int bad(struct parser *p, const char *at, const char *fmt, ...)
{
    char line[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    return fail(p->err, ERR_INPUT, "column %td: %s", at - p->start + 1, line);
}

static void skip_blanks(struct parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t'))
        p->at++;
}

/* The next character that is not blank; '\0' at the end. */
static char peek(struct parser *p)
{
    skip_blanks(p);
    return p->at < p->end ? *p->at : '\0';
}

static bool take(struct parser *p, char c)
{
    if (peek(p) != c)
        return false;
    p->at++;
    return true;
}

static int expect(struct parser *p, char c)
{
    if (take(p, c))
        return 0;
    if (p->at == p->end)
        return bad(p, p->at, "the line ends where '%c' belongs", c);
    return bad(p, p->at, "'%c' belongs here", c);
}

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* A name of C; "" when there is none. */
static int take_word(struct parser *p, char out[WORD_MAX])
{
    const char *from;
    size_t len;

    skip_blanks(p);
    from = p->at;
    if (p->at < p->end && !isdigit((unsigned char)*p->at))
        while (p->at < p->end && is_word_char(*p->at))
            p->at++;
    len = (size_t)(p->at - from);
    if (len >= WORD_MAX)
        return bad(p, from, "a name of more than %d characters", WORD_MAX - 1);
    memcpy(out, from, len);
    out[len] = '\0';
    return 0;
}

static int take_number(struct parser *p, int64_t *ret)
{
    const char *from = p->at;
    int64_t v = 0;

    while (p->at < p->end && isdigit((unsigned char)*p->at)) {
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *p->at - '0', &v))
            return bad(p, from, "a number past 64 bits");
        p->at++;
    }
    if (p->at < p->end && (is_word_char(*p->at) || *p->at == '.'))
        return bad(p, from, "not a whole number");
    *ret = v;
    return 0;
}

/* ---- tensors ---- */

/* "in12" or "out3": where it stands among the call's, or false for any other word. */
static bool tensor_word(const char *word, bool *ret_out, int *ret_index)
{
    bool out = !strncmp(word, "out", 3);
    const char *digits = word + (out ? 3 : 2);
    size_t n;

    if (!out && strncmp(word, "in", 2) != 0)
        return false;
    n = strspn(digits, "0123456789");
    if (n < 1 || n > 4 || digits[n])
        return false;
    *ret_out = out;
    *ret_index = atoi(digits);
    return true;
}

/* NULL without a call, and on failure (err filled). */
static const struct tensor_slot *find_tensor(struct parser *p, const char *at, bool out, int index)
{
    int n = !p->call ? 0 : out ? p->call->n_out : p->call->n_in;

    if (!p->call)
        return NULL;
    if (index >= n) {
        bad(p, at, "there is no %s%d: this problem has %d %s", out ? "out" : "in", index, n,
            out ? "outputs" : "inputs and parameters");
        return NULL;
    }
    return out ? &p->call->out[index] : &p->call->in[index];
}

static int shape_index(struct parser *p, const struct tensor_slot *t, int64_t *ret)
{
    const char *at;
    int64_t axis;

    if (expect(p, '[') < 0)
        return -1;
    peek(p);
    at = p->at;
    if (at == p->end || !isdigit((unsigned char)*at))
        return bad(p, at, "a number belongs between the brackets of shape[]");
    if (take_number(p, &axis) < 0 || expect(p, ']') < 0)
        return -1;
    if (axis >= SHAPE_MAX_RANK)
        return bad(p, at, "no tensor has more than %d dimensions", SHAPE_MAX_RANK);
    if (t && axis >= t->shape.rank)
        return bad(p, at, "shape[%" PRId64 "] of a tensor of %d dimensions", axis, t->shape.rank);
    *ret = t ? t->shape.dim[axis] : 1;
    return 0;
}

/* in0.shape[1], in0.numel; the tensor's word is read already. */
static int tensor_value(struct parser *p, const char *at, bool out, int index, int64_t *ret)
{
    const struct tensor_slot *t = find_tensor(p, at, out, index);
    char field[WORD_MAX];
    const char *field_at;

    if (p->call && !t)
        return -1;
    if (!take(p, '.'))
        return bad(p, p->at, "a tensor is no number: .numel or .shape[N] belongs here");
    field_at = p->at;
    if (take_word(p, field) < 0)
        return -1;
    if (!strcmp(field, "shape"))
        return shape_index(p, t, ret);
    if (strcmp(field, "numel") != 0)
        return bad(p, field_at, "a tensor has .numel and .shape[N], not .%.40s", field);
    *ret = t ? shape_count(&t->shape) : 1;
    return 0;
}

/* ---- expressions ---- */

static int sum(struct parser *p, int64_t *ret);

static int divide(struct parser *p, const char *at, char op, int64_t a, int64_t b, int64_t *ret)
{
    if (b == 0 && !p->call)
        b = 1;
    if (b == 0)
        return bad(p, at, "division by zero");
    if (a == INT64_MIN && b == -1)
        return bad(p, at, "a number past 64 bits");
    *ret = op == '%' ? a % b : a / b;
    if (op == 'c' && a % b != 0 && (a < 0) == (b < 0))
        ++*ret;
    return 0;
}

static int combine(struct parser *p, const char *at, char op, int64_t a, int64_t b, int64_t *ret)
{
    bool over = false;

    switch (op) {
    case '+':
        over = __builtin_add_overflow(a, b, ret);
        break;
    case '-':
        over = __builtin_sub_overflow(a, b, ret);
        break;
    case '*':
        over = __builtin_mul_overflow(a, b, ret);
        break;
    case '<': /* min */
        *ret = MIN(a, b);
        break;
    case '>': /* max */
        *ret = MAX(a, b);
        break;
    default: /* '/', '%', 'c' for ceil_div */
        return divide(p, at, op, a, b, ret);
    }
    return over && p->call ? bad(p, at, "a number past 64 bits") : 0;
}

static const struct function {
    const char *name;
    char op;
    int max_args; /* 2 at least */
} functions[] = {{"ceil_div", 'c', 2}, {"min", '<', 16}, {"max", '>', 16}};

static int call_function(struct parser *p, const struct function *f, const char *at, int64_t *ret)
{
    int64_t v, next;
    int n = 1;

    if (expect(p, '(') < 0 || sum(p, &v) < 0)
        return -1;
    for (; take(p, ','); n++)
        if (sum(p, &next) < 0 || combine(p, at, f->op, v, next, &v) < 0)
            return -1;
    if (expect(p, ')') < 0)
        return -1;
    if (n < 2 || n > f->max_args)
        return bad(p, at, "%s takes %s, not %d", f->name,
                   f->max_args == 2 ? "2 values" : "2 to 16 values", n);
    *ret = v;
    return 0;
}

static int named_value(struct parser *p, int64_t *ret)
{
    const char *at = p->at;
    char word[WORD_MAX];
    bool out;
    int index;

    if (take_word(p, word) < 0)
        return -1;
    if (tensor_word(word, &out, &index))
        return tensor_value(p, at, out, index, ret);
    for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
        if (!strcmp(word, functions[i].name))
            return call_function(p, &functions[i], at, ret);
    return bad(p, at, "'%.40s' is no tensor (in0, out0) and no function (ceil_div, min, max)",
               word);
}

static int nested(struct parser *p, int64_t *ret)
{
    return sum(p, ret) < 0 || expect(p, ')') < 0 ? -1 : 0;
}

static int factor(struct parser *p, int64_t *ret)
{
    char c = peek(p);
    const char *at = p->at;
    int rc;

    if (isdigit((unsigned char)c))
        return take_number(p, ret);
    if (++p->depth > MAX_DEPTH)
        return bad(p, at, "brackets more than %d deep", MAX_DEPTH);
    if (take(p, '('))
        rc = nested(p, ret);
    else if (take(p, '-'))
        rc = factor(p, ret) < 0 ? -1 : combine(p, at, '-', 0, *ret, ret);
    else if (is_word_char(c))
        rc = named_value(p, ret);
    else if (c)
        rc = bad(p, at, "a number or a tensor's size belongs here");
    else
        rc = bad(p, at, "the line ends where a number belongs");
    p->depth--;
    return rc;
}

/* Both levels of two-sided operators: operands by `operand`, joined by the characters in `ops`. */
static int chain(struct parser *p, int (*operand)(struct parser *, int64_t *), const char *ops,
                 int64_t *ret)
{
    int64_t v, next;

    if (operand(p, &v) < 0)
        return -1;
    for (;;) {
        char op = peek(p);
        const char *at = p->at;

        if (!op || !strchr(ops, op)) {
            *ret = v;
            return 0;
        }
        p->at++;
        if (operand(p, &next) < 0 || combine(p, at, op, v, next, &v) < 0)
            return -1;
    }
}

static int product(struct parser *p, int64_t *ret)
{
    return chain(p, factor, "*/%", ret);
}

static int sum(struct parser *p, int64_t *ret)
{
    return chain(p, product, "+-", ret);
}

/* ---- fields ---- */

struct range {
    const char *what;
    int64_t min, max;
};

static int value_in(struct parser *p, const struct range *r, unsigned *ret)
{
    const char *at;
    int64_t v;

    peek(p);
    at = p->at;
    if (sum(p, &v) < 0)
        return -1;
    if (p->call && (v < r->min || v > r->max))
        return bad(p, at, "%s is %" PRId64 ", and has to be %" PRId64 " to %" PRId64, r->what, v,
                   r->min, r->max);
    *ret = (unsigned)v;
    return 0;
}

static int three_values(struct parser *p, const struct range ranges[3], unsigned ret[3])
{
    int n = 0;

    ret[0] = ret[1] = ret[2] = 1;
    do {
        if (n == 3)
            return bad(p, p->at - 1, "more than three values");
        if (value_in(p, &ranges[n], &ret[n]) < 0)
            return -1;
        n++;
    } while (take(p, ','));
    return 0;
}

static int grid_field(struct parser *p, struct cuda_launch *l)
{
    static const struct range ranges[3] = {
        {"grid x", 1, INT32_MAX}, {"grid y", 1, 65535}, {"grid z", 1, 65535}};

    return three_values(p, ranges, l->grid);
}

static int block_field(struct parser *p, struct cuda_launch *l)
{
    static const struct range ranges[3] = {
        {"block x", 1, 1024}, {"block y", 1, 1024}, {"block z", 1, 64}};
    const char *at = p->at;

    if (three_values(p, ranges, l->block) < 0)
        return -1;
    if (p->call && l->block[0] * l->block[1] * l->block[2] > 1024)
        return bad(p, at, "a block of %u threads: 1024 is the limit",
                   l->block[0] * l->block[1] * l->block[2]);
    return 0;
}

static int smem_field(struct parser *p, struct cuda_launch *l)
{
    static const struct range range = {"smem", 0, 1 << 20}; /* the device's own limit is lower */

    return value_in(p, &range, &l->smem);
}

/* in0 or out0 alone; *ret_is: whether it was one (then it is read). */
static int pointer_arg(struct parser *p, struct cuda_arg *ret, bool *ret_is)
{
    const char *at = p->at;
    char word[WORD_MAX];
    bool out;
    int index;

    *ret_is = false;
    if (take_word(p, word) < 0)
        return -1;
    if (!tensor_word(word, &out, &index) || peek(p) == '.') {
        p->at = at;
        return 0;
    }
    *ret_is = true;
    *ret = (struct cuda_arg){CUDA_ARG_POINTER, 0};
    if (!p->call)
        return 0;

    const struct tensor_slot *t = find_tensor(p, at, out, index);
    char *base = out ? p->call->out_base : p->call->in_base;

    if (!t)
        return -1;
    if (!out && p->call->params_only && index < p->call->first_param)
        base = NULL;
    ret->bits = base ? (uint64_t)(uintptr_t)base + t->offset : 0;
    return 0;
}

/* A decimal fraction, which no whole number looks like: digits with '.' or an exponent. */
static bool fraction(struct parser *p, float *ret)
{
    const char *at = p->at;
    char text[48];
    size_t n = 0;
    char *end;

    if (at < p->end && *at == '-')
        text[n++] = *at++;
    while (at < p->end && n < sizeof(text) - 1 &&
           (isdigit((unsigned char)*at) || *at == '.' || *at == 'e' || *at == 'E' ||
            ((*at == '-' || *at == '+') && (at[-1] == 'e' || at[-1] == 'E'))))
        text[n++] = *at++;
    text[n] = '\0';
    if (!strpbrk(text, ".eE") || !isdigit((unsigned char)text[text[0] == '-']))
        return false;
    *ret = strtof(text, &end);
    if (*end)
        return false;
    p->at = at;
    return true;
}

static int take_type(struct parser *p, enum cuda_arg_type *ret)
{
    const char *at;
    char word[WORD_MAX];

    if (!take(p, ':'))
        return bad(p, p->at, "a number needs its type behind it: :i32, :i64 or :f32");
    at = p->at;
    if (take_word(p, word) < 0)
        return -1;
    for (int t = CUDA_ARG_I32; t <= CUDA_ARG_F32; t++)
        if (!strcmp(word, cuda_arg_names[t])) {
            *ret = t;
            return 0;
        }
    return bad(p, at, "types are i32, i64 and f32, not '%.40s'", word);
}

static uint64_t float_bits(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof(bits));
    return bits;
}

static int number_arg(struct parser *p, struct cuda_arg *ret)
{
    const char *at = p->at;
    bool is_fraction;
    int64_t v = 0;
    float f = 0;

    is_fraction = fraction(p, &f);
    if ((!is_fraction && sum(p, &v) < 0) || take_type(p, &ret->type) < 0)
        return -1;
    if (is_fraction && ret->type != CUDA_ARG_F32)
        return bad(p, at, "a fraction can only be passed as f32");
    if (p->call && ret->type == CUDA_ARG_I32 && (v < INT32_MIN || v > INT32_MAX))
        return bad(p, at, "%" PRId64 " does not fit into i32: pass it as i64", v);
    ret->bits = ret->type == CUDA_ARG_F32 ? float_bits(is_fraction ? f : (float)v) : (uint64_t)v;
    return 0;
}

static int args_field(struct parser *p, struct cuda_launch *l)
{
    do {
        struct cuda_arg *a = &l->args[l->n_args];
        bool is_pointer;

        peek(p);
        if (l->n_args == CUDA_LAUNCH_MAX_ARGS)
            return bad(p, p->at, "more than %d arguments", CUDA_LAUNCH_MAX_ARGS);
        if (pointer_arg(p, a, &is_pointer) < 0 || (!is_pointer && number_arg(p, a) < 0))
            return -1;
        l->n_args++;
    } while (take(p, ','));
    return 0;
}

static const struct field {
    const char *name;
    bool required;
    int (*parse)(struct parser *p, struct cuda_launch *l);
} fields[] = {{"grid", true, grid_field},
              {"block", true, block_field},
              {"smem", false, smem_field},
              {"args", false, args_field}};

/* One NAME=..., not seen before. */
static int field(struct parser *p, struct cuda_launch *l, unsigned *seen)
{
    const char *at = p->at;
    char word[WORD_MAX];

    if (take_word(p, word) < 0)
        return -1;
    for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
        if (strcmp(word, fields[i].name) != 0)
            continue;
        if (*seen & 1u << i)
            return bad(p, at, "a second %s=", word);
        *seen |= 1u << i;
        return expect(p, '=') < 0 ? -1 : fields[i].parse(p, l);
    }
    return bad(p, at, "grid=, block=, smem= or args= belongs here");
}

static int launch_name(struct parser *p, char name[CUDA_LAUNCH_MAX_NAME])
{
    char word[WORD_MAX];

    peek(p);
    if (take_word(p, word) < 0)
        return -1;
    if (strcmp(word, "launch") != 0)
        return bad(p, p->start, "a line begins with 'launch'");
    peek(p);
    if (take_word(p, name) < 0)
        return -1;
    return *name ? 0 : bad(p, p->at, "the name of a kernel belongs behind 'launch'");
}

int cuda_launch_parse(const char *line, size_t len, const struct device_call *call,
                      struct cuda_launch *ret, struct err *err)
{
    struct parser p = {.start = line, .at = line, .end = line + len, .call = call, .err = err};
    struct cuda_launch l = {.n_args = 0};
    unsigned seen = 0;

    if (len > CUDA_LAUNCH_MAX_LINE)
        return fail(err, ERR_INPUT, "column %d: the line is too long", CUDA_LAUNCH_MAX_LINE);
    if (launch_name(&p, l.name) < 0)
        return -1;
    while (peek(&p))
        if (field(&p, &l, &seen) < 0)
            return -1;
    if (p.at < p.end)
        return bad(&p, p.at, "a NUL byte");
    for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
        if (fields[i].required && !(seen & 1u << i))
            return bad(&p, p.at, "the line has no %s=", fields[i].name);
    *ret = l;
    return 0;
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
