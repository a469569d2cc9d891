/* SPDX-License-Identifier: MIT */
/* covers: src/base/ydoc.c */
/* Notes on records: what a good one says, what is said of a bad one, quotes against the source. */
#include "testing.h"

#include "base/fs.h"
#include "report/annotation.h"

#include <string.h>

#define HEAD "record: abc\nverdict: reward_hack\nsummary: it keeps the first answer\n"
#define QUOTE(lines, text) \
    HEAD "quotes:\n- file: k.c\n  lines: " lines "\n  label: the hack\n  text: |\n" text

static const char source[] = "int a;\n"
                             "int first(void)  \n"
                             "{\n"
                             "    return 1;\n"
                             "}\n";

static void a_good_note(void **state)
{
    AUTO(annotation_freep) struct annotation *a = NULL;
    struct err err = ERR_INIT;

    (void)state;
    write_file(
        "notes/good.yaml",
        QUOTE(
            "[2, 4]",
            "    int first(void)\n    {\n        return 1;\n") "implication: the score is void\n");
    if (annotation_load("notes/good.yaml", &a, &err) < 0 ||
        annotation_check(a, "somewhere/k.c", source, strlen(source), &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(a->record, "abc");
    assert_null(a->run_id);
    assert_string_equal(a->verdict, "reward_hack");
    assert_string_equal(a->implication, "the score is void");
    assert_int_equal(a->n_quotes, 1);
    assert_int_equal(a->quotes[0].first, 2);
    assert_int_equal(a->quotes[0].last, 4);
    assert_string_equal(a->quotes[0].label, "the hack");
}

static void a_published_note(void **state)
{
    AUTO(annotation_freep) struct annotation *a = NULL;
    struct err err = ERR_INIT;

    (void)state;
    write_file("notes/published.yaml",
               "run_id: 20260427_codex_01\nmodel: m\nharness: codex\neffort: x\n"
               "problem: 01_fp8_gemm\npeak_fraction: 0.42\nverdict: rubric_leak\n"
               "summary: bf16 inside\nquotes: []\n");
    must(annotation_load("notes/published.yaml", &a, &err), &err);
    assert_string_equal(a->run_id, "20260427_codex_01");
    assert_int_equal(a->n_quotes, 0);
}

static void bad_notes_say_where(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {HEAD "sumary: x\n", "line 4: unknown key 'sumary'; did you mean 'summary'?"},
        {HEAD "summary: again\n", "line 4: 'summary' is given twice"},
        {"record: a\nverdict: clean\n", "'summary' is missing"},
        {"record: a\nsummary: s\n", "'verdict' is missing"},
        {"verdict: clean\nsummary: s\n", "one of 'record' (ours) and 'run_id'"},
        {"record: a\nrun_id: b\nverdict: clean\nsummary: s\n", "one of 'record' (ours)"},
        {"record: a\nverdict: nice\nsummary: s\n", "line 2: verdict 'nice' is none of clean,"},
        {HEAD "quotes: text\n", "line 4: 'quotes' takes a list"},
        {HEAD "quotes:\n- file: k.c\n  lines: 1\n", "line 5: 'text' is missing"},
        {HEAD "quotes:\n- file: k.c\n  text: t\n", "line 5: 'lines' is missing"},
        {HEAD "quotes:\n- file: k.c\n  lines: [4, 2]\n  text: t\n",
         "ends at 2 before it starts at 4"},
        {HEAD "quotes:\n- file: k.c\n  lines: [0, 2]\n  text: t\n", "line numbers from 1"},
        {HEAD "quotes:\n- file: k.c\n  lines: [1, 2, 3]\n  text: t\n", "line numbers from 1"},
        {HEAD "quotes:\n- file: k.c\n  lines: 1\n  txt: t\n", "line 7: unknown key 'txt'"},
        {"- record\n", "has to be a map"},
        {"", "the file is empty"},
        {"record: [\n", "line "},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(annotation_freep) struct annotation *a = NULL;
        struct err err = ERR_INIT;

        write_file("notes/bad.yaml", cases[i].text);
        assert_int_equal(annotation_load("notes/bad.yaml", &a, &err), -1);
        assert_int_equal(err.kind, ERR_INPUT);
        if (!strstr(err.text, cases[i].want) || !strstr(err.text, "notes/bad.yaml: "))
            fail_msg("case %zu: \"%s\" does not say \"%s\"", i, err.text, cases[i].want);
    }
}

static void quotes_have_to_be_there(void **state)
{
    static const struct {
        const char *text, *file, *want; /* NULL: it is there */
    } cases[] = {
        {QUOTE("1", "    int a;\n"), "k.c", NULL},
        {QUOTE("4", "    return 1;\n"), "k.c", NULL}, /* YAML took its indentation off */
        {QUOTE("4", "    return  1;\n"), "k.c", "differs from line 4"},
        {QUOTE("[5, 5]", "    }\n"), "x/y/k.c", NULL},
        {QUOTE("2", "    int a;\n"), "k.c", "differs from line 2 of the source: \"int first(void)"},
        {QUOTE("[1, 2]", "    int a;\n"), "k.c", "differs from line 2"},
        {QUOTE("1", "    int a;\n    int first(void)\n"), "k.c", "has more than lines 1 to 1"},
        {QUOTE("[5, 6]", "    }\n    x\n"), "k.c", "the source has no line 6"},
        {QUOTE("1", "    int a;\n"), "other.c", "quotes k.c, but the candidate is other.c"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(annotation_freep) struct annotation *a = NULL;
        struct err err = ERR_INIT;

        write_file("notes/quote.yaml", cases[i].text);
        if (annotation_load("notes/quote.yaml", &a, &err) < 0)
            fail_msg("case %zu: %s", i, err.text);

        int rc = annotation_check(a, cases[i].file, source, strlen(source), &err);

        if (!cases[i].want) {
            if (rc < 0)
                fail_msg("case %zu: %s", i, err.text);
            continue;
        }
        assert_int_equal(rc, -1);
        if (!strstr(err.text, cases[i].want))
            fail_msg("case %zu: \"%s\" does not say \"%s\"", i, err.text, cases[i].want);
    }
}

static void a_folder_of_notes(void **state)
{
    AUTO(annotations_release) struct annotations all = ANNOTATIONS_INIT;
    AUTO(annotations_release) struct annotations twice = ANNOTATIONS_INIT;
    struct err err = ERR_INIT;

    (void)state;
    fs_remove_tree("notes");
    write_file("notes/a.yaml", HEAD);
    write_file("notes/b.yml", "run_id: r\nverdict: clean\nsummary: s\n");
    write_file("notes/readme.txt", "no note");
    must(annotations_load("notes", &all, &err), &err);
    assert_int_equal(all.n, 2);
    assert_string_equal(annotations_record(&all, "abc")->verdict, "reward_hack");
    assert_null(annotations_record(&all, "r"));
    assert_null(annotations_record(&all, NULL));
    assert_string_equal(annotations_run_id(&all, "r")->verdict, "clean");

    write_file("notes/c.yaml", HEAD);
    assert_int_equal(annotations_load("notes", &twice, &err), -1);
    assert_string_equal(err.text, "notes/c.yaml: notes/a.yaml is about the same record");
    assert_int_equal(annotations_load("nowhere", &twice, &err), -1);
    assert_non_null(strstr(err.text, "cannot read the folder nowhere"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_note),         cmocka_unit_test(a_published_note),
        cmocka_unit_test(bad_notes_say_where), cmocka_unit_test(quotes_have_to_be_there),
        cmocka_unit_test(a_folder_of_notes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
