/* SPDX-License-Identifier: MIT */
/* Says which build this is. `assay --version` has the first line alone, for scripts. */
#include "cmd/cmd.h"

#include "base/version.h"

#include <gnu/libc-version.h>
#include <jansson.h>
#include <lua.h>
#include <seccomp.h>
#include <sodium.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>
#include <zlib.h>

struct version_options {
    bool json;
};

static const struct opt version_table[] = {
    {"json", 'j', OPT_FLAG, offsetof(struct version_options, json), NULL, "one object", NULL, 0, 0},
    {0},
};

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* "2.5.4" of libseccomp, which gives three numbers. */
static const char *seccomp_text(char text[32])
{
    const struct scmp_version *v = seccomp_version();

    snprintf(text, 32, "%u.%u.%u", v->major, v->minor, v->micro);
    return text;
}

static json_t *libraries_json(void)
{
    char seccomp[32];

    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "glibc", gnu_get_libc_version(),
                     "lua", LUA_VERSION_MAJOR "." LUA_VERSION_MINOR "." LUA_VERSION_RELEASE,
                     "jansson", JANSSON_VERSION, "sqlite", sqlite3_libversion(), "sodium",
                     sodium_version_string(), "yaml", yaml_get_version_string(), "zlib",
                     zlibVersion(), "seccomp", seccomp_text(seccomp));
}

static void print_version(const json_t *v)
{
    const char *key;
    json_t *library;
    int i = 0;

    printf("assay %s\n", assay_version);
    printf("commit     %s\n", *assay_commit ? assay_commit : "not known");
    printf("compiler   %s\n", COMPILER);
    printf("libraries  ");
    json_object_foreach(json_object_get(v, "libraries"), key, library)
        printf("%s%s %s", i++ ? ", " : "", key, json_string_value(library));
    printf("\nshare      %s\n", json_string_value(json_object_get(v, "share")));
    printf("runner     %s\n", json_string_value(json_object_get(v, "runner")));
}

static int version_main(struct app *app, const void *options, int argc, char **argv,
                        struct err *err)
{
    const struct version_options *o = options;

    if (argc > 0)
        return fail(err, ERR_USAGE, "version: unexpected argument '%s'", argv[0]);

    json_t *v =
        json_pack("{s:s, s:s, s:s, s:s, s:o, s:s, s:s}", "version", assay_version, "release",
                  assay_release, "commit", assay_commit, "compiler", COMPILER, "libraries",
                  libraries_json(), "share", app->places.share, "runner", app->places.runner);

    if (o->json) {
        json_dumpf(v, stdout, JSON_INDENT(1));
        putchar('\n');
    } else {
        print_version(v);
    }
    json_decref(v);
    return 0;
}

const struct cmd cmd_version = {
    .name = "version",
    .args = "",
    .summary = "version, commit, compiler, libraries, and where the files are",
    .options = version_table,
    .options_size = sizeof(struct version_options),
    .details = "`assay --version` prints the first line alone.\n",
    .run = version_main,
};
