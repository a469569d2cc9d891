/* SPDX-License-Identifier: MIT */
/* A class is met when it is there and no other is. The code does not show which kernels run. So a
 * kernel of another class must not be in it at all, and one that is never launched does not help.
 * Arithmetic outside tensor cores is no class: every kernel has some, and it is too slow to win by.
 */
#include "judge/requirement.h"

#include <inttypes.h>
#include <string.h>

/* "bf16 HGMMA, fp16 HMMA": the tensor instructions of all classes but one. */
static void list_tensor(const struct sass_counts *c, enum tensor_class but, struct buf *out)
{
    for (int i = 0; i < SASS_RULES; i++) {
        const struct sass_rule *r = &sass_rules[i];

        if (c->rule[i] && r->class != TENSOR_NONE && r->class != but)
            buf_addf(out, "%s%s %s", out->len ? ", " : "", tensor_class_names[r->class],
                     r->opcode ? r->opcode : "MMA");
    }
}

static bool is_wide(enum tensor_class c)
{
    return c == TENSOR_FP16 || c == TENSOR_BF16 || c == TENSOR_TF32;
}

static int reject(const struct evidence *e, enum tensor_class want, struct verdict *v)
{
    const struct sass_counts *c = &e->sass.total;
    AUTO(buf_release) struct buf others = BUF_INIT;
    const char *name = tensor_class_names[want];
    bool present = sass_count_class(c, want) > 0;
    /* On Hopper only wgmma multiplies fp8: mma.sync of fp8 is unpacked with F2FP. */
    bool unpacked = want == TENSOR_FP8 && sass_count_opcode(c, "F2FP") > 0;

    list_tensor(c, want, &others);
    if (!others.len)
        return verdict_set(v, REASON_REJECTED_EVIDENCE,
                           "requires %s tensor cores; the code uses no tensor cores%s", name,
                           e->own_code ? " (its own code, without that of libraries)" : "");
    return verdict_set(
        v, REASON_REJECTED_EVIDENCE, "requires %s tensor cores; the code has %s, %s %s%s", name,
        buf_str(&others), present ? "beside" : "none of", name,
        !present && unpacked ? " (fp8 is unpacked: only wgmma multiplies it here)" : "");
}

static int not_seen(struct verdict *v, const char *name, const char *why)
{
    return verdict_set(v, REASON_INFRA_EVIDENCE, "requires %s tensor cores; not checked: %s", name,
                       why);
}

void requirement_blame(const struct evidence *e, const struct prebuild_request *p,
                       const struct source_text *source, struct verdict *v)
{
    bool hidden = !e->checked || e->loads_code;

    if (hidden && prebuild_sees_code(p, source))
        verdict_change(v, REASON_REJECTED_EVIDENCE);
}

int requirement_check(const struct evidence *e, const char *tensor, struct verdict *v)
{
    const struct sass_counts *c = &e->sass.total;
    enum tensor_class want = tensor ? tensor_class_find(tensor) : TENSOR_NONE;

    if (!tensor || !e->applies)
        return 0;
    if (!e->checked)
        return not_seen(v, tensor, e->why_not ? e->why_not : "the code was not read");

    bool present = sass_count_class(c, want) > 0;
    bool untyped = sass_count_class(c, TENSOR_UNTYPED) > 0;

    for (int other = TENSOR_NONE + 1; other < TENSOR_CLASSES; other++) {
        bool may_be_it = other == TENSOR_UNTYPED && is_wide(want);

        if (other != (int)want && !may_be_it && sass_count_class(c, (enum tensor_class)other))
            return reject(e, want, v);
    }
    if (e->loads_code) {
        AUTO(freep)
        char *why = xasprintf(
            "it could load code at run time (%s): put kernels into the file, and link the "
            "driver's functions",
            e->loads_code);

        return not_seen(v, tensor, why);
    }
    if (untyped)
        return not_seen(v, tensor, "its tensor instructions do not say their type");
    return present ? 0 : reject(e, want, v);
}

/* ---- for people ---- */

static void describe_tensor(const struct sass_counts *c, struct buf *out)
{
    AUTO(buf_release) struct buf list = BUF_INIT;

    list_tensor(c, TENSOR_NONE, &list);
    if (list.len)
        buf_addf(out, "tensor cores: %s", buf_str(&list));
}

/* Names the kernel with the most local memory: it has too few registers, or arrays indexed at run
 * time. */
static void describe_local(const struct sass *s, struct buf *out)
{
    const struct sass_kernel *worst = NULL;
    uint64_t most = 0;

    for (int i = 0; i < s->n_kernels; i++) {
        const struct sass_counts *c = &s->kernels[i].counts;
        uint64_t n = sass_count_opcode(c, "LDL") + sass_count_opcode(c, "STL");

        if (n > most) {
            most = n;
            worst = &s->kernels[i];
        }
    }
    if (!worst)
        return;
    buf_addf(out, "%slocal memory in %.60s: %" PRIu64 " loads, %" PRIu64 " stores",
             out->len ? "; " : "", worst->name, sass_count_opcode(&worst->counts, "LDL"),
             sass_count_opcode(&worst->counts, "STL"));
    if (worst->registers >= 0)
        buf_addf(out, ", %d registers", (int)worst->registers);
    if (worst->stack_bytes > 0)
        buf_addf(out, ", %d bytes of stack", (int)worst->stack_bytes);
}

void requirement_describe(const struct evidence *e, const char *tensor, struct buf *out)
{
    AUTO(buf_release) struct buf text = BUF_INIT;

    if (tensor && !e->applies)
        buf_addf(&text, "requires %s tensor cores: does not apply to this device", tensor);
    else if (tensor && e->own_code)
        buf_addf(&text,
                 "requires %s tensor cores: only its own code was seen, so it is ranked apart; ",
                 tensor);
    describe_tensor(&e->sass.total, &text);
    describe_local(&e->sass, &text);
    buf_adds(out, buf_str(&text));
}
