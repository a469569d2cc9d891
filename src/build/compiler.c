/* SPDX-License-Identifier: MIT */
/*
 * Starting gcc to ask for its version costs more than a cached build may, so the answer is kept in
 * cache_dir/toolchains under a hash of the program file's path, size, time and inode. The driver is
 * not all: cc1 does the work and can be updated alone, so its file counts too, on every call.
 */
#include "build/compiler.h"

#include "base/fs.h"
#include "build/build_dir.h"
#include "sandbox/sandbox.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ANSWER_BYTES 4096
#define ASK_TIMEOUT_MS 20000

/* ---- finding it ---- */

/* /usr/lib/ccache/gcc and the like: they want a home and a cache of their own. */
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

static char *find_program(const char *word)
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

static char *find_compiler(struct err *err)
{
    const char *chosen = getenv("ASSAY_CC");
    char *path;

    if (chosen && *chosen) {
        path = find_program(chosen);
        if (!path)
            fail(err, ERR_SYSTEM, "ASSAY_CC=%s: no such compiler", chosen);
        return path;
    }
    path = find_program("gcc");
    if (!path)
        path = find_program("cc");
    if (!path)
        fail(err, ERR_SYSTEM, "no C compiler found: install gcc");
    return path;
}

/* The prefix (/opt/gcc-14 for /opt/gcc-14/bin/gcc) of a compiler that /usr does not show. */
static char *folder_outside(const char *path)
{
    AUTO(freep) char *dir = xstrdup(path);

    if (strncmp(path, "/usr/", 5) == 0)
        return NULL;
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(dir, '/');

        if (slash == dir)
            break;
        *slash = '\0';
    }
    return steal(&dir);
}

/* ---- knowing it ---- */

static void hash_file(struct hash *h, const char *path)
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

/* Appends the first line of what `path option` prints, with its newline. */
static int ask(const struct compiler *c, const struct build_dir *dir, const char *option,
               struct buf *answer, struct err *err)
{
    AUTO(buf_release) struct buf out = BUF_INIT;
    AUTO(freep) char *word = xstrdup(option);
    char *const argv[] = {c->path, word, NULL};
    const char *const ro_dirs[] = {c->outside, NULL};
    const struct sandbox_tool tool = {.argv = argv,
                                      .ro_dirs = ro_dirs,
                                      .rw_dir = dir->path,
                                      .timeout_ms = ASK_TIMEOUT_MS,
                                      .mem_bytes = (uint64_t)1 << 30,
                                      .file_bytes = 1 << 20,
                                      .max_output = ANSWER_BYTES};
    struct sandbox_tool_result r;

    if (sandbox_run_tool(&tool, &out, &r, err) < 0)
        return -1;
    if (r.exit_status != 0)
        return fail(err, ERR_SYSTEM, "%s %s does not work: %.500s", c->path, option, buf_str(&out));
    buf_add(answer, buf_str(&out), strcspn(buf_str(&out), "\n"));
    buf_addch(answer, '\n');
    return 0;
}

/* Two lines: the version, and where cc1 is. */
static int ask_all(const struct compiler *c, const char *cache_dir, struct buf *answer,
                   struct err *err)
{
    AUTO(build_dir_close) struct build_dir dir = BUILD_DIR_INIT;

    if (build_dir_open(cache_dir, &dir, err) < 0)
        return -1;
    if (ask(c, &dir, "--version", answer, err) < 0)
        return -1;
    return ask(c, &dir, "-print-prog-name=cc1", answer, err);
}

static bool is_answer(const struct buf *b)
{
    const char *end = strchr(buf_str(b), '\n');

    return end && end > b->ptr && end[1] && b->ptr[b->len - 1] == '\n';
}

static int known_answer(const struct compiler *c, const char *cache_dir, struct buf *answer,
                        struct err *err)
{
    AUTO(freep) char *folder = fs_join(cache_dir, "toolchains");
    struct err ignored = ERR_INIT;
    char key[HASH_HEX];
    struct hash h;

    hash_init(&h);
    hash_file(&h, c->path);
    hash_final(&h, key);

    AUTO(freep) char *file = fs_join(folder, key);

    if (fs_read(file, ANSWER_BYTES * 2, answer, &ignored) == 0 && is_answer(answer))
        return 0;
    buf_reset(answer);
    if (ask_all(c, cache_dir, answer, err) < 0 || fs_mkdirs(folder, err) < 0)
        return -1;
    return fs_write_atomic(file, answer->ptr, answer->len, err);
}

/* "gcc (Debian 12.2.0-14) 12.2.0" and gcc-12 in /usr/bin: "gcc 12.2.0". */
static char *short_name(const char *path, const char *version, size_t len)
{
    const char *word = strstr(path, "clang") ? "clang" : "gcc", *number = version + len;

    while (number > version && number[-1] != ' ')
        number--;
    return xasprintf("%s %.*s", word, (int)(version + len - number), number);
}

int compiler_find(const char *cache_dir, struct compiler *ret, struct err *err)
{
    AUTO(compiler_release) struct compiler c = COMPILER_INIT;
    AUTO(buf_release) struct buf answer = BUF_INIT;
    struct hash h;

    c.path = find_compiler(err);
    if (!c.path)
        return -1;
    c.outside = folder_outside(c.path);
    if (known_answer(&c, cache_dir, &answer, err) < 0)
        return -1;

    char *cc1 = strchr(answer.ptr, '\n') + 1;

    c.name = short_name(c.path, answer.ptr, (size_t)(cc1 - 1 - answer.ptr));
    hash_init(&h);
    hash_adds(&h, answer.ptr);
    hash_file(&h, c.path);
    cc1[strcspn(cc1, "\n")] = '\0';
    hash_file(&h, cc1);
    hash_final(&h, c.identity);
    *ret = c;
    c = (struct compiler)COMPILER_INIT;
    return 0;
}

void compiler_release(struct compiler *c)
{
    freep(&c->path);
    freep(&c->outside);
    freep(&c->name);
}

/* ---- the processor ---- */

void compiler_hash_cpu(struct hash *h)
{
    static const char *const lines[] = {"model name", "flags"};
    AUTO(fd_closep) int fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
    char text[16384]; /* the first processor's part: all are alike, and a large machine has 500 */
    size_t len = 0;
    ssize_t n;

    while (fd >= 0 && len < sizeof(text) - 1 &&
           (n = read(fd, text + len, sizeof(text) - 1 - len)) > 0) {
        len += (size_t)n;
        text[len] = '\0';
        if (strstr(text, "\n\n"))
            break;
    }
    text[len] = '\0';
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        char *line = strstr(text, lines[i]);
        AUTO(freep) char *copy = line ? xstrndup(line, strcspn(line, "\n")) : xstrdup("");

        hash_adds(h, copy);
    }
}
