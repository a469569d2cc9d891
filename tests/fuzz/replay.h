/* SPDX-License-Identifier: MIT */
/* A fuzz target is LLVMFuzzerTestOneInput(). Built with -fsanitize=fuzzer -DASSAY_LIBFUZZER it is a
 * fuzzer; built without, this main() replays the files (and files in folders) named on the command
 * line, so that every input that ever mattered is a test. "--mutate SECONDS" also tries inputs that
 * are a few random edits away from these, for a quick look where there is no fuzzer. A target says
 * what it accepted: one whose whole corpus is refused at the door tests nothing, and nobody would
 * notice. */
#ifndef ASSAY_FUZZ_REPLAY_H
#define ASSAY_FUZZ_REPLAY_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int fuzz_n_accepted;

static void fuzz_accepted(void)
{
    fuzz_n_accepted++;
}

#ifndef ASSAY_LIBFUZZER

#include "base/clock.h"
#include "base/fs.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define REPLAY_MAX_BYTES ((size_t)16 << 20)
#define MUTATE_MAX_BYTES ((size_t)1 << 16)
#define MUTATE_MAX_EDITS 6

static struct buf *replayed; /* inputs, for --mutate */
static int n_replayed;

/* The bytes go into a block of exactly their size, so that a sanitizer sees one byte too far. */
static int replay_file(const char *path)
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    struct err err = ERR_INIT;

    if (fs_read(path, REPLAY_MAX_BYTES, &text, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        exit(4);
    }

    AUTO(freep) uint8_t *exact = xmalloc(text.len);

    if (text.len)
        memcpy(exact, text.ptr, text.len);
    LLVMFuzzerTestOneInput(exact, text.len);
    replayed = xrealloc(replayed, (size_t)(n_replayed + 1) * sizeof(*replayed));
    replayed[n_replayed++] = text;
    text = (struct buf)BUF_INIT;
    return 1;
}

static size_t below(size_t n)
{
    return n ? (size_t)random() % n : 0;
}

static size_t at_most(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Replaces a random span by a span of another input, or by a piece that parsers stumble over. */
static void edit(struct buf *text)
{
    static const char *const pieces[] = {
        "-1",      "1e999",    "[[[[", "null", "\"\"", "{}", "9223372036854775807",
        "\\u0000", "\xff\xfe", ":",    ",",    ""};
    const struct buf *other = &replayed[below((size_t)n_replayed)];
    size_t at = below(text->len + 1), cut = at_most(below(16), text->len - at);
    size_t from = below(other->len), take = at_most(below(64), other->len - from);
    const char *piece = pieces[below(ARRAY_SIZE(pieces))];
    struct buf next = BUF_INIT;

    buf_add(&next, text->ptr, at);
    if (below(3) == 0)
        buf_add(&next, other->ptr + from, take);
    else if (below(2) == 0)
        buf_adds(&next, piece);
    else
        buf_addch(&next, (char)below(256));
    buf_add(&next, text->ptr + at + cut, text->len - at - cut);
    buf_release(text);
    *text = next;
}

static long mutate(double seconds)
{
    uint64_t start = clock_ns();
    long n = 0;

    srandom((unsigned)start);
    printf("mutating with seed %u\n", (unsigned)start);
    fflush(stdout); /* an input that aborts can be found again */
    for (; n_replayed && clock_ms_since(start) < 1e3 * seconds; n++) {
        const struct buf *first = &replayed[below((size_t)n_replayed)];
        AUTO(buf_release) struct buf text = BUF_INIT;

        buf_add(&text, first->ptr, MIN(first->len, MUTATE_MAX_BYTES));
        for (size_t i = 0, edits = 1 + below(MUTATE_MAX_EDITS); i < edits; i++)
            edit(&text);

        AUTO(freep) uint8_t *exact = xmalloc(text.len);

        if (text.len)
            memcpy(exact, text.ptr, text.len);
        LLVMFuzzerTestOneInput(exact, text.len);
    }
    return n;
}

static int replay_path(const char *path)
{
    struct stat st;

    if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
        return replay_file(path);

    DIR *dir = opendir(path);
    struct dirent *entry;
    int n = 0;

    while (dir && (entry = readdir(dir))) {
        AUTO(freep) char *name = fs_join(path, entry->d_name);

        if (entry->d_name[0] != '.')
            n += replay_path(name);
    }
    if (dir)
        closedir(dir);
    return n;
}

int main(int argc, char **argv)
{
    double seconds = 0;
    int n = 0;

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--mutate") && i + 1 < argc)
            seconds = strtod(argv[++i], NULL);
        else
            n += replay_path(argv[i]);
    }

    int accepted = fuzz_n_accepted;

    printf("%d inputs replayed, %d accepted\n", n, accepted);
    if (seconds > 0) {
        long tried = mutate(seconds);

        printf("%ld inputs made, %d accepted\n", tried, fuzz_n_accepted - accepted);
    }
    for (int i = 0; i < n_replayed; i++)
        buf_release(&replayed[i]);
    free(replayed);
    return n > 1 && accepted == 0;
}

#endif
#endif
