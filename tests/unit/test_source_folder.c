/* SPDX-License-Identifier: MIT */
/* A candidate that is a folder: which file is called, and what is refused. */
#include "testing.h"

#include "build/source_folder.h"
#include "terms/source.h"

#include <stdio.h>
#include <sys/stat.h>

static const char model[] = "class ModelNew(nn.Module):\n    pass\n";

static char *new_folder(void)
{
    char *dir = xstrdup("folder-XXXXXX");

    assert_non_null(mkdtemp(dir));
    return dir;
}

static void put(const char *dir, const char *name, const char *text)
{
    AUTO(freep) char *path = fs_join(dir, name);

    write_file(path, text);
}

static void packs_all_files(void **state)
{
    AUTO(freep) char *dir = new_folder();
    AUTO(freep) char *main = NULL;
    AUTO(buf_release) struct buf text = BUF_INIT;
    struct err err = ERR_INIT;

    (void)state;
    put(dir, "b.py", model);
    put(dir, "a/k.cu", "xy");
    put(dir, ".git/x", "no");
    put(dir, "__pycache__/b.pyc", "no");
    must(source_folder_read(dir, &text, &main, &err), &err);

    AUTO(freep)
    char *want = xasprintf("assay-folder 1 2\n%zu b.py\n2 a/k.cu\n%sxy", strlen(model), model);
    AUTO(freep) char *want_main = fs_join(dir, "b.py");

    assert_string_equal(buf_str(&text), want);
    assert_string_equal(main, want_main);
    assert_true(source_is_folder(dir));
    assert_false(source_is_folder(main));
    fs_remove_tree(dir);
}

/* Files of a folder as "NAME: TEXT", and the one that is called, or what is said. */
static void chooses_one_file(void **state)
{
    static const struct {
        const char *files[3][2];
        const char *main, *error;
    } cases[] = {
        {{{"x.py", "1"}}, "x.py", NULL},
        {{{"x.py", "def run(x): pass"}, {"solution.py", "1"}}, "solution.py", NULL},
        {{{"x.py", "def run(x): pass"}, {"y.py", model}}, "y.py", NULL},
        {{{"x.py", "class Model:"}, {"y.py", model}}, "y.py", NULL},
        {{{"x.py", "class ModelNewer:"}, {"y.py", "def custom_kernel(data): pass"}}, "y.py", NULL},
        {{{"x.py", "  def run(x): pass"}, {"y.py", "def run(x): pass"}}, "y.py", NULL},
        {{{"x.py", "1"}, {"d/y.py", model}}, "x.py", NULL},
        {{{"x.py", model}, {"y.py", model}}, NULL, "x.py and y.py both define an entry"},
        {{{"x.py", "1"}, {"y.py", "2"}}, NULL, "no .py file in it defines an entry"},
        {{{"x.cu", model}}, NULL, "no .py file in it defines an entry"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(freep) char *dir = new_folder();
        AUTO(freep) char *main = NULL;
        AUTO(buf_release) struct buf text = BUF_INIT;
        struct err err = ERR_INIT;

        for (int f = 0; f < 3 && cases[i].files[f][0]; f++)
            put(dir, cases[i].files[f][0], cases[i].files[f][1]);

        int rc = source_folder_read(dir, &text, &main, &err);

        assert_int_equal(rc, cases[i].main ? 0 : -1);
        if (cases[i].main)
            assert_string_equal(strrchr(main, '/') + 1, cases[i].main);
        else
            assert_non_null(strstr(err.text, cases[i].error));
        fs_remove_tree(dir);
    }
}

static void fill_many(const char *dir)
{
    for (int i = 0; i < 300; i++) {
        AUTO(freep) char *name = xasprintf("f%d", i);

        put(dir, name, "");
    }
}

static void fill_large(const char *dir)
{
    AUTO(freep) char *text = xcalloc(1, SOURCE_MAX);

    memset(text, 'x', SOURCE_MAX - 1);
    put(dir, "a", text);
    put(dir, "b", text);
}

static void fill_link(const char *dir)
{
    AUTO(freep) char *path = fs_join(dir, "link");

    assert_int_equal(symlink("/etc/passwd", path), 0);
}

static void fill_pipe(const char *dir)
{
    AUTO(freep) char *path = fs_join(dir, "pipe");

    assert_int_equal(mkfifo(path, 0600), 0);
}

static void fill_deep(const char *dir)
{
    put(dir, "1/2/3/4/5/x", "");
}

static void refuses(void **state)
{
    static const struct {
        void (*fill)(const char *dir);
        const char *error;
    } cases[] = {
        {fill_many, "more than 256 files"},    {fill_large, "more than 4 MiB"},
        {fill_link, "a link or special file"}, {fill_pipe, "a link or special file"},
        {fill_deep, "more than 4 deep"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(freep) char *dir = new_folder();
        AUTO(freep) char *main = NULL, *command = xasprintf("rm -r %s", dir);
        AUTO(buf_release) struct buf text = BUF_INIT;
        struct err err = ERR_INIT;

        put(dir, "x.py", model);
        cases[i].fill(dir);
        assert_int_equal(source_folder_read(dir, &text, &main, &err), -1);
        assert_int_equal(err.kind, ERR_INPUT);
        assert_non_null(strstr(err.text, cases[i].error));
        assert_int_equal(system(command), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packs_all_files),
        cmocka_unit_test(chooses_one_file),
        cmocka_unit_test(refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
