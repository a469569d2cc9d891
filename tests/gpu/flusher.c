/* SPDX-License-Identifier: MIT */
/* The judge's flush for a program that is not the judge: flusher REQUESTS ANSWERS.
 *
 * For every byte that arrives in the first pipe (mkfifo) the caches are flushed as before a scored
 * call, by the same code in a context and process of its own, and a byte goes into the second. It
 * ends with whoever started it. */
#include "device/device.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

/* For both directions: that neither waits for the other end, nor ends when a user goes. */
static int open_pipe(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);

    if (fd < 0)
        perror(path);
    return fd;
}

static int serve(const struct device_judge_ops *ops, void *ctx, int requests, int answers,
                 struct err *err)
{
    for (char byte; read(requests, &byte, 1) == 1;) {
        if (ops->flush(ctx, NULL, 0, err) < 0)
            return -1;
        if (write(answers, &byte, 1) != 1)
            return fail_errno(err, "the pipe of answers");
    }
    return fail_errno(err, "the pipe of requests");
}

int main(int argc, char **argv)
{
    struct err err = ERR_INIT;
    void *ctx = NULL;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (argc != 3) {
        fprintf(stderr, "usage: flusher REQUESTS ANSWERS\n");
        return 2;
    }

    int requests = open_pipe(argv[1]), answers = open_pipe(argv[2]);

    if (requests < 0 || answers < 0)
        return 4;
    if (device_cuda.judge->open(0, &ctx, &err) == 0)
        serve(device_cuda.judge, ctx, requests, answers, &err);
    fprintf(stderr, "flusher: %s\n", err.text);
    return 5;
}
