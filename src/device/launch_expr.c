/* SPDX-License-Identifier: MIT */
#include "device/launch_expr.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 64 /* of brackets */

/* ---- words ---- */

int launch_bad(struct launch_parser *p, const char *at, const char *fmt, ...)
{
    char line[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    return fail(p->err, ERR_INPUT, "column %td: %s", at - p->start + 1, line);
}

static void skip_blanks(struct launch_parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t'))
        p->at++;
}

/* The next character that is not blank; '\0' at the end. */
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
        return launch_bad(p, p->at, "the line ends where '%c' belongs", c);
    return launch_bad(p, p->at, "'%c' belongs here", c);
}

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* A name of C; "" when there is none. */
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

static int take_number(struct launch_parser *p, int64_t *ret)
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

/* ---- tensors ---- */

/* "in12" or "out3": where it stands among the call's, or false for any other word. */
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

/* NULL without a call, and on failure (err filled). */
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
        return launch_bad(p, at, "a number belongs between the brackets of shape[]");
    if (take_number(p, &axis) < 0 || launch_expect(p, ']') < 0)
        return -1;
    if (axis >= SHAPE_MAX_RANK)
        return launch_bad(p, at, "no tensor has more than %d dimensions", SHAPE_MAX_RANK);
    if (t && axis >= t->shape.rank)
        return launch_bad(p, at, "shape[%" PRId64 "] of a tensor of %d dimensions", axis,
                          t->shape.rank);
    *ret = t ? t->shape.dim[axis] : 1;
    return 0;
}

/* in0.shape[1], in0.numel; the tensor's word is read already. */
static int tensor_value(struct launch_parser *p, const char *at, bool out, int index, int64_t *ret)
{
    const struct tensor_slot *t = launch_tensor(p, at, out, index);
    char field[CUDA_LAUNCH_MAX_NAME];
    const char *field_at;

    if (p->call && !t)
        return -1;
    if (!launch_take(p, '.'))
        return launch_bad(p, p->at, "a tensor is no number: .numel or .shape[N] belongs here");
    field_at = p->at;
    if (launch_word(p, field) < 0)
        return -1;
    if (!strcmp(field, "shape"))
        return shape_index(p, t, ret);
    if (strcmp(field, "numel") != 0)
        return launch_bad(p, field_at, "a tensor has .numel and .shape[N], not .%.40s", field);
    *ret = t ? shape_count(&t->shape) : 1;
    return 0;
}

/* ---- expressions ---- */

static int divide(struct launch_parser *p, const char *at, char op, int64_t a, int64_t b,
                  int64_t *ret)
{
    if (b == 0 && !p->call)
        b = 1;
    if (b == 0)
        return launch_bad(p, at, "division by zero");
    if (a == INT64_MIN && b == -1)
        return launch_bad(p, at, "a number past 64 bits");
    *ret = op == '%' ? a % b : a / b;
    if (op == 'c' && a % b != 0 && (a < 0) == (b < 0))
        ++*ret;
    return 0;
}

static int combine(struct launch_parser *p, const char *at, char op, int64_t a, int64_t b,
                   int64_t *ret)
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
    return over && p->call ? launch_bad(p, at, "a number past 64 bits") : 0;
}

static const struct function {
    const char *name;
    char op;
    int max_args; /* 2 at least */
} functions[] = {{"ceil_div", 'c', 2}, {"min", '<', 16}, {"max", '>', 16}};

static int call_function(struct launch_parser *p, const struct function *f, const char *at,
                         int64_t *ret)
{
    int64_t v, next;
    int n = 1;

    if (launch_expect(p, '(') < 0 || launch_sum(p, &v) < 0)
        return -1;
    for (; launch_take(p, ','); n++)
        if (launch_sum(p, &next) < 0 || combine(p, at, f->op, v, next, &v) < 0)
            return -1;
    if (launch_expect(p, ')') < 0)
        return -1;
    if (n < 2 || n > f->max_args)
        return launch_bad(p, at, "%s takes %s, not %d", f->name,
                          f->max_args == 2 ? "2 values" : "2 to 16 values", n);
    *ret = v;
    return 0;
}

static int named_value(struct launch_parser *p, int64_t *ret)
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

static int nested(struct launch_parser *p, int64_t *ret)
{
    return launch_sum(p, ret) < 0 || launch_expect(p, ')') < 0 ? -1 : 0;
}

static int factor(struct launch_parser *p, int64_t *ret)
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
        rc = factor(p, ret) < 0 ? -1 : combine(p, at, '-', 0, *ret, ret);
    else if (is_word_char(c))
        rc = named_value(p, ret);
    else if (c)
        rc = launch_bad(p, at, "a number or a tensor's size belongs here");
    else
        rc = launch_bad(p, at, "the line ends where a number belongs");
    p->depth--;
    return rc;
}

/* Both levels of two-sided operators: operands by `operand`, joined by the characters in `ops`. */
static int chain(struct launch_parser *p, int (*operand)(struct launch_parser *, int64_t *),
                 const char *ops, int64_t *ret)
{
    int64_t v, next;

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
        if (operand(p, &next) < 0 || combine(p, at, op, v, next, &v) < 0)
            return -1;
    }
}

static int product(struct launch_parser *p, int64_t *ret)
{
    return chain(p, factor, "*/%", ret);
}

int launch_sum(struct launch_parser *p, int64_t *ret)
{
    return chain(p, product, "+-", ret);
}
