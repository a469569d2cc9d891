/* SPDX-License-Identifier: MIT */
#include "build/program.h"

#include "base/fs.h"
#include "build/build_dir.h"
#include "sandbox/sandbox.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ANSWER_BYTES 4096
#define ASK_WORDS 4
#define ASK_TIMEOUT_MS 20000

/* ---- finding a program ---- */

/* True for /usr/lib/ccache/gcc and the like, which want a home and a cache of their own. */
static bool is_wrapper(const char *real)
{
    const char *slash = strrchr(real, '/');

    return strcmp(slash ? slash + 1 : real, "ccache") == 0;
}

/* An absolute path that can be run, without links, or NULL. */
static char *usable(const char *path)
{
    AUTO(freep) char *real = realpath(path, NULL);
    struct stat st;

    if (!real || is_wrapper(real) || access(real, X_OK) < 0 || stat(real, &st) < 0 ||
        !S_ISREG(st.st_mode))
        return NULL;
    return steal(&real);
}

char *program_find(const char *word)
{
    const char *path = getenv("PATH");

    if (strchr(word, '/'))
        return usable(word);
    for (const char *at = path ? path : "/usr/local/bin:/usr/bin:/bin"; *at;
         at += strspn(at, ":")) {
        size_t len = strcspn(at, ":");
        AUTO(freep) char *file = xasprintf("%.*s/%s", (int)len, at, word);
        char *found = usable(file);

        if (found)
            return found;
        at += len;
    }
    return NULL;
}

char *program_choose(const char *variable, const char *const *names, const char *install,
                     struct err *err)
{
    const char *chosen = getenv(variable);
    char *path = NULL;

    if (chosen && *chosen) {
        path = program_find(chosen);
        if (!path)
            fail(err, ERR_SYSTEM, "%s=%s: no such compiler", variable, chosen);
        return path;
    }
    for (; *names && !path; names++)
        path = program_find(*names);
    if (!path)
        fail(err, ERR_SYSTEM, "%s", install);
    return path;
}

char *program_prefix(const char *path)
{
    AUTO(freep) char *dir = xstrdup(path);

    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(dir, '/');

        if (slash == dir)
            break;
        *slash = '\0';
    }
    return steal(&dir);
}

char *program_outside(const char *path)
{
    return strncmp(path, "/usr/", 5) == 0 ? NULL : program_prefix(path);
}

/* ---- identifying a program ---- */

void program_hash_file(struct hash *h, const char *path)
{
    struct stat st = {0};

    hash_adds(h, path);
    if (stat(path, &st) < 0)
        return;
    hash_add_u64(h, (uint64_t)st.st_size);
    hash_add_u64(h, (uint64_t)st.st_mtim.tv_sec);
    hash_add_u64(h, (uint64_t)st.st_mtim.tv_nsec);
    hash_add_u64(h, (uint64_t)st.st_ino);
}

/* The program, and behind it the words of `options`, which is cut up. */
static void command_line(const char *path, char *options, const char *ret[ASK_WORDS + 2])
{
    size_t n = 0;

    ret[n++] = path;
    for (char *rest = options, *word; n <= ASK_WORDS && (word = strsep(&rest, " "));)
        ret[n++] = word;
    ret[n] = NULL;
}

static int ask_once(const char *path, const char *option, const char *dir, struct buf *answer,
                    struct err *err)
{
    AUTO(buf_release) struct buf out = BUF_INIT;
    AUTO(freep) char *outside = program_outside(path);
    AUTO(freep) char *words = xstrdup(option);
    const char *argv[ASK_WORDS + 2];
    const char *const ro_dirs[] = {outside, NULL};
    const struct sandbox_tool tool = {.argv = (char *const *)argv,
                                      .ro_dirs = ro_dirs,
                                      .rw_dir = dir,
                                      .timeout_ms = ASK_TIMEOUT_MS,
                                      .mem_bytes = (uint64_t)1 << 30,
                                      .file_bytes = 1 << 20,
                                      .max_output = ANSWER_BYTES};
    struct sandbox_tool_result r;

    command_line(path, words, argv);
    if (sandbox_run_tool(&tool, &out, &r, err) < 0)
        return -1;
    if (r.exit_status != 0)
        return fail(err, ERR_SYSTEM, "%s %s does not work: %.500s", path, option, buf_str(&out));
    buf_adds(answer, buf_str(&out));
    return 0;
}

static int ask_all(const char *path, const char *const *options, const char *cache_dir,
                   struct buf *answer, struct err *err)
{
    AUTO(build_dir_close) struct build_dir dir = BUILD_DIR_INIT;

    if (build_dir_open(cache_dir, &dir, err) < 0)
        return -1;
    for (; *options; options++)
        if (ask_once(path, *options, dir.path, answer, err) < 0)
            return -1;
    return 0;
}

static void answer_name(const char *path, const char *const *options, char name[HASH_HEX])
{
    struct hash h;

    hash_init(&h);
    program_hash_file(&h, path);
    for (; *options; options++)
        hash_adds(&h, *options);
    hash_final(&h, name);
}

/* A cached answer has a hash of its own: an empty or damaged file is no answer. */
static bool read_kept(const char *file, struct buf *answer)
{
    AUTO(buf_release) struct buf kept = BUF_INIT;
    struct err ignored = ERR_INIT;
    char found[HASH_HEX];

    if (fs_read(file, HASH_HEX + 4 * ANSWER_BYTES, &kept, &ignored) < 0 || kept.len < HASH_HEX ||
        kept.ptr[HASH_HEX - 1] != '\n')
        return false;
    hash_of(kept.ptr + HASH_HEX, kept.len - HASH_HEX, found);
    if (memcmp(found, kept.ptr, HASH_HEX - 1) != 0)
        return false;
    buf_add(answer, kept.ptr + HASH_HEX, kept.len - HASH_HEX);
    return true;
}

int program_ask(const char *path, const char *const *options, const char *cache_dir,
                struct buf *answer, struct err *err)
{
    AUTO(freep) char *folder = fs_join(cache_dir, "toolchains");
    AUTO(buf_release) struct buf fresh = BUF_INIT, kept = BUF_INIT;
    char name[HASH_HEX], digest[HASH_HEX];

    answer_name(path, options, name);

    AUTO(freep) char *file = fs_join(folder, name);

    if (read_kept(file, answer))
        return 0;
    if (ask_all(path, options, cache_dir, &fresh, err) < 0 || fs_mkdirs(folder, err) < 0)
        return -1;
    hash_of(buf_str(&fresh), fresh.len, digest);
    buf_addf(&kept, "%s\n%s", digest, buf_str(&fresh));
    if (fs_write_atomic(file, kept.ptr, kept.len, err) < 0)
        return -1;
    buf_adds(answer, buf_str(&fresh));
    return 0;
}
