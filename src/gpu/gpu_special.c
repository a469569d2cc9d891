/* SPDX-License-Identifier: MIT */
/* Passes with a kernel of their own (gpu_special.cuh). A pass becomes a text, which is both the
 * program to compile and the key under which its kernel is cached. If the text does not compile,
 * the interpreting kernel runs the pass, as it runs all shorter ones. The text is still kept, so
 * that it is not compiled again. */
#include "gpu/gpu_ctx.h"
#include "gpu/gpu_source.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the text ---- */

static int operand_count(const struct pass_args *p)
{
    int n = 1;

    for (int s = 0; s < p->n_steps; s++)
        n = MAX(n, p->steps[s].with + 1);
    return n;
}

/* Adds a code: "sub" becomes OP_SUB. The codes of op_code.h and dtype.h are named after the names
 * in their tables. */
static void add_code(struct buf *to, const char *prefix, const char *name)
{
    buf_adds(to, prefix);
    for (; *name; name++)
        buf_addch(to, (char)toupper((unsigned char)*name));
}

static void add_types(struct buf *to, const struct gpu_pass *a, int n_in)
{
    buf_adds(to, "    static constexpr int type[n_in] = {");
    for (int k = 0; k < n_in; k++) {
        buf_adds(to, k ? ", " : "");
        if (a->in[k].at)
            add_code(to, "DT_", dtype_name((enum dtype)a->in[k].type));
        else
            buf_adds(to, "GPU_NUMBER");
    }
    buf_adds(to, "};\n");
}

static void add_numbers(struct buf *to, const int64_t *v, int n)
{
    for (int i = 0; i < n; i++)
        buf_addf(to, "%s%" PRId64, i ? ", " : "{", v[i]);
    buf_adds(to, "}");
}

static void add_axes(struct buf *to, const struct gpu_pass *a, int n_in)
{
    buf_adds(to, "    static constexpr struct axes ax[n_in] = {\n");
    for (int k = 0; k < n_in; k++) {
        const struct axes *ax = &a->pass.ax[k];

        if (!a->in[k].at) {
            buf_adds(to, "        {},\n");
            continue;
        }
        buf_addf(to, "        {%d, ", ax->rank);
        add_numbers(to, ax->dim, ax->rank);
        buf_adds(to, ", ");
        add_numbers(to, ax->stride, ax->rank);
        buf_adds(to, "},\n");
    }
    buf_adds(to, "    };\n");
}

static void add_steps(struct buf *to, const struct pass_args *p)
{
    buf_adds(to, "    static constexpr struct pass_step step[n_steps] = {\n");
    for (int s = 0; s < p->n_steps; s++) {
        add_code(to, "        {OP_", op_table[p->steps[s].op].name);
        buf_addf(to, ", %d, %d},\n", p->steps[s].with, p->steps[s].is_second);
    }
    buf_adds(to, "    };\n");
}

static void add_pass(struct buf *to, const struct gpu_pass *a, enum store store)
{
    static const char *const reals[] = {
        [STORE_F64] = "double", [STORE_F32] = "float", [STORE_I64] = "int64_t"};
    int n_in = operand_count(&a->pass);

    buf_addf(to,
             "struct pass {\n"
             "    typedef %s real;\n"
             "    static constexpr int64_t n = %" PRId64 ";\n"
             "    static constexpr int n_in = %d, n_steps = %d;\n",
             reals[store], a->n, n_in, a->pass.n_steps);
    add_types(to, a, n_in);
    add_axes(to, a, n_in);
    add_steps(to, &a->pass);
    buf_adds(to, "};\n");
}

void gpu_special_text(const struct gpu_pass *a, enum store store, struct buf *to)
{
    buf_adds(to, "#include \"gpu/gpu_special.cuh\"\n\n");
    add_pass(to, a, store);
    buf_adds(to, "SPECIAL_KERNEL(pass)\n");
}

void gpu_compare_text(const struct gpu_pass *a, enum dtype t, struct buf *to)
{
    buf_adds(to, "#include \"gpu/gpu_compare.cuh\"\n\n");
    add_pass(to, a, STORE_F64);
    buf_addf(to, "SPECIAL_COMPARE(pass, %s)\n", dtype_name(t));
}

/* ---- cached kernels ---- */

static struct gpu_made_special *find(struct gpu *g, const char *text)
{
    for (int i = 0; i < GPU_SPECIALS; i++) {
        if (g->specials[i].text && !strcmp(g->specials[i].text, text))
            return &g->specials[i];
    }
    return NULL;
}

static void drop(struct gpu *g, struct gpu_made_special *s)
{
    if (s->module)
        g->c->cu->cuModuleUnload(s->module);
    free(s->text);
    *s = (struct gpu_made_special){0};
}

void gpu_specials_drop(struct gpu *g)
{
    for (int i = 0; i < GPU_SPECIALS; i++)
        drop(g, &g->specials[i]);
}

/* Empties the slot of the oldest kernel, which may still be running. */
static struct gpu_made_special *make_room(struct gpu *g)
{
    struct gpu_made_special *s = &g->specials[g->n_specials++ % GPU_SPECIALS];

    if (s->module)
        g->c->cu->cuStreamSynchronize(g->c->stream);
    drop(g, s);
    return s;
}

static struct gpu_made_special *make(struct gpu *g, const char *text)
{
    struct gpu_made_special *s = make_room(g);
    struct nvrtc_program p = gpu_special_source(text, g->c->sm);
    struct err ignored = ERR_INIT;

    s->text = xstrdup(text);
    if (cuda_load_program(g->c, &p, "a pass", &s->module, &ignored) == 0)
        cuda_get_kernel(g->c, s->module, "special", &s->kernel, &ignored);
    return s;
}

/* ---- launching ---- */

/* Whether all addresses are aligned for loads of four elements, whatever the operands' types. */
static bool lies_for_fours(const struct gpu_pass *a)
{
    const uintptr_t most = 4 * sizeof(double);

    for (int k = 0; k < PASS_MAX_IN; k++) {
        if ((uintptr_t)a->in[k].at % most != 0)
            return false;
    }
    return (uintptr_t)a->y % most == 0;
}

static bool is_worth_one(const struct gpu *g, const struct gpu_pass *a)
{
    return a->n >= g->special_least && lies_for_fours(a);
}

static CUfunction kernel_of(struct gpu *g, const char *text)
{
    const struct gpu_made_special *s = find(g, text);

    return (s ? s : make(g, text))->kernel;
}

CUfunction gpu_special_kernel(struct gpu *g, const struct gpu_pass *a, enum store store)
{
    AUTO(buf_release) struct buf text = BUF_INIT;

    if (!is_worth_one(g, a))
        return NULL;
    gpu_special_text(a, store, &text);
    return kernel_of(g, buf_str(&text));
}

CUfunction gpu_compare_kernel(struct gpu *g, const struct gpu_pass *a, enum dtype t)
{
    AUTO(buf_release) struct buf text = BUF_INIT;

    if (!is_worth_one(g, a))
        return NULL;
    gpu_compare_text(a, t, &text);
    return kernel_of(g, buf_str(&text));
}

struct gpu_special gpu_special_args(const struct gpu_pass *a)
{
    struct gpu_special args = {.y = a->y};

    for (int k = 0; k < PASS_MAX_IN; k++) {
        args.in[k] = a->in[k].at;
        args.number[k] = a->pass.number[k];
    }
    return args;
}

/* Few blocks, which go over memory side by side. With 8, 16 or 32 per multiprocessor, ReLU's pass
 * over 4096 x 393216 takes 7.2 ms on an H200 instead of 5.0. Softmax's pass, which computes more,
 * takes 7.5 ms either way. */
#define BLOCKS_PER_SM 4

int gpu_special_launch(struct gpu *g, CUfunction kernel, const struct gpu_pass *a, struct err *err)
{
    struct gpu_special args = gpu_special_args(a);
    unsigned blocks = MIN(cuda_blocks(g->c, (a->n + 3) / 4), (unsigned)(BLOCKS_PER_SM * g->c->sms));
    void *list[] = {&args};

    return cuda_launch(g->c, kernel, blocks, list, "a pass", err);
}
