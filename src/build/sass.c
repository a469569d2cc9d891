/* SPDX-License-Identifier: MIT */
/* Both tools print one instruction a line: its address in a comment, maybe a predicate, opcode and
 * operands, a semicolon, and (cuobjdump) its encoding in a comment. The kernel's name stands
 * before: "Function : NAME" (cuobjdump) or ".section .text.NAME,..." (nvdisasm). */
#include "build/sass.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *const tensor_class_names[TENSOR_CLASSES] = {
    [TENSOR_NONE] = "none", [TENSOR_FP64] = "fp64",     [TENSOR_TF32] = "tf32",
    [TENSOR_BF16] = "bf16", [TENSOR_FP16] = "fp16",     [TENSOR_FP8] = "fp8",
    [TENSOR_FP6] = "fp6",   [TENSOR_FP4] = "fp4",       [TENSOR_INT8] = "int8",
    [TENSOR_INT4] = "int4", [TENSOR_BINARY] = "binary", [TENSOR_UNTYPED] = "untyped",
};

const struct sass_rule sass_rules[SASS_RULES] = {
    /* Warpgroups (Hopper): wgmma. */
    {"HGMMA", "BF16", TENSOR_BF16},
    {"HGMMA", "TF32", TENSOR_TF32},
    {"HGMMA", NULL, TENSOR_FP16},
    {"QGMMA", NULL, TENSOR_FP8},
    {"IGMMA", NULL, TENSOR_INT8},
    {"BGMMA", NULL, TENSOR_BINARY},
    /* Warps: mma.sync and wmma. On Hopper and on data-centre Blackwell mma.sync of fp8 becomes F2FP
     * unpacking and HMMA: bf16's rate, and no fp8 here either. */
    {"HMMA", "BF16", TENSOR_BF16},
    {"HMMA", "TF32", TENSOR_TF32},
    {"HMMA", NULL, TENSOR_FP16},
    {"QMMA", "E4M3", TENSOR_FP8}, /* a mixed pair counts as its wider half */
    {"QMMA", "E5M2", TENSOR_FP8},
    {"QMMA", "E3M2", TENSOR_FP6},
    {"QMMA", "E2M3", TENSOR_FP6},
    {"QMMA", "E2M1", TENSOR_FP4},
    {"QMMA", NULL, TENSOR_FP8},
    {"OMMA", NULL, TENSOR_FP4},
    {"IMMA", "S4", TENSOR_INT4},
    {"IMMA", "U4", TENSOR_INT4},
    {"IMMA", NULL, TENSOR_INT8},
    {"BMMA", NULL, TENSOR_BINARY},
    {"DMMA", NULL, TENSOR_FP64},
    /* tcgen05 (data-centre Blackwell): operand types are in a descriptor, the kind is not. */
    {"UTCHMMA", NULL, TENSOR_UNTYPED},
    {"UTCQMMA", NULL, TENSOR_FP8}, /* fp8 or narrower, at fp8's rate */
    {"UTCMXQMMA", NULL, TENSOR_FP8},
    {"UTCOMMA", NULL, TENSOR_FP4},
    {"UTCIMMA", NULL, TENSOR_INT8},
    {NULL, NULL, TENSOR_UNTYPED},
    /* Arithmetic without tensor cores. */
    {"FFMA", NULL, TENSOR_NONE},
    {"FFMA2", NULL, TENSOR_NONE},
    {"DFMA", NULL, TENSOR_NONE},
    {"HFMA2", NULL, TENSOR_NONE},
    {"MUFU", NULL, TENSOR_NONE},
    {"F2FP", "UNPACK_B", TENSOR_NONE}, /* fp8 to fp16 */
    /* Memory. */
    {"LDL", NULL, TENSOR_NONE},
    {"STL", NULL, TENSOR_NONE},
    {"LDG", NULL, TENSOR_NONE},
    {"STG", NULL, TENSOR_NONE},
    {"LDS", NULL, TENSOR_NONE},
    {"LDGSTS", NULL, TENSOR_NONE},
    {"UTMALDG", NULL, TENSOR_NONE},
    {"UTMASTG", NULL, TENSOR_NONE},
};

enum tensor_class tensor_class_find(const char *name)
{
    for (int c = TENSOR_NONE + 1; c < TENSOR_CLASSES; c++)
        if (strcmp(tensor_class_names[c], name) == 0)
            return (enum tensor_class)c;
    return TENSOR_NONE;
}

char *sass_rule_label(int rule)
{
    const struct sass_rule *r = &sass_rules[rule];

    return xasprintf("%s%s%s", r->opcode ? r->opcode : "other MMA", r->modifier ? "." : "",
                     r->modifier ? r->modifier : "");
}

uint64_t sass_count_class(const struct sass_counts *c, enum tensor_class class)
{
    uint64_t n = 0;

    for (int i = 0; i < SASS_RULES; i++)
        n += sass_rules[i].class == class ? c->rule[i] : 0;
    return n;
}

uint64_t sass_count_opcode(const struct sass_counts *c, const char *opcode)
{
    uint64_t n = 0;

    for (int i = 0; i < SASS_RULES; i++)
        n += sass_rules[i].opcode && !strcmp(sass_rules[i].opcode, opcode) ? c->rule[i] : 0;
    return n;
}

void sass_release(struct sass *s)
{
    for (int i = 0; i < s->n_kernels; i++)
        free(s->kernels[i].name);
    free(s->kernels);
    *s = (struct sass){0};
}

static void add_counts(struct sass_counts *c, const struct sass_counts *more)
{
    c->instructions += more->instructions;
    for (int i = 0; i < SASS_RULES; i++)
        c->rule[i] += more->rule[i];
}

void sass_merge(struct sass *s, struct sass *other)
{
    int n = MIN(other->n_kernels, SASS_MAX_KERNELS - s->n_kernels);

    s->kernels = xrealloc(s->kernels, (size_t)(s->n_kernels + n + 1) * sizeof(*s->kernels));
    for (int i = 0; i < n; i++) {
        s->kernels[s->n_kernels++] = other->kernels[i];
        other->kernels[i].name = NULL;
    }
    s->left_out += other->left_out + other->n_kernels - n;
    s->has_ptx |= other->has_ptx;
    add_counts(&s->total, &other->total);
    sass_release(other);
}

/* ---- words ---- */

struct text_slice {
    const char *at, *end;
};

static void skip_blanks(struct text_slice *t)
{
    while (t->at < t->end && (*t->at == ' ' || *t->at == '\t'))
        t->at++;
}

static bool take(struct text_slice *t, const char *word)
{
    size_t len = strlen(word);

    if ((size_t)(t->end - t->at) < len || memcmp(t->at, word, len) != 0)
        return false;
    t->at += len;
    return true;
}

/* Takes the text up to the first of `stops`, which stays. */
static struct text_slice take_until(struct text_slice *t, const char *stops)
{
    struct text_slice word = *t;

    while (t->at < t->end && !strchr(stops, *t->at))
        t->at++;
    word.end = t->at;
    return word;
}

static bool equals(const struct text_slice *t, const char *word)
{
    return (size_t)(t->end - t->at) == strlen(word) && memcmp(t->at, word, strlen(word)) == 0;
}

static bool next_line(struct text_slice *rest, struct text_slice *ret)
{
    if (rest->at == rest->end)
        return false;
    *ret = take_until(rest, "\n");
    if (rest->at < rest->end)
        rest->at++;
    return true;
}

/* ---- one instruction ---- */

struct instruction {
    struct text_slice opcode, modifiers; /* "HMMA", ".16816.F32.BF16" */
    struct text_slice first;             /* the first operand; empty when there is none */
};

/* Parses an address, maybe a predicate, and then the opcode. False for anything else, such as the
 * second half of an encoding, which stands in a comment, too. */
static bool parse_instruction(struct text_slice line, struct instruction *ret)
{
    skip_blanks(&line);
    if (!take(&line, "/*") || line.at == line.end || !isxdigit((unsigned char)*line.at))
        return false;
    while (line.at < line.end && isxdigit((unsigned char)*line.at))
        line.at++;
    if (!take(&line, "*/"))
        return false;
    skip_blanks(&line);
    if (line.at < line.end && *line.at == '@') {
        take_until(&line, " \t");
        skip_blanks(&line);
    }
    ret->opcode = take_until(&line, ". \t;");
    ret->modifiers = take_until(&line, " \t;");
    skip_blanks(&line);
    ret->first = take_until(&line, ", \t;");
    return ret->opcode.at < ret->opcode.end && isupper((unsigned char)*ret->opcode.at);
}

static bool has_modifier(struct text_slice modifiers, const char *want)
{
    while (take(&modifiers, ".")) {
        struct text_slice word = take_until(&modifiers, ".");

        if (equals(&word, want))
            return true;
    }
    return false;
}

static bool ends_in_mma(const struct text_slice *opcode)
{
    return opcode->end - opcode->at >= 3 && memcmp(opcode->end - 3, "MMA", 3) == 0;
}

static bool rule_fits(const struct sass_rule *r, const struct instruction *i)
{
    if (!r->opcode)
        return ends_in_mma(&i->opcode);
    return equals(&i->opcode, r->opcode) &&
           (!r->modifier || has_modifier(i->modifiers, r->modifier));
}

/* A product that goes to RZ is thrown away: ptxas puts such an HGMMA where a group is empty, and it
 * says as little about the kernel as one that a candidate puts there. */
static bool does_nothing(const struct sass_rule *r, const struct instruction *i)
{
    return r->class != TENSOR_NONE && equals(&i->first, "RZ");
}

static void count(struct sass_counts *c, const struct instruction *i)
{
    c->instructions++;
    for (int r = 0; r < SASS_RULES; r++) {
        if (!rule_fits(&sass_rules[r], i))
            continue;
        if (!does_nothing(&sass_rules[r], i))
            c->rule[r]++;
        return;
    }
}

/* ---- the kernel that a line belongs to ---- */

/* Adds a kernel; NULL when there are too many. */
static struct sass_kernel *add_kernel(struct sass *s, const struct text_slice *name)
{
    if (s->n_kernels == SASS_MAX_KERNELS) {
        s->left_out++;
        return NULL;
    }
    s->kernels = xrealloc(s->kernels, (size_t)(s->n_kernels + 1) * sizeof(*s->kernels));

    struct sass_kernel *k = &s->kernels[s->n_kernels++];

    *k = (struct sass_kernel){
        .name = xstrndup(name->at, MIN((size_t)(name->end - name->at), SASS_MAX_NAME)),
        .registers = -1,
        .stack_bytes = -1,
        .local_bytes = -1,
        .shared_bytes = -1,
    };
    /* The name is from a stranger's file: it must not move a terminal's cursor, nor break JSON. */
    for (char *p = k->name; *p; p++)
        if (*p < 0x20 || *p >= 0x7f)
            *p = '?';
    return k;
}

static bool begins_kernel(struct text_slice line, struct text_slice *ret_name)
{
    skip_blanks(&line);
    if (take(&line, "Function : ")) {
        *ret_name = take_until(&line, "\r");
        return true;
    }
    if (!take(&line, ".section"))
        return false;
    skip_blanks(&line);
    if (!take(&line, ".text."))
        return false;
    *ret_name = take_until(&line, ",");
    return true;
}

/* Reads the digits behind the word, if the word is somewhere in the line. */
static void find_number(const struct text_slice *line, const char *word, int64_t *ret)
{
    const char *at = memmem(line->at, (size_t)(line->end - line->at), word, strlen(word));
    int64_t v = 0;

    if (!at)
        return;
    at += strlen(word);
    if (at == line->end || !isdigit((unsigned char)*at))
        return;
    for (; at < line->end && isdigit((unsigned char)*at) && v < INT32_MAX; at++)
        v = 10 * v + (*at - '0');
    *ret = v;
}

void sass_read(struct sass *s, const char *text, size_t len)
{
    struct text_slice rest = {text, text + len}, line, name;
    struct sass_kernel *kernel = NULL;
    struct instruction i;

    while (next_line(&rest, &line)) {
        if (parse_instruction(line, &i)) {
            count(&s->total, &i);
            if (kernel)
                count(&kernel->counts, &i);
        } else if (begins_kernel(line, &name)) {
            kernel = add_kernel(s, &name);
        } else if (take(&line, "Fatbin ptx code:")) {
            s->has_ptx = true;
        } else if (kernel) {
            find_number(&line, "SHI_REGISTERS=", &kernel->registers);
        }
    }
}

/* ---- registers and memory ---- */

static struct sass_kernel *find_kernel(struct sass *s, const struct text_slice *full)
{
    struct text_slice name = {full->at, full->at + MIN(full->end - full->at, SASS_MAX_NAME)};

    for (int i = 0; i < s->n_kernels; i++)
        if (equals(&name, s->kernels[i].name))
            return &s->kernels[i];
    return NULL;
}

struct sass_kernel *sass_find(struct sass *s, const char *name)
{
    struct text_slice full = {name, name + strlen(name)};

    return find_kernel(s, &full);
}

void sass_read_usage(struct sass *s, const char *text, size_t len)
{
    struct text_slice rest = {text, text + len}, line;
    struct sass_kernel *kernel = NULL;

    while (next_line(&rest, &line)) {
        skip_blanks(&line);
        if (take(&line, "Function ")) {
            struct text_slice name = take_until(&line, ":");

            kernel = find_kernel(s, &name);
        } else if (kernel) {
            find_number(&line, "REG:", &kernel->registers);
            find_number(&line, "STACK:", &kernel->stack_bytes);
            find_number(&line, "SHARED:", &kernel->shared_bytes);
            find_number(&line, "LOCAL:", &kernel->local_bytes);
        }
    }
}
