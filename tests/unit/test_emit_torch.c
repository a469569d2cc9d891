/* SPDX-License-Identifier: MIT */
/* covers: src/problem/torch_ops.c */
/* The PyTorch module line by line. That it computes the right values is shown by tests/suites, with
 * PyTorch; here is what can be seen in the text. */
#include "testing.h"

#include "base/fs.h"
#include "problem/problem.h"

#include <stdio.h>
#include <string.h>

#define HEAD                                                          \
    "problem { 'T' } sizes { full = { N = 8 }, small = { N = 4 } }\n" \
    "local x = input('x', f32, { 2, N })\n"

static void emit(const char *body, struct buf *ret)
{
    AUTO(freep) char *text = xasprintf(HEAD "%s\n", body);
    AUTO(freep) char *path = fs_join(testing_folder, "t.lua");
    AUTO(problem_freep) struct problem *p = NULL;
    struct err err = ERR_INIT;

    if (fs_write_atomic(path, text, strlen(text), &err) < 0 ||
        problem_load(path, "t", &p, &err) < 0)
        fail_msg("%s: %s", body, err.text);
    emit_torch(p, SIZES_SMALL, ret);
}

static void test_lines(void **state)
{
    static const struct {
        const char *body, *want; /* want starts with '!' where it must be missing */
    } cases[] = {
        /* the outermost call, and none of the nodes it stands for */
        {"output('y', softmax(x))", " v1 = torch.softmax(x, dim=1)  # [2, 4]\n        return v1\n"},
        {"output('y', hardtanh(x))", " v1 = F.hardtanh(x, -1, 1)"},
        {"output('y', mean(x))", " v1 = torch.mean(x, dim=[0, 1], keepdim=False)  # []"},
        /* without a spelling: its parts, some of them calls */
        {"output('y', rms_norm(x))", " v2 = torch.mean(v1, dim=[1], keepdim=True)"},
        /* numbers stand in the line, but not alone */
        {"output('y', 1 / (x + 0.1))", " v1 = x + 0.1  # [2, 4]\n        v2 = 1 / v1"},
        {"output('y', maximum(x, -math.huge))", "torch.clamp(x, min=float(\"-inf\"))"},
        {"output('y', x * (full({}, f32, 2) * full({}, f32, 3)))",
         "torch.full((), 2, dtype=x.dtype, device=x.device)"},
        {"output('y', cast(argmax(x, { dim = 1 }) * 3, f32) * sum(x))", " v2 = v1 * 3"},
        {"output('y', where(gt(x, 0.30000000000000004), x, 0))", "x > 0.30000000000000004"},
        /* f32 is what the run is in; other types are themselves */
        {"output('y', cast(cast(x, bf16), f32))", "v1.to(x.dtype)"},
        {"output('y', cast(cast(x, bf16), f32))", "x.to(torch.bfloat16)"},
        /* nothing to do: no line */
        {"output('y', exp(reshape(x, { 2, N })))", "v1 = torch.exp(x)"},
        {"output('y', sum(sum(x)) + x)", " v2 = v1 + x"},
        {"output('y', slice(x, 1, 3, 0, -2))", "torch.flip(x, [1])[:, 0:3:2]"},
        /* one run for all results */
        {"local y, h, c = nn.lstm('l', N, 3)(reshape(x, { 1, 2, N }))\n"
         "output('y', y) output('h', h) output('c', c)",
         " v4 = t1[0]  # [1, 2, 3]\n        v5 = t1[1]  # [1, 2, 3]\n        v6 = t1[2]"},
        {"local y, h = nn.gru('l', N, 3)(reshape(x, { 1, 2, N }))\noutput('h', h)", "!t2"},
        /* names */
        {"output('y', x * input('v1', f32, { N }))", "forward(self, x, v1_)"},
        {"output('y', x * input('in', f32, { N }))", "v1 = x * in_"},
        {"output('y', x * param('a.0.b', f32, { N }, normal()))", "v1 = x * self.a[0].b"},
        {"output('y', x * param('a.007', f32, { N }, normal()))", "x * self.a[\"007\"]"},
        {"output('y', x * param('if.or', f32, { N }, normal()))",
         "x * getattr(self, \"if\")[\"or\"]"},
        {"output('y', nn.linear('a.b.c', N, 2)(x))", "        # a.b\n"},
        /* the order of the parameters, where nn.Module has another one */
        {"local b, c = param('c.b', f32, { N }, normal()), param('c.c', f32, { N }, normal())\n"
         "output('y', x * param('d', f32, { N }, normal()) + b + c)",
         "self.order = [\"c.b\", \"c.c\", \"d\"]"},
        {"local d = param('d', f32, { N }, normal())\nlocal b = param('c.b', f32, { N }, "
         "normal())\n"
         "output('y', x * d + b * param('c.c', f32, { N }, normal()))",
         "!self.order"},
        {"local b = param('c.b', f32, { N }, normal())\nlocal d = param('d.b', f32, { N }, "
         "normal())\n"
         "output('y', x * d + b * param('c.c', f32, { N }, normal()))",
         "self.order = "},
        /* constructor arguments are taken, and handed out as published */
        {"init(N, tuple(N)) output('y', relu(x))",
         "    def __init__(self, *init_inputs):\n        super().__init__()\n\n    def forward"},
        {"init(N, tuple(N)) output('y', relu(x))", "get_init_inputs():\n    return [4, (4,)]\n"},
        {"init() output('y', relu(x))", "!__init__"},
        {"init() output('y', nn.linear('a', N, 2)(x))", "def __init__(self):"},
        /* numbers among the inputs: with a default where Python allows one */
        {"local s = scalar('in', 2.5) output('y', x * s)", "def forward(self, x, in_=2.5):"},
        {"local s = scalar('s', 3) output('y', x * s + input('z', f32, { N }))",
         "def forward(self, x, s, z):"},
        {"local s = scalar('s', 3) output('y', x * s + input('z', f32, { N }))",
         "        torch.randn(2, 4),\n        3,\n        torch.randn(4),\n"},
        /* laws */
        {"output('y', where(input('m', bool, { N }, bernoulli(0.25)), x, 0))",
         "(torch.rand(4) < 0.25).to(torch.bool)"},
        {"output('y', gather(x, input('i', i64, { 3 }, ints(0, 2))))",
         "torch.randint(0, 2, [3], dtype=torch.int64)"},
        {"output('y', x + cast(input('h', f16, { N }, uniform(1, 3)), f32))",
         "(torch.empty(4).uniform_(1, 3)).to(torch.float16)"},
        {"output('y', x + param('p', f32, {}, constant(2)))",
         "torch.full([], 2, dtype=torch.float32)"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(buf_release) struct buf text = BUF_INIT;
        bool missing = cases[i].want[0] == '!';

        emit(cases[i].body, &text);
        if (missing != !strstr(buf_str(&text), cases[i].want + missing))
            fail_msg("%s\n%s is %s in\n%s", cases[i].body, cases[i].want + missing,
                     missing ? "there" : "not", buf_str(&text));
    }
}

/* A module without parameters has no __init__, and no helper it does not need. */
static void test_short(void **state)
{
    AUTO(buf_release) struct buf text = BUF_INIT;

    (void)state;
    emit("output('y', relu(x))", &text);
    assert_string_equal(buf_str(&text), "# t: T\n"
                                        "# small: N=4\n"
                                        "import torch\n"
                                        "import torch.nn.functional as F\n"
                                        "\n\n"
                                        "class Model(torch.nn.Module):\n"
                                        "    def forward(self, x):\n"
                                        "        v1 = torch.relu(x)  # [2, 4]\n"
                                        "        return v1\n"
                                        "\n\n"
                                        "def get_inputs():\n"
                                        "    return [\n"
                                        "        torch.randn(2, 4),\n"
                                        "    ]\n"
                                        "\n\n"
                                        "def get_init_inputs():\n"
                                        "    return []\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_short),
    };

    return cmocka_run_group_tests(tests, testing_enter_folder, testing_leave_folder);
}
