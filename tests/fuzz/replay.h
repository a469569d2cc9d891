/* SPDX-License-Identifier: MIT */
/* A fuzz target is LLVMFuzzerTestOneInput(). Built with -fsanitize=fuzzer -DASSAY_LIBFUZZER it is a
 * fuzzer; built without, this main() replays the files (and files in folders) named on the command
 * line, so that every input that ever mattered is a test. A target says what it accepted: one whose
 * whole corpus is refused at the door tests nothing, and nobody would notice. */
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

#include "base/fs.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define REPLAY_MAX_BYTES ((size_t)16 << 20)

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
    return 1;
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
    int n = 0;

    for (int i = 1; i < argc; i++)
        n += replay_path(argv[i]);
    printf("%d inputs replayed, %d accepted\n", n, fuzz_n_accepted);
    return n > 1 && fuzz_n_accepted == 0;
}

#endif
#endif
