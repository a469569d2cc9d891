/* SPDX-License-Identifier: MIT */
/* gcc is only a driver: cc1 (cc1plus) does the work and can be updated alone, so its file counts
 * too, on every call. */
#include "build/compiler.h"

#include "build/program.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct language {
    const char *variable;
    const char *const *names;
    const char *ask_cc1;
    const char *install;
} language_c = {"ASSAY_CC", (const char *const[]){"gcc", "cc", NULL}, "-print-prog-name=cc1",
                "no C compiler found: install gcc"},
  language_cxx = {"ASSAY_CXX", (const char *const[]){"g++", "c++", NULL},
                  "-print-prog-name=cc1plus", "nvcc needs a C++ compiler: install g++"};

/* Makes "gcc 12.2.0" of "g++ (Debian 12.2.0-14) 12.2.0" and g++-12 in /usr/bin. */
static char *short_name(const char *path, const char *version, size_t len)
{
    const char *word = strstr(path, "clang") ? "clang" : "gcc", *number = version + len;

    while (number > version && number[-1] != ' ')
        number--;
    return xasprintf("%s %.*s", word, (int)(version + len - number), number);
}

/* The compiler's answer has the version, a licence, and in the last line the path of cc1. */
static char *cc1_of(const struct buf *answer)
{
    AUTO(freep) char *text = xstrdup(buf_str(answer));
    size_t len = strlen(text);

    if (len && text[len - 1] == '\n')
        text[len - 1] = '\0';

    char *newline = strrchr(text, '\n');

    return xstrdup(newline ? newline + 1 : text);
}

static int find(const struct language *l, const char *cache_dir, struct compiler *ret,
                struct err *err)
{
    AUTO(compiler_release) struct compiler c = COMPILER_INIT;
    AUTO(buf_release) struct buf answer = BUF_INIT;
    const char *const options[] = {"--version", l->ask_cc1, NULL};
    struct hash h;

    c.path = program_choose(l->variable, l->names, l->install, err);
    if (!c.path || program_ask(c.path, options, cache_dir, &answer, err) < 0)
        return -1;
    c.outside = program_outside(c.path);
    c.name = short_name(c.path, buf_str(&answer), strcspn(buf_str(&answer), "\n"));

    AUTO(freep) char *cc1 = cc1_of(&answer);

    hash_init(&h);
    hash_adds(&h, buf_str(&answer));
    program_hash_file(&h, c.path);
    program_hash_file(&h, cc1);
    hash_final(&h, c.identity);
    *ret = c;
    c = (struct compiler)COMPILER_INIT;
    return 0;
}

int compiler_find(const char *cache_dir, struct compiler *ret, struct err *err)
{
    return find(&language_c, cache_dir, ret, err);
}

int compiler_find_cxx(const char *cache_dir, struct compiler *ret, struct err *err)
{
    return find(&language_cxx, cache_dir, ret, err);
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
