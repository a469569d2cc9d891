/* SPDX-License-Identifier: MIT */
/* What a runner gets of a candidate in Python. */
#include "problem_rig.h"

#include "process/bundle.h"

#include <jansson.h>

static json_t *head_of(const struct bundle_request *r, const char **ret_rest)
{
    static struct buf out = BUF_INIT;

    buf_reset(&out);
    bundle_write(r, &out);

    const char *newline = strchr(buf_str(&out), '\n');

    assert_non_null(newline);
    *ret_rest = newline + 1;
    return json_loadb(out.ptr, (size_t)(newline - out.ptr), 0, NULL);
}

static const char problem[] = "problem { 'P', level = 1, id = 1 }\n"
                              "sizes { full = { N = 256 }, small = { N = 32 } }\n"
                              "init(N, tuple(3, 5))\n"
                              "local x = input('x', f32, { N, N })\n"
                              "local w = param('w', f32, { N })\n"
                              "output('y', x * w)\n";

static void says_what_the_problem_wants(void **state)
{
    AUTO(problem_freep) struct problem *p = load(problem);
    const struct buf text = {.ptr = (char *)"import torch\n", .len = 13};
    const struct bundle_request r = {
        .problem = p, .size = &p->sizes[SIZES_SMALL][0], .file = "some/model.py", .text = &text};
    const char *rest, *main, *file, *init, *name, *dtype, *entry, *output, *module_name;
    int bytes, dim;
    json_t *head = head_of(&r, &rest);

    (void)state;
    assert_non_null(head);
    assert_int_equal(
        json_unpack(head, "{s:[[si]], s:s, s:s, s:{s:s, s:[s]}, s:[{s:s, s:s, s:[i]}], s:[s]}",
                    "files", &file, &bytes, "main", &main, "entry", &entry, "module", "init_python",
                    &init, "state", &module_name, "params", "name", &name, "dtype", &dtype, "shape",
                    &dim, "outputs", &output),
        0);
    assert_string_equal(file, "model.py");
    assert_string_equal(main, "model.py");
    assert_string_equal(entry, "");
    assert_string_equal(init, "[32, (3, 5)]");
    assert_string_equal(name, "w");
    assert_string_equal(module_name, "w");
    assert_string_equal(dtype, "f32");
    assert_string_equal(output, "y");
    assert_int_equal(dim, 32);
    assert_int_equal(bytes, 13);
    assert_string_equal(rest, "import torch\n");
    assert_string_equal(json_string_value(json_object_get(head, "weights")), "per_call");
    json_decref(head);
}

/* A name that is a path, or no name at all, must not choose where a runner writes. */
static void names_are_plain(void **state)
{
    static const char *const cases[][2] = {
        {"a.py", "a.py"},
        {"x/../a-b_1.py", "a-b_1.py"},
        {"x/a b.py", "candidate.py"},
        {"x/", "candidate.py"},
        {".py", "candidate.py"},
        {"x/..", "candidate.py"},
        {"\"\n.py", "candidate.py"},
    };
    AUTO(problem_freep) struct problem *p = load(problem);
    const struct buf text = {.ptr = (char *)"", .len = 0};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct bundle_request r = {.problem = p,
                                         .size = &p->sizes[SIZES_SMALL][0],
                                         .file = cases[i][0],
                                         .entry = "mine",
                                         .text = &text};
        const char *rest;
        json_t *head = head_of(&r, &rest);

        assert_string_equal(json_string_value(json_object_get(head, "main")), cases[i][1]);
        assert_string_equal(json_string_value(json_object_get(head, "entry")), "mine");
        json_decref(head);
    }
}

/* The text of a folder, and texts that only begin like one: these are files. */
static void folders(void **state)
{
    static const struct {
        const char *text;
        int n_files;
        const char *rest;
    } cases[] = {
        {"assay-folder 1 2\n3 b.py\n2 d/a x.cu\nabcde", 2, "abcde"},
        {"assay-folder 1 0\nabc", 0, "abc"},
        {"assay-folder 1 2\n3 b.py\n", 1, "assay-folder 1 2\n3 b.py\n"},
        {"assay-folder 1 9\n3 b.py", 1, "assay-folder 1 9\n3 b.py"},
        {"assay-folder 1 1\nb.py\n", 1, "assay-folder 1 1\nb.py\n"},
        {"assay-folder 1 1\n5", 1, "assay-folder 1 1\n5"},
        {"assay-folder 1 1", 1, "assay-folder 1 1"},
        {"assay-folder", 1, "assay-folder"},
    };
    AUTO(problem_freep) struct problem *p = load(problem);

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct buf text = {.ptr = (char *)cases[i].text, .len = strlen(cases[i].text)};
        const struct bundle_request r = {
            .problem = p, .size = &p->sizes[SIZES_SMALL][0], .file = "x.py", .text = &text};
        const char *rest;
        json_t *head = head_of(&r, &rest), *files = json_object_get(head, "files");

        assert_int_equal(json_array_size(files), cases[i].n_files);
        assert_string_equal(rest, cases[i].rest);
        if (cases[i].n_files == 2) {
            assert_string_equal(json_string_value(json_object_get(head, "main")), "b.py");
            assert_string_equal(json_string_value(json_array_get(json_array_get(files, 1), 0)),
                                "d/a x.cu");
        }
        json_decref(head);
    }
}

static struct buf frozen_of(const char *text)
{
    struct buf b = BUF_INIT;

    buf_adds(&b, text);
    return b;
}

/* A candidate may have written anything where its files are listed. */
static void frozen_files_are_checked(void **state)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"{\"files\": []}\n", NULL},
        {"{\"files\": [[\"cache/a.cubin\", 3], [\"candidate/b\", 0]]}\nabc", NULL},
        {"", "cannot be read"},
        {"abc", "cannot be read"},
        {"{}\n", "cannot be read"},
        {"{\"files\": 3}\n", "cannot be read"},
        {"{\"files\": [[\"a\", 3]]}\nab", "does not fit"},
        {"{\"files\": [[\"a\", 3]]}\nabcd", "does not fit"},
        {"{\"files\": [[\"a\", -1]]}\n", "does not fit"},
        {"{\"files\": [[\"a\"]]}\nabc", "does not fit"},
        {"{\"files\": [[7, 3]]}\nabc", "does not fit"},
        {"{\"files\": [[\"\", 3]]}\nabc", "does not fit"},
        {"{\"files\": [[\"/etc/x\", 3]]}\nabc", "does not fit"},
        {"{\"files\": [[\"../x\", 3]]}\nabc", "does not fit"},
        {"{\"files\": [[\"a/../../x\", 3]]}\nabc", "does not fit"},
        {"{\"files\": [[\"a/..\", 3]]}\nabc", "does not fit"},
        {"{\"files\": [[\"a//x\", 3]]}\nabc", "does not fit"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(buf_release) struct buf b = frozen_of(cases[i].text);
        struct err err = ERR_INIT;

        assert_int_equal(bundle_check_frozen(&b, &err), cases[i].error ? -1 : 0);
        if (cases[i].error)
            assert_non_null(strstr(err.text, cases[i].error));
    }
}

static void frozen_files_have_a_limit(void **state)
{
    AUTO(buf_release) struct buf many = frozen_of("{\"files\": [[\"a\", 0]");
    AUTO(buf_release) struct buf large = frozen_of("{\"files\": []}\n");
    struct err err = ERR_INIT;

    (void)state;
    for (int i = 0; i < BUNDLE_FROZEN_FILES; i++)
        buf_adds(&many, ", [\"a\", 0]");
    buf_adds(&many, "]}\n");
    assert_int_equal(bundle_check_frozen(&many, &err), -1);
    assert_non_null(strstr(err.text, "has 4001 files, at most 4000 are kept"));
    buf_fill(&large, 'x', (int)BUNDLE_FROZEN_BYTES + 1);
    assert_int_equal(bundle_check_frozen(&large, &err), -1);
    assert_non_null(strstr(err.text, "at most 50.3 MB are kept"));
}

static int note_file(void *arg, const char *name, const char *bytes, size_t len)
{
    buf_addf(arg, "%s=%.*s ", name, (int)len, bytes);
    return strcmp(name, "stop") == 0 ? 7 : 0;
}

static void frozen_files_are_walked(void **state)
{
    static const struct {
        const char *text, *seen;
        int rc;
    } cases[] = {
        {"", "", 0},
        {"{\"files\": []}\n", "", 0},
        {"{\"files\": [[\"a\", 1], [\"b/c\", 0], [\"d\", 2]]}\n122", "a=1 b/c= d=22 ", 0},
        {"{\"files\": [[\"a\", 1], [\"stop\", 1], [\"d\", 2]]}\n1233", "a=1 stop=2 ", 7},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(buf_release) struct buf frozen = frozen_of(cases[i].text), seen = BUF_INIT;

        assert_int_equal(bundle_each_frozen(&frozen, note_file, &seen), cases[i].rc);
        assert_string_equal(buf_str(&seen), cases[i].seen);
    }
}

static void frozen_files_reach_the_runner(void **state)
{
    AUTO(problem_freep) struct problem *p = load(problem);
    AUTO(buf_release)
    struct buf frozen =
        frozen_of("{\"files\": [[\"a.json\", 1], [\"k.autotune.json\", 2], [\"b\", 3]]}\n1223bb");
    const struct buf text = {.ptr = (char *)"text\n", .len = 5};
    const struct bundle_request r = {.problem = p,
                                     .size = &p->sizes[SIZES_SMALL][0],
                                     .file = "model.py",
                                     .frozen = &frozen,
                                     .text = &text};
    const char *rest;
    struct err err = ERR_INIT;

    (void)state;
    bundle_drop_frozen(&frozen, ".autotune.json");
    must(bundle_check_frozen(&frozen, &err), &err);

    json_t *head = head_of(&r, &rest), *files = json_object_get(head, "frozen");

    assert_int_equal(json_array_size(files), 2);
    assert_string_equal(rest, "text\n13bb");
    json_decref(head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frozen_files_are_checked),
        cmocka_unit_test(frozen_files_have_a_limit),
        cmocka_unit_test(frozen_files_are_walked),
        cmocka_unit_test(frozen_files_reach_the_runner),
        cmocka_unit_test(says_what_the_problem_wants),
        cmocka_unit_test(names_are_plain),
        cmocka_unit_test(folders),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
