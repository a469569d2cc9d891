/* SPDX-License-Identifier: MIT */
/* long: 10 s */
/* san: no, PyTorch does the work */
/* covers: src/judge/session.c src/judge/record.c src/build/prebuild.c src/build/evidence.c */
/* Evidence of candidates in Python, from the rehearsal to the record. The device is the CPU, told
 * to show code: a candidate leaves files like Triton's in its folder, and a script stands for the
 * disassembler. Needs torch. */
#include "judge_rig.h"

#include "judge/record.h"

#include <stdlib.h>
#include <sys/stat.h>

/* It prints the text behind the header. */
static const char nvdisasm[] = "#!/bin/sh\n[ \"$1\" = --version ] && exit 0\ntail -c +65 \"$3\"\n";

#define MODEL                                                             \
    "import os, struct, subprocess, torch\n"                              \
    "class ModelNew(torch.nn.Module):\n"                                  \
    "    def forward(self, x):\n"                                         \
    "        return torch.relu(x)\n"                                      \
    "def leave(name, code):\n"                                            \
    "    head = b'\\x7fELF\\x02' + bytes(13) + struct.pack('<H', 190)\n"  \
    "    with open(os.path.join(os.environ['HOME'], name), 'wb') as f:\n" \
    "        f.write(head.ljust(64, b'\\0') + code)\n"
#define TF32 "leave('k.cubin', b'/*0000*/    HMMA.1688.F32.TF32 R8, R4, R6, RZ ;\\n')\n"
#define BF16 "leave('other', b'/*0000*/    HMMA.16816.F32.BF16 R8, R4, R6, RZ ;\\n')\n"
#define UNREADABLE "leave('k.cubin', b'nothing that is code')\n"
#define TORCH_ONLY "import torch\ndef run(x): return torch.relu(x)\n"

struct rig {
    struct places places;
    char *share, *runner;
    struct device device; /* the CPU */
    struct judge *judge;
};

static void begin(struct rig *g)
{
    struct err err = ERR_INIT;
    char here[4096];

    assert_non_null(getcwd(here, sizeof(here)));

    AUTO(freep) char *tool = xasprintf("%s/nvdisasm", here);

    *g = (struct rig){.share = fs_share_dir(), .runner = runner_path(), .device = device_cpu};
    g->places = (struct places){g->share, ".", ".", g->runner};
    g->device.shows_code = true;
    must(fs_write_atomic(tool, nvdisasm, strlen(nvdisasm), &err), &err);
    assert_int_equal(chmod(here, 0755), 0);
    assert_int_equal(chmod(tool, 0755), 0);
    setenv("ASSAY_DISASM", tool, 1);
    g->judge = judge_new(&(struct judge_config){.places = &g->places});
}

static void end(struct rig *g)
{
    judge_free(g->judge);
    free(g->share);
    free(g->runner);
    unsetenv("ASSAY_DISASM");
}

static struct problem *problem_of(const char *requires)
{
    struct problem *p = NULL;
    struct err err = ERR_INIT;
    AUTO(freep)
    char *text = xasprintf("problem { 'P', level = 1, id = 1 }\n"
                           "sizes { full = { N = 256 }, small = { N = 32 } }\n%s\ninit()\n"
                           "output('y', relu(input('x', f32, { N, N })))",
                           requires);

    write_file("p.lua", text);
    must(problem_load("p.lua", "p", &p, &err), &err);
    return p;
}

/* Returns the record. */
static json_t *judge_text(struct rig *g, const struct problem *p, const char *text)
{
    struct judge_request r = {.problem = p,
                              .options = {.device = &g->device,
                                          .sizes = SIZES_SMALL,
                                          .candidates = 1,
                                          .plan = PLAN_DEFAULT},
                              .source = {"k.py", text, strlen(text)}};
    struct evaluation e;
    struct err err = ERR_INIT;

    r.options.plan.runners = 1;
    r.options.plan.check_only = true;
    must(judge_eval(g->judge, &r, &e, &err), &err);

    bool no_torch = strstr(e.verdict.detail, "no torch") != NULL;
    json_t *record = no_torch ? NULL : record_json(g->judge->session, &e);

    evaluation_release(&e);
    if (no_torch) {
        end(g);
        skip();
    }
    return record;
}

static const char *text_at(const json_t *j, const char *key)
{
    const char *s = json_string_value(json_object_get(j, key));

    return s ? s : "";
}

static void own_code_is_held_to_the_requirement(void **state)
{
    static const struct {
        const char *text, *verdict, *reason, *detail;
        bool checked;
        int instructions;
    } cases[] = {
        {MODEL TF32, "pass", "", "", true, 1},
        {MODEL BF16, "rejected", "evidence", "the code has bf16 HMMA, none of tf32", true, 1},
        {MODEL TF32 BF16, "rejected", "evidence", "the code has bf16 HMMA, beside tf32", true, 2},
        {TORCH_ONLY, "rejected", "evidence", "no tensor cores (its own code, without", true, 0},
        {MODEL UNREADABLE, "infra", "evidence", "k.cubin: nvdisasm shows no machine code", false,
         0},
    };
    struct rig g;

    (void)state;
    begin(&g);

    AUTO(problem_freep) struct problem *p = problem_of("requires { tensor = 'tf32' }");

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        json_t *record = judge_text(&g, p, cases[i].text);
        const json_t *evidence = json_object_get(record, "evidence");

        if (strcmp(text_at(record, "verdict"), cases[i].verdict) ||
            strcmp(text_at(record, "reason"), cases[i].reason) ||
            !strstr(text_at(record, "detail"), cases[i].detail))
            fail_msg("case %zu: %s: %s: %s", i, text_at(record, "verdict"),
                     text_at(record, "reason"), text_at(record, "detail"));
        assert_string_equal(text_at(evidence, "scope"), "own_code");
        assert_string_equal(text_at(evidence, "requires"), "tf32");
        assert_int_equal(json_is_true(json_object_get(evidence, "checked")), cases[i].checked);
        assert_int_equal(json_integer_value(json_object_get(evidence, "instructions")),
                         cases[i].instructions);
        json_decref(record);
    }
    end(&g);
}

static void without_a_requirement_it_is_for_information(void **state)
{
    struct rig g;

    (void)state;
    begin(&g);

    AUTO(problem_freep) struct problem *p = problem_of("");
    json_t *record = judge_text(&g, p, MODEL BF16);
    const json_t *evidence = json_object_get(record, "evidence");
    const json_t *tensor = json_object_get(evidence, "tensor");

    assert_string_equal(text_at(record, "verdict"), "pass");
    assert_string_equal(text_at(evidence, "scope"), "own_code");
    assert_true(json_is_null(json_object_get(evidence, "requires")));
    assert_int_equal(json_array_size(tensor), 1);
    assert_string_equal(json_string_value(json_array_get(tensor, 0)), "bf16");
    json_decref(record);
    end(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_code_is_held_to_the_requirement),
        cmocka_unit_test(without_a_requirement_it_is_for_information),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
