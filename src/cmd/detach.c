/* SPDX-License-Identifier: MIT */
#include "cmd/detach.h"

#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t command; /* pid of the child that runs the command */
static int detach_fd = -1;            /* descriptor for the child's status; -1 elsewhere */

static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

static void pass_on(int sig)
{
    kill(command, sig);
}

/* Ends as the command ended: by the same signal, or with the same status. */
static _Noreturn void end_alike(void)
{
    int how = 0;

    while (waitpid(command, &how, 0) < 0 && errno == EINTR)
        continue;
    if (WIFSIGNALED(how)) {
        signal(WTERMSIG(how), SIG_DFL);
        raise(WTERMSIG(how));
    }
    _exit(WIFEXITED(how) ? WEXITSTATUS(how) : EXIT_FAILURE);
}

static _Noreturn void stand_in_front(int fd, const sigset_t *mask)
{
    unsigned char status;
    ssize_t n;

    for (size_t i = 0; i < ARRAY_SIZE(passed_on); i++)
        signal(passed_on[i], pass_on);
    sigprocmask(SIG_SETMASK, mask, NULL);
    while ((n = read(fd, &status, 1)) < 0 && errno == EINTR)
        continue;
    if (n == 1)
        _exit(status);
    end_alike();
}

/* Blocks signals until the front can pass them on. A signal that came earlier would end the front,
 * and the command with it by SIGKILL, whatever that had begun. */
static void block_passed_on(sigset_t *ret_before)
{
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < ARRAY_SIZE(passed_on); i++)
        sigaddset(&set, passed_on[i]);
    sigprocmask(SIG_BLOCK, &set, ret_before);
}

void detach_begin(void)
{
    pid_t front = getpid(), pid;
    sigset_t mask;
    int pair[2];

    if (pipe2(pair, O_CLOEXEC) < 0)
        return;
    block_passed_on(&mask);
    pid = fork();
    if (pid > 0) {
        command = pid;
        close(pair[1]);
        stand_in_front(pair[0], &mask);
    }
    sigprocmask(SIG_SETMASK, &mask, NULL);
    close(pair[0]);
    if (pid < 0) {
        close(pair[1]);
        return;
    }
    detach_fd = pair[1];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != front)
        _exit(EXIT_FAILURE);
}

/* Whoever reads our output waits until the streams are closed. */
static void close_streams(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    fflush(stdout);
    for (int fd = 0; fd < 3 && null >= 0; fd++)
        dup2(null, fd);
    close(null);
}

void detach_end(int status)
{
    unsigned char byte = (unsigned char)status;

    if (detach_fd < 0)
        return;
    close_streams();
    prctl(PR_SET_PDEATHSIG, 0);
    if (write(detach_fd, &byte, 1) < 0)
        _exit(status); /* the front is gone */
    fd_closep(&detach_fd);
}
