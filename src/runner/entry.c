/* SPDX-License-Identifier: MIT */
#include "runner/runner.h"
#include "wire/wire.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

/* Not instrumented: before _exit() on another stack the sanitizer would want to read /proc. */
__attribute__((no_sanitize("address"))) static void on_abort(int sig)
{
    (void)sig;
    _exit(WIRE_EXIT_ABORT);
}

/* We are pid 1 of a namespace, where a signal that one sends oneself is ignored: abort() would try
 * it twice and then end in SIGSEGV. The handler has a stack of its own, because the candidate's may
 * be full. */
int runner_catch_abort(void)
{
    static char stack[16384];
    stack_t alt = {.ss_sp = stack, .ss_size = sizeof(stack)};
    struct sigaction action = {.sa_handler = on_abort, .sa_flags = SA_ONSTACK};

    return sigaltstack(&alt, NULL) < 0 ? -1 : sigaction(SIGABRT, &action, NULL);
}

/* Options for AddressSanitizer's runtime, in builds that have it. A candidate's fault has to end
 * the process by its signal here too, and leaks cannot be looked for inside the sandbox. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_sigill=0:handle_sigfpe=0";
}

static int if_open(int fd)
{
    return fcntl(fd, F_GETFD) < 0 ? -1 : fd;
}

int runner_main(const char *name, const struct device *substitute)
{
    int type = 0;
    socklen_t len = sizeof(type);

    if (getsockopt(WIRE_SOCKET_FD, SOL_SOCKET, SO_TYPE, &type, &len) < 0 ||
        type != SOCK_SEQPACKET) {
        fprintf(stderr, "%s: started by assay, which gives it a socket; run assay eval\n", name);
        return 2;
    }
    if (runner_catch_abort() < 0)
        return 2;
    /* Looks for descriptors before anything else is opened: later the driver may use their
     * numbers. */
    runner_run(WIRE_SOCKET_FD, if_open(WIRE_LOCK_FD), if_open(WIRE_TURN_FD), substitute, 0);
}
