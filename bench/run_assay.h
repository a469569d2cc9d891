/* SPDX-License-Identifier: MIT */
/* Benchmarks of whole evaluations start `assay` as a user would, and read the records it prints. */
#ifndef ASSAY_BENCH_RUN_ASSAY_H
#define ASSAY_BENCH_RUN_ASSAY_H

#include "base/clock.h"
#include "base/fs.h"

#include <jansson.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <unistd.h>

extern char **environ;

/* Beside this program in a dist tree, one folder up in a build. The caller's to free. */
static inline char *find_assay(void)
{
    AUTO(freep) char *dir = fs_program_dir();
    AUTO(freep) char *beside = fs_join(dir, "assay");

    return fs_exists(beside) ? steal(&beside) : xasprintf("%s/../assay", dir);
}

/* Runs it to its end. *ret_records: an array, one for each line of its output that is JSON;
 * *ret_wall_ms from before the start to after the end. -1: it could not be run. */
static inline int run_assay(char *const *argv, json_t **ret_records, double *ret_wall_ms)
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    posix_spawn_file_actions_t actions;
    struct err err = ERR_INIT;
    int out[2];
    pid_t pid;

    if (pipe2(out, O_CLOEXEC) < 0)
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);

    uint64_t start = clock_ns();
    int failed = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ);

    posix_spawn_file_actions_destroy(&actions);
    close(out[1]);
    if (!failed) {
        failed = fs_read_fd(out[0], 1 << 26, &text, &err) < 0;
        waitpid(pid, NULL, 0);
    }
    *ret_wall_ms = clock_ms_since(start);
    close(out[0]);
    if (failed)
        return -1;
    *ret_records = json_array();
    for (const char *line = buf_str(&text); *line;) {
        size_t n = strcspn(line, "\n");
        json_t *record = json_loadb(line, n, 0, NULL);

        if (record)
            json_array_append_new(*ret_records, record);
        line += n + (line[n] == '\n');
    }
    return 0;
}

/* A number of record.phases_ms; 0 where there is none of that name. */
static inline double phase_ms(const json_t *record, const char *name)
{
    return json_number_value(json_object_get(json_object_get(record, "phases_ms"), name));
}

static inline bool passed(const json_t *record)
{
    const char *verdict = json_string_value(json_object_get(record, "verdict"));

    return verdict && strcmp(verdict, "pass") == 0;
}

#endif
