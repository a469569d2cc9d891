/* SPDX-License-Identifier: MIT */
/* A problem as a PyTorch module: KernelBench's conventions (Model, get_inputs, get_init_inputs),
 * one line per composite call or core op.
 *
 * A node that is the result of a composite call is written as the outermost such call. Its operands
 * are then the nodes that the call's text names; nodes inside the call are written only if another
 * line needs them. So one sweep back from the outputs finds the lines, and one sweep forward writes
 * them. */
#include "problem/graph_ops.h"
#include "problem/problem.h"
#include "problem/torch_ops.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct module {
    const struct graph *g;
    struct torch_names names;
    int *call_of; /* per node: the outermost call whose result it is, or -1 */
    bool *needed;
    int n_values;
    char **tuples; /* calls that return several tensors: the text of tN is tuples[N - 1] */
    int n_tuples;
    const char *block; /* the last block of layers that got a comment line; not owned */
    size_t block_len;
    struct buf body;
};

static void module_release(struct module *m)
{
    for (int i = 0; i < m->g->n_nodes; i++)
        free(m->names.of_node[i]);
    for (int i = 0; i < m->n_tuples; i++)
        free(m->tuples[i]);
    free(m->names.of_node);
    free((char *)m->names.f32);
    free((char *)m->names.device);
    free(m->tuples);
    free(m->call_of);
    free(m->needed);
    buf_release(&m->body);
}

/* ------------------------------------------------------------------ names */

/* Whether a name is a keyword of Python. */
static bool is_keyword(const char *name, size_t len)
{
    static const char *const words[] = {
        "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
        "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
        "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
        "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield",
    };

    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (strlen(words[i]) == len && !strncmp(name, words[i], len))
            return true;
    return false;
}

/* Whether forward() itself uses a name, such as v1 or t1. */
static bool is_ours(const char *name)
{
    static const char *const words[] = {"self", "torch", "F", "getattr", "float", "attention"};

    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (!strcmp(name, words[i]))
            return true;
    return strchr("vt", name[0]) && isdigit((unsigned char)name[1]);
}

/* "x" stays, "in" becomes "in_", "a.b" becomes "a_b". */
static char *input_name(const char *name)
{
    bool taken = is_keyword(name, strlen(name)) || is_ours(name);
    char *out = xasprintf("%s%s", name, taken ? "_" : "");

    for (char *p = out; *p; p++)
        if (*p == '.')
            *p = '_';
    return out;
}

/* Whether a part of a name is a whole number as Python writes it. */
static bool is_index(const char *name, size_t len)
{
    return strspn(name, "0123456789") >= len && (len == 1 || name[0] != '0');
}

/* "layer1.0.weight" -> "self.layer1[0].weight" */
static char *param_name(const char *name)
{
    struct buf out = BUF_INIT;

    buf_adds(&out, "self");
    for (const char *p = name, *end; *p; p = *end ? end + 1 : end) {
        end = p + strcspn(p, ".");

        int len = (int)(end - p);

        if (p == name && is_keyword(p, (size_t)len)) {
            buf_reset(&out);
            buf_addf(&out, "getattr(self, \"%.*s\")", len, p);
        } else if (is_index(p, (size_t)len)) {
            buf_addf(&out, "[%.*s]", len, p);
        } else if (isdigit((unsigned char)*p) || is_keyword(p, (size_t)len)) {
            buf_addf(&out, "[\"%.*s\"]", len, p);
        } else {
            buf_addf(&out, ".%.*s", len, p);
        }
    }
    return buf_steal(&out);
}

static void name_sources(struct module *m)
{
    const struct graph *g = m->g;
    char **names = m->names.of_node;

    for (int i = 0; i < g->n_sources; i++) {
        const struct source *s = &g->sources[i];

        names[s->node] = s->kind == SOURCE_INPUT ? input_name(s->name) : param_name(s->name);
        if (!m->names.f32 && s->dtype == DT_F32)
            m->names.f32 = xasprintf("%s.dtype", names[s->node]);
        if (i == 0)
            m->names.device = xasprintf("%s.device", names[s->node]);
    }
}

/* ------------------------------------------------------------------ needed nodes */

/* Calls are numbered from the outside in: the first call with a result is the outermost. */
static void find_calls(struct module *m)
{
    for (int i = 0; i < m->g->n_nodes; i++)
        m->call_of[i] = -1;
    for (int i = m->g->n_calls - 1; i >= 0; i--)
        m->call_of[m->g->calls[i].result] = i;
}

static void need_operands(struct module *m, int node)
{
    const struct node *n = &m->g->nodes[node];

    if (m->call_of[node] < 0) {
        for (int i = 0; i < n->n_in; i++)
            m->needed[n->in[i]] |= !torch_inlines(m->g, n, i);
        return;
    }

    const char *p = m->g->calls[m->call_of[node]].torch, *end;
    int ref;

    for (; call_next_ref(p, &ref, &end); p = end)
        m->needed[ref] = true;
}

static void find_needed(struct module *m)
{
    for (int i = 0; i < m->g->n_outputs; i++)
        m->needed[m->g->outputs[i].node] = true;
    for (int i = m->g->n_nodes - 1; i >= 0; i--)
        if (m->needed[i])
            need_operands(m, i);
}

/* ------------------------------------------------------------------ forward */

static void call_text(const struct module *m, const struct call *c, struct buf *out)
{
    const char *p = c->torch, *at, *end;
    int node;

    for (; (at = call_next_ref(p, &node, &end)); p = end) {
        buf_add(out, p, (size_t)(at - p));
        buf_adds(out, m->names.of_node[node]);
    }
    buf_adds(out, p);
}

/* Writes "torch.lstm(...)[1]" so that it runs once for all its results: t1 = torch.lstm(...),
 * v1 = t1[1]. */
static void share_tuple(struct module *m, struct buf *text)
{
    char *open = text->len && text->ptr[text->len - 1] == ']' ? strrchr(text->ptr, '[') : NULL;
    int at = 0;

    if (!open || open == text->ptr || open[-1] != ')')
        return;

    char *whole = xstrndup(text->ptr, (size_t)(open - text->ptr));
    char *part = xstrdup(open);

    while (at < m->n_tuples && strcmp(m->tuples[at], whole) != 0)
        at++;
    if (at == m->n_tuples) {
        m->tuples = xrealloc(m->tuples, (size_t)(at + 1) * sizeof(*m->tuples));
        m->tuples[m->n_tuples++] = whole;
        buf_addf(&m->body, "        t%d = %s\n", at + 1, whole);
    } else {
        free(whole);
    }
    buf_reset(text);
    buf_addf(text, "t%d%s", at + 1, part);
    free(part);
}

/* Writes "# layer1.0" before the first layer of a block. Layers of one block follow each other. */
static void announce_block(struct module *m, int node)
{
    const struct source *s = &m->g->sources[m->g->nodes[node].attrs.source];
    const char *leaf = strrchr(s->name, '.'), *end = leaf;

    if (s->kind != SOURCE_PARAM || !leaf)
        return;
    while (end > s->name && *--end != '.')
        ;

    size_t len = (size_t)(end - s->name);

    if (len == m->block_len && !strncmp(s->name, m->block, len))
        return;
    m->block = s->name;
    m->block_len = len;
    if (len)
        buf_addf(&m->body, "        # %.*s\n", (int)len, s->name);
}

static void announce(struct module *m, int node)
{
    const struct node *n = &m->g->nodes[node];
    const char *p, *end;
    int ref;

    if (m->call_of[node] < 0) {
        for (int i = 0; i < n->n_in; i++)
            if (m->g->nodes[n->in[i]].op == OP_SOURCE)
                announce_block(m, n->in[i]);
        return;
    }
    for (p = m->g->calls[m->call_of[node]].torch; call_next_ref(p, &ref, &end); p = end)
        if (m->g->nodes[ref].op == OP_SOURCE)
            announce_block(m, ref);
}

static void write_value(struct module *m, int node)
{
    const struct node *n = &m->g->nodes[node];
    AUTO(buf_release) struct buf text = BUF_INIT;

    /* rearrange() and similar ops make reshapes that change nothing. */
    if (m->call_of[node] < 0 && torch_is_operand(m->g, n)) {
        m->names.of_node[node] = xstrdup(m->names.of_node[n->in[0]]);
        return;
    }
    announce(m, node);
    if (m->call_of[node] >= 0) {
        call_text(m, &m->g->calls[m->call_of[node]], &text);
        share_tuple(m, &text);
    } else {
        torch_expr(&m->names, node, &text);
    }
    m->names.of_node[node] = xasprintf("v%d", ++m->n_values);
    buf_addf(&m->body, "        %s = %s  # ", m->names.of_node[node], buf_str(&text));
    shape_print(&n->shape, &m->body);
    buf_addch(&m->body, '\n');
}

static void write_body(struct module *m)
{
    for (int i = 0; i < m->g->n_nodes; i++)
        if (m->needed[i] && m->g->nodes[i].op != OP_SOURCE)
            write_value(m, i);
    buf_adds(&m->body, "        return ");
    for (int i = 0; i < m->g->n_outputs; i++)
        buf_addf(&m->body, "%s%s", i ? ", " : "", m->names.of_node[m->g->outputs[i].node]);
    buf_addch(&m->body, '\n');
}

/* A number among the arguments. The body has its value written out. */
static void emit_scalar(const struct graph *g, const struct scalar *s, struct buf *out)
{
    AUTO(freep) char *name = input_name(s->name);

    buf_addf(out, ", %s", name);
    if (s->before < g->n_inputs)
        return; /* Python allows no default before an argument without one. */
    buf_addch(out, '=');
    arg_print(&s->value, out);
}

static void emit_forward(const struct module *m, struct buf *out)
{
    const struct graph *g = m->g;

    buf_adds(out, "    def forward(self");
    for (int k = 0; k < construct_n_forward(g); k++) {
        struct forward_arg a = construct_forward(g, k);

        if (a.input >= 0)
            buf_addf(out, ", %s", m->names.of_node[g->sources[a.input].node]);
        else
            emit_scalar(g, a.scalar, out);
    }
    buf_adds(out, "):\n");
    buf_add(out, m->body.ptr, m->body.len);
}

/* ------------------------------------------------------------------ random tensors */

/* Adds an expression for a tensor with about the law's distribution, not the same numbers. */
static void add_random(const struct source *s, struct buf *out)
{
    const struct law *law = &s->laws[0];
    double scale = law->scale == 0 ? 1 : law->scale;
    double mean = law->kind == LAW_NORMAL ? law->a : 0,
           width = law->kind == LAW_NORMAL ? law->b : 1;
    bool made = false; /* the expression already has the source's dtype */

    switch (law->kind) {
    case LAW_UNIFORM:
    case LAW_BANDS:
        buf_adds(out, "torch.empty(");
        torch_add_dims(&s->shape, out);
        buf_addf(out, ").uniform_(%.6g, %.6g)", law->a * scale, law->b * scale);
        break;
    case LAW_INTS:
    case LAW_TIES:
    case LAW_LENGTHS:
        buf_addf(out, "torch.randint(%.0f, %.0f, [", law->kind == LAW_LENGTHS ? 1 : law->a,
                 law->kind == LAW_LENGTHS ? law->a + 1 : law->b);
        if (s->shape.rank)
            torch_add_dims(&s->shape, out);
        buf_addf(out, "], dtype=%s)", torch_dtype(s->dtype));
        made = true;
        break;
    case LAW_PERM:
        buf_adds(out, "torch.rand(");
        torch_add_dims(&s->shape, out);
        buf_addf(out, ").argsort(-1).to(%s)", torch_dtype(s->dtype));
        made = true;
        break;
    case LAW_OFFSETS: /* even groups */
        buf_addf(out, "(torch.arange(%lld) * %.0f // %lld).to(%s)",
                 (long long)s->shape.dim[s->shape.rank - 1], law->a,
                 (long long)s->shape.dim[s->shape.rank - 1] - 1, torch_dtype(s->dtype));
        made = true;
        break;
    case LAW_PAGES: /* every ninth page is unused */
        buf_addf(out, "(torch.randperm(%.0f) * 9 // 8).reshape(", law->a);
        torch_add_dims(&s->shape, out);
        buf_addf(out, ").to(%s)", torch_dtype(s->dtype));
        made = true;
        break;
    case LAW_SORTED:
        buf_adds(out, "torch.randn(");
        torch_add_dims(&s->shape, out);
        buf_addf(out, ").sort(-1, descending=%s)[0]", law->a < 0 ? "True" : "False");
        break;
    case LAW_BERNOULLI:
        buf_adds(out, "(torch.rand(");
        torch_add_dims(&s->shape, out);
        buf_addf(out, ") < %.6g).to(%s)", law->a, torch_dtype(s->dtype));
        made = true;
        break;
    case LAW_CONSTANT:
        buf_adds(out, "torch.full([");
        if (s->shape.rank)
            torch_add_dims(&s->shape, out);
        buf_adds(out, "], ");
        torch_add_number(law->a, s->dtype, out);
        buf_addf(out, ", dtype=%s)", torch_dtype(s->dtype));
        made = true;
        break;
    default:
        buf_adds(out, "torch.randn(");
        torch_add_dims(&s->shape, out);
        buf_addch(out, ')');
        if (width * scale != 1)
            buf_addf(out, " * %.6g", width * scale);
        if (mean * scale != 0)
            buf_addf(out, " + %.6g", mean * scale);
    }
    if (!made && s->dtype != DT_F32) {
        AUTO(buf_release) struct buf text = BUF_INIT;

        buf_add(&text, out->ptr, out->len);
        buf_reset(out);
        buf_addf(out, "(%s).to(%s)", buf_str(&text), torch_dtype(s->dtype));
    }
}

/* ------------------------------------------------------------------ parameters */

/* Whether nn.Module lists the parameters in the problem's order: it lists a module's own parameters
 * before its children's, and each child once. */
static bool natural_order(const struct graph *g)
{
    for (int i = g->n_inputs; i + 1 < g->n_sources; i++) {
        const char *a = g->sources[i].name, *b = g->sources[i + 1].name;
        size_t common = 0;

        for (size_t k = 0; a[k] && a[k] == b[k]; k++)
            if (a[k] == '.')
                common = k + 1;

        size_t child = common + strcspn(a + common, ".");

        if (!a[child])
            continue; /* a belongs to the common module itself */
        if (!strchr(b + common, '.'))
            return false; /* b belongs to the common module, but follows a child's parameter */
        for (int j = i + 2; j < g->n_sources; j++)
            if (!strncmp(g->sources[j].name, a, child + 1))
                return false; /* parameter j belongs to a's child again, behind b */
    }
    return true;
}

static const char DECLARE[] =
    "\n\nclass Part(torch.nn.Module):\n"
    "    \"\"\"What a layer owns; part[0] is the child or parameter named 0.\"\"\"\n\n"
    "    def __getitem__(self, name):\n"
    "        return getattr(self, str(name))\n"
    "\n\ndef declare(module, name, value):\n"
    "    \"\"\"Makes value the parameter of this dotted name, as layers would.\"\"\"\n"
    "    *path, leaf = name.split(\".\")\n"
    "    for part in path:\n"
    "        if part not in module._modules:\n"
    "            module.add_module(part, Part())\n"
    "        module = module._modules[part]\n"
    "    grad = value.is_floating_point()\n"
    "    module.register_parameter(leaf, torch.nn.Parameter(value, requires_grad=grad))\n";

static const char REORDER[] =
    "    def named_parameters(self, *args, **kwargs):\n"
    "        \"\"\"In the order they were declared, which is the problem's.\"\"\"\n"
    "        found = dict(super().named_parameters(*args, **kwargs))\n"
    "        yield from ((name, found[name]) for name in self.order if name in found)\n\n";

static void emit_init(const struct module *m, struct buf *out)
{
    const struct graph *g = m->g;
    bool natural = natural_order(g), takes = g->construct.init.n_items > 0;

    if (g->n_inputs == g->n_sources && !takes)
        return;
    /* The shapes below are those of this size, whatever the arguments say. */
    buf_addf(out, "    def __init__(self%s):\n        super().__init__()\n",
             takes ? ", *init_inputs" : "");
    for (int i = g->n_inputs; i < g->n_sources; i++) {
        AUTO(buf_release) struct buf value = BUF_INIT;

        add_random(&g->sources[i], &value);
        buf_addf(out, "        declare(self, \"%s\", %s)\n", g->sources[i].name, buf_str(&value));
    }
    if (!natural) {
        buf_adds(out, "        self.order = [");
        for (int i = g->n_inputs; i < g->n_sources; i++)
            buf_addf(out, "%s\"%s\"", i > g->n_inputs ? ", " : "", g->sources[i].name);
        buf_adds(out, "]\n");
    }
    buf_adds(out, "\n");
    buf_adds(out, natural ? "" : REORDER);
}

/* ------------------------------------------------------------------ helpers of the module */

/* Functions that are written above the model if its body calls them. */
static const struct {
    const char *name, *text;
} helpers[] = {
    {" attention(",
     "def attention(q, k, v, causal, scale):\n"
     "    if hasattr(F, \"scaled_dot_product_attention\"):  # PyTorch 2.1 and later\n"
     "        return F.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=scale)\n"
     "    s = torch.matmul(q, k.mT) * (q.shape[-1] ** -0.5 if scale is None else scale)\n"
     "    if causal:\n"
     "        seen = torch.ones(s.shape[-2:], dtype=torch.bool, device=s.device).tril()\n"
     "        s = s.masked_fill(~seen, float(\"-inf\"))\n"
     "    return torch.matmul(torch.softmax(s, dim=-1), v)\n"},
    {" lstm_steps(", "def lstm_steps(gates, w, b, h, c):\n"
                     "    \"\"\"One layer over time; gates (T, B, 4H) come from x; gives h and c "
                     "side by side.\"\"\"\n"
                     "    steps = []\n"
                     "    for x in gates:\n"
                     "        i, f, g, o = (x + F.linear(h, w, b)).chunk(4, dim=-1)\n"
                     "        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)\n"
                     "        h = torch.sigmoid(o) * torch.tanh(c)\n"
                     "        steps.append(torch.cat([h, c], dim=-1))\n"
                     "    return torch.stack(steps)\n"},
    {" gru_steps(",
     "def gru_steps(gates, w, b, h):\n"
     "    \"\"\"One layer over time; gates (T, B, 3H) come from x.\"\"\"\n"
     "    steps = []\n"
     "    for x in gates:\n"
     "        (xr, xz, xn), (hr, hz, hn) = x.chunk(3, dim=-1), F.linear(h, w, b).chunk(3, dim=-1)\n"
     "        z = torch.sigmoid(xz + hz)\n"
     "        h = (1 - z) * torch.tanh(xn + torch.sigmoid(xr + hr) * hn) + z * h\n"
     "        steps.append(h)\n"
     "    return torch.stack(steps)\n"},
    {" grouped_matmul(",
     "def grouped_matmul(x, w, offsets):\n"
     "    \"\"\"Rows offsets[g] to offsets[g + 1] of x times w[g].\"\"\"\n"
     "    ends = offsets.tolist()\n"
     "    return torch.cat([x[a:b] @ w[g] for g, (a, b) in enumerate(zip(ends, ends[1:]))])\n"},
    {" delta_rule(",
     "def delta_rule(q, k, v, decay, beta):\n"
     "    \"\"\"(B, T, H, K) and (B, T, H, V); the state is kept in decay's "
     "dtype.\"\"\"\n"
     "    kept, (q, k, v, beta) = q.dtype, (x.to(decay.dtype) for x in (q, k, v, beta))\n"
     "    s, steps = torch.zeros_like(k[:, 0, :, :, None] * v[:, 0, :, None]), []\n"
     "    for t in range(q.shape[1]):\n"
     "        s = s * decay[:, t, :, :, None]\n"
     "        u = v[:, t] - torch.einsum(\"bhkv,bhk->bhv\", s, k[:, t])\n"
     "        u = u * beta[:, t, :, None]\n"
     "        s = s + k[:, t, :, :, None] * u[:, :, None]\n"
     "        steps.append(torch.einsum(\"bhkv,bhk->bhv\", s, q[:, t]))\n"
     "    return torch.stack(steps, dim=1).to(kept)\n"},
    {" rnn_steps(", "def rnn_steps(gates, w, b, h):\n"
                    "    \"\"\"One tanh layer over time; gates (T, B, H) come from x.\"\"\"\n"
                    "    steps = []\n"
                    "    for x in gates:\n"
                    "        h = torch.tanh(x + F.linear(h, w, b))\n"
                    "        steps.append(h)\n"
                    "    return torch.stack(steps)\n"},
};

static void emit_helpers(const struct module *m, struct buf *out)
{
    if (m->g->n_inputs < m->g->n_sources)
        buf_adds(out, DECLARE);
    for (size_t i = 0; i < ARRAY_SIZE(helpers); i++)
        if (strstr(buf_str(&m->body), helpers[i].name))
            buf_addf(out, "\n\n%s", helpers[i].text);
}

/* ------------------------------------------------------------------ the whole module */

static void emit_inputs(const struct graph *g, struct buf *out)
{
    AUTO(buf_release) struct buf init = BUF_INIT;

    buf_adds(out, "\n\ndef get_inputs():\n    return [\n");
    for (int k = 0; k < construct_n_forward(g); k++) {
        struct forward_arg a = construct_forward(g, k);
        AUTO(buf_release) struct buf value = BUF_INIT;

        if (a.input >= 0)
            add_random(&g->sources[a.input], &value);
        else
            arg_print(&a.scalar->value, &value);
        buf_addf(out, "        %s,\n", buf_str(&value));
    }
    if (!construct_init(g, &init))
        buf_adds(&init, "[]");
    buf_addf(out, "    ]\n\n\ndef get_init_inputs():\n    return %s\n", buf_str(&init));
}

static void emit_heading(const struct problem *p, enum size_set set, int size, struct buf *out)
{
    buf_addf(out, "# %s: ", p->name);
    for (const char *c = p->title; *c; c++)
        buf_addch(out, *c == '\n' || *c == '\r' ? ' ' : *c);
    buf_addf(out, "\n# %s: ", size_set_names[set]);
    size_print(&p->sizes[set][size], out);
    if (p->n_sizes[set] > 1 && size == 0)
        buf_addf(out, " (the first of %d sizes)", p->n_sizes[set]);
    for (int i = 0; i < p->sizes[set][0].graph->n_sources; i++)
        if (dtype_is_float(p->sizes[set][0].graph->sources[i].dtype) &&
            dtype_size(p->sizes[set][0].graph->sources[i].dtype) == 1) {
            buf_adds(out, "\n# It has float8 tensors: PyTorch 2.1 or later.");
            break;
        }
    buf_adds(out, "\nimport torch\nimport torch.nn.functional as F\n");
}

void emit_torch_size(const struct problem *p, enum size_set set, int size, struct buf *out)
{
    const struct graph *g = p->sizes[set][size].graph;
    AUTO(module_release)
    struct module m = {
        .g = g,
        .names = {.graph = g, .of_node = xcalloc((size_t)g->n_nodes, sizeof(char *))},
        .call_of = xcalloc((size_t)g->n_nodes, sizeof(int)),
        .needed = xcalloc((size_t)g->n_nodes, sizeof(bool)),
        .block = "",
        .body = BUF_INIT,
    };

    name_sources(&m);
    find_calls(&m);
    find_needed(&m);
    write_body(&m);
    emit_heading(p, set, size, out);
    emit_helpers(&m, out);
    buf_adds(out, "\n\nclass Model(torch.nn.Module):\n");
    emit_init(&m, out);
    emit_forward(&m, out);
    emit_inputs(g, out);
}

void emit_torch(const struct problem *p, enum size_set set, struct buf *out)
{
    emit_torch_size(p, set, 0, out);
}
