/* SPDX-License-Identifier: MIT */
#include "device/cuda/launch_expr.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 64 /* nested brackets */

/* ---- words ---- */

/* Skips "@LINE:COLUMN ", the place in the source of the text behind it. NULL: no such mark. */
static const char *skip_mark(const char *at, const char *end, struct cuda_place *ret)
{
    int values[2] = {0, 0};

    for (int i = 0; i < 2; i++) {
        if (at == end || *at++ != "@:"[i])
            return NULL;
        for (int n = 0; n < 9 && at < end && isdigit((unsigned char)*at); n++)
            values[i] = values[i] * 10 + (*at++ - '0');
    }
    if (at == end || *at != ' ')
        return NULL;
    *ret = (struct cuda_place){values[0], values[1]};
    return at + 1;
}

struct cuda_place launch_place(const char *start, const char *at, const char *end)
{
    struct cuda_place place = {0, 1}, marked;
    const char *from = start, *behind;

    for (const char *c = start; c <= at && c < end; c++) {
        behind = *c == '@' ? skip_mark(c, end, &marked) : NULL;
        if (behind) {
            place = marked;
            from = behind;
        }
    }
    if (at > from)
        place.column += (int)(at - from);
    return place;
}

int launch_bad(struct launch_parser *p, const char *at, const char *fmt, ...)
{
    char text[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    p->bad = launch_place(p->start, at, p->end);
    return fail(p->err, ERR_INPUT, "%s", text);
}

static void skip_blanks(struct launch_parser *p)
{
    struct cuda_place ignored;
    const char *behind;

    for (; p->at < p->end; p->at = behind) {
        behind = *p->at == '@' ? skip_mark(p->at, p->end, &ignored) : p->at + 1;
        if (!behind || (*p->at != ' ' && *p->at != '\t' && *p->at != '@'))
            return;
    }
}

char launch_peek(struct launch_parser *p)
{
    skip_blanks(p);
    return p->at < p->end ? *p->at : '\0';
}

bool launch_take(struct launch_parser *p, char c)
{
    if (launch_peek(p) != c)
        return false;
    p->at++;
    return true;
}

int launch_expect(struct launch_parser *p, char c)
{
    if (launch_take(p, c))
        return 0;
    if (p->at == p->end)
        return launch_bad(p, p->at, "expected '%c', but the line ends", c);
    return launch_bad(p, p->at, "expected '%c'", c);
}

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

int launch_word(struct launch_parser *p, char out[CUDA_LAUNCH_MAX_NAME])
{
    const char *from;
    size_t len;

    skip_blanks(p);
    from = p->at;
    if (p->at < p->end && !isdigit((unsigned char)*p->at))
        while (p->at < p->end && is_word_char(*p->at))
            p->at++;
    len = (size_t)(p->at - from);
    if (len >= CUDA_LAUNCH_MAX_NAME)
        return launch_bad(p, from, "a name of more than %d characters", CUDA_LAUNCH_MAX_NAME - 1);
    memcpy(out, from, len);
    out[len] = '\0';
    return 0;
}

static int take_whole(struct launch_parser *p, int64_t *ret)
{
    const char *from = p->at;
    int64_t v = 0;

    while (p->at < p->end && isdigit((unsigned char)*p->at)) {
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *p->at - '0', &v))
            return launch_bad(p, from, "a number past 64 bits");
        p->at++;
    }
    if (p->at < p->end && (is_word_char(*p->at) || *p->at == '.'))
        return launch_bad(p, from, "not a whole number");
    *ret = v;
    return 0;
}

static bool is_exponent(char c)
{
    return c == 'e' || c == 'E';
}

/* Reads a decimal fraction: digits with '.' or an exponent, which no whole number has. */
static bool take_fraction(struct launch_parser *p, double *ret)
{
    const char *at = p->at;
    char text[48];
    size_t n = 0;
    char *end;

    while (at < p->end && n < sizeof(text) - 1 &&
           (isdigit((unsigned char)*at) || *at == '.' || is_exponent(*at) ||
            ((*at == '-' || *at == '+') && n > 0 && is_exponent(at[-1]))))
        text[n++] = *at++;
    text[n] = '\0';
    if (!strpbrk(text, ".eE") || (at < p->end && is_word_char(*at)))
        return false;
    *ret = strtod(text, &end);
    if (*end)
        return false;
    p->at = at;
    return true;
}

static int take_number(struct launch_parser *p, struct launch_value *ret)
{
    struct launch_value v = {.known = true};

    v.fraction = take_fraction(p, &v.real);
    if (!v.fraction && take_whole(p, &v.whole) < 0)
        return -1;
    if (!v.fraction)
        v.real = (double)v.whole;
    *ret = v;
    return 0;
}

/* ---- tensors ---- */

bool launch_tensor_word(const char *word, bool *ret_out, int *ret_index)
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

const struct tensor_slot *launch_tensor(struct launch_parser *p, const char *at, bool out,
                                        int index)
{
    int n = !p->call ? 0 : out ? p->call->n_out : p->call->n_in;

    if (!p->call)
        return NULL;
    if (index >= n) {
        launch_bad(p, at, "there is no %s%d: this problem has %d %s", out ? "out" : "in", index, n,
                   out ? "outputs" : "inputs and parameters");
        return NULL;
    }
    return out ? &p->call->out[index] : &p->call->in[index];
}

static int shape_index(struct launch_parser *p, const struct tensor_slot *t, int64_t *ret)
{
    const char *at;
    int64_t axis;

    if (launch_expect(p, '[') < 0)
        return -1;
    launch_peek(p);
    at = p->at;
    if (at == p->end || !isdigit((unsigned char)*at))
        return launch_bad(p, at, "expected a number between the brackets of shape[]");
    if (take_whole(p, &axis) < 0 || launch_expect(p, ']') < 0)
        return -1;
    if (axis >= SHAPE_MAX_RANK)
        return launch_bad(p, at, "no tensor has more than %d dimensions", SHAPE_MAX_RANK);
    if (t && axis >= t->shape.rank)
        return launch_bad(p, at, "shape[%" PRId64 "] of a tensor of %d dimensions", axis,
                          t->shape.rank);
    *ret = t ? t->shape.dim[axis] : 1;
    return 0;
}

/* Reads the rest of in0.shape[1] or in0.numel, behind the tensor's word. */
static int tensor_value(struct launch_parser *p, const char *at, bool out, int index,
                        struct launch_value *ret)
{
    const struct tensor_slot *t = launch_tensor(p, at, out, index);
    char field[CUDA_LAUNCH_MAX_NAME];
    const char *field_at;
    int64_t size = t ? shape_count(&t->shape) : 1;

    if (p->call && !t)
        return -1;
    if (!launch_take(p, '.'))
        return launch_bad(p, p->at, "a tensor is not a number: write .numel or .shape[N] after it");
    field_at = p->at;
    if (launch_word(p, field) < 0)
        return -1;
    if (strcmp(field, "numel") != 0 && strcmp(field, "shape") != 0)
        return launch_bad(p, field_at, "a tensor has .numel and .shape[N], not .%.40s", field);
    if (*field == 's' && shape_index(p, t, &size) < 0)
        return -1;
    *ret = (struct launch_value){.whole = size, .real = (double)size, .known = t != NULL};
    return 0;
}

/* ---- expressions ---- */

static int divide(struct launch_parser *p, const char *at, char op, const struct launch_value *a,
                  const struct launch_value *b, struct launch_value *v)
{
    int64_t by = b->whole;

    if (v->fraction ? b->real == 0 : by == 0) {
        if (b->known)
            return launch_bad(p, at, "division by zero");
        by = 1;
    }
    if (v->fraction) {
        v->real = a->real / b->real;
        return 0;
    }
    if (a->whole == INT64_MIN && by == -1)
        return launch_bad(p, at, "a number past 64 bits");
    v->whole = op == '%' ? a->whole % by : a->whole / by;
    if (op == 'c' && a->whole % by != 0 && (a->whole < 0) == (by < 0))
        v->whole++;
    v->real = op == '/' ? a->real / b->real : (double)v->whole;
    return 0;
}

/* Computes all operators but divisions; true on overflow. */
static bool compute(char op, const struct launch_value *a, const struct launch_value *b,
                    struct launch_value *v)
{
    switch (op) {
    case '+':
        v->real = a->real + b->real;
        return __builtin_add_overflow(a->whole, b->whole, &v->whole);
    case '-':
        v->real = a->real - b->real;
        return __builtin_sub_overflow(a->whole, b->whole, &v->whole);
    case '*':
        v->real = a->real * b->real;
        return __builtin_mul_overflow(a->whole, b->whole, &v->whole);
    case '<': /* min */
        v->real = MIN(a->real, b->real);
        v->whole = MIN(a->whole, b->whole);
        return false;
    default: /* '>': max */
        v->real = MAX(a->real, b->real);
        v->whole = MAX(a->whole, b->whole);
        return false;
    }
}

/* Applies '/', '%', 'c' for ceil_div, or an operator of compute(). *ret may be an operand. */
static int combine(struct launch_parser *p, const char *at, char op, const struct launch_value *a,
                   const struct launch_value *b, struct launch_value *ret)
{
    struct launch_value v = {.fraction = a->fraction || b->fraction, .known = a->known && b->known};

    if (v.fraction && (op == '%' || op == 'c'))
        return launch_bad(p, at, "%s takes whole numbers", op == '%' ? "%" : "ceil_div");
    if (strchr("/%c", op)) {
        if (divide(p, at, op, a, b, &v) < 0)
            return -1;
    } else if (compute(op, a, b, &v) && v.known && !v.fraction) {
        return launch_bad(p, at, "a number past 64 bits");
    }
    if (v.fraction)
        v.whole = 0;
    *ret = v;
    return 0;
}

static const struct function {
    const char *name;
    char op;
    int max_args; /* at least 2 */
} functions[] = {{"ceil_div", 'c', 2}, {"min", '<', 16}, {"max", '>', 16}};

static int call_function(struct launch_parser *p, const struct function *f, const char *at,
                         struct launch_value *ret)
{
    struct launch_value v, next;
    int n = 1;

    if (launch_expect(p, '(') < 0 || launch_sum(p, &v) < 0)
        return -1;
    for (; launch_take(p, ','); n++)
        if (launch_sum(p, &next) < 0 || combine(p, at, f->op, &v, &next, &v) < 0)
            return -1;
    if (launch_expect(p, ')') < 0)
        return -1;
    if (n < 2 || n > f->max_args)
        return launch_bad(p, at, "%s takes %s, not %d", f->name,
                          f->max_args == 2 ? "2 values" : "2 to 16 values", n);
    *ret = v;
    return 0;
}

static int named_value(struct launch_parser *p, struct launch_value *ret)
{
    const char *at = p->at;
    char word[CUDA_LAUNCH_MAX_NAME];
    bool out;
    int index;

    if (launch_word(p, word) < 0)
        return -1;
    if (launch_tensor_word(word, &out, &index))
        return tensor_value(p, at, out, index, ret);
    for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
        if (!strcmp(word, functions[i].name))
            return call_function(p, &functions[i], at, ret);
    return launch_bad(
        p, at, "'%.40s' is no tensor (in0, out0) and no function (ceil_div, min, max)", word);
}

static int nested(struct launch_parser *p, struct launch_value *ret)
{
    if (launch_sum(p, ret) < 0)
        return -1;
    if (launch_peek(p) == ',')
        return launch_bad(p, p->at, "values have no brackets around them: write grid=1,2");
    return launch_expect(p, ')');
}

static int negate(struct launch_parser *p, const char *at, struct launch_value *v)
{
    static const struct launch_value zero = {.known = true};
    double real = -v->real; /* 0 - 0.0 would lose the sign */

    if (combine(p, at, '-', &zero, v, v) < 0)
        return -1;
    v->real = real;
    return 0;
}

static int factor(struct launch_parser *p, struct launch_value *ret)
{
    char c = launch_peek(p);
    const char *at = p->at;
    int rc;

    if (isdigit((unsigned char)c))
        return take_number(p, ret);
    if (++p->depth > MAX_DEPTH)
        return launch_bad(p, at, "brackets more than %d deep", MAX_DEPTH);
    if (launch_take(p, '('))
        rc = nested(p, ret);
    else if (launch_take(p, '-'))
        rc = factor(p, ret) < 0 ? -1 : negate(p, at, ret);
    else if (is_word_char(c))
        rc = named_value(p, ret);
    else if (c)
        rc = launch_bad(p, at, "expected a number or a tensor's size");
    else
        rc = launch_bad(p, at, "expected a number, but the line ends");
    p->depth--;
    return rc;
}

/* Both levels of binary operators: operands are read by `operand`, and joined by the characters in
 * `ops`. */
static int chain(struct launch_parser *p,
                 int (*operand)(struct launch_parser *, struct launch_value *), const char *ops,
                 struct launch_value *ret)
{
    struct launch_value v, next;

    if (operand(p, &v) < 0)
        return -1;
    for (;;) {
        char op = launch_peek(p);
        const char *at = p->at;

        if (!op || !strchr(ops, op)) {
            *ret = v;
            return 0;
        }
        p->at++;
        if (operand(p, &next) < 0 || combine(p, at, op, &v, &next, &v) < 0)
            return -1;
    }
}

static int product(struct launch_parser *p, struct launch_value *ret)
{
    return chain(p, factor, "*/%", ret);
}

int launch_sum(struct launch_parser *p, struct launch_value *ret)
{
    return chain(p, product, "+-", ret);
}
