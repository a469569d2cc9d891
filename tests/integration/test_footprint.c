/* SPDX-License-Identifier: MIT */
/* What a process holds for itself, seen from outside. */
#include "testing.h"

#include "process/footprint.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MB ((int64_t)1 << 20)
#define TAKEN (64 * MB)

static int said[2];

static bool first_thread_has_ended(void)
{
    char path[64], state = 0;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)getpid());
    f = fopen(path, "re");
    if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
        _exit(1);
    fclose(f);
    return state == 'Z';
}

static void *take(void *arg)
{
    char *room = malloc(TAKEN);

    while (arg && !first_thread_has_ended())
        usleep(1000);
    if (room)
        memset(room, 1, TAKEN);
    if (!room || write(said[1], room, 1) != 1)
        _exit(1);
    for (;;)
        pause();
}

/* A process that holds 64 MB, with or without its first thread. */
static pid_t start(bool first_thread_ends)
{
    pthread_t thread;
    char byte;
    pid_t pid;

    assert_int_equal(pipe(said), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (!first_thread_ends)
            take(NULL);
        if (pthread_create(&thread, NULL, take, said) == 0)
            syscall(SYS_exit, 0);
        _exit(1);
    }
    assert_int_equal(read(said[0], &byte, 1), 1);
    close(said[0]);
    close(said[1]);
    return pid;
}

static void holds_what_it_took(bool first_thread_ends)
{
    pid_t pid = start(first_thread_ends);
    struct err err = ERR_INIT;
    int64_t held = 0;

    assert_int_equal(footprint_peak(pid, &held, &err), 0);
    assert_in_range(held, TAKEN, 1 << 30);
    assert_in_range(footprint_resident(pid), TAKEN, 1 << 30);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void what_a_process_took_is_seen(void **state)
{
    (void)state;
    holds_what_it_took(false);
}

/* The process goes by its name, but the memory is all threads'. */
static void what_it_took_is_seen_without_its_first_thread(void **state)
{
    (void)state;
    holds_what_it_took(true);
}

static void who_is_gone_holds_nothing(void **state)
{
    struct err err = ERR_INIT;
    int64_t held = 0;
    pid_t pid = fork();

    (void)state;
    if (pid == 0)
        _exit(0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(footprint_resident(pid), 0);
    assert_int_equal(footprint_peak(pid, &held, &err), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_process_took_is_seen),
        cmocka_unit_test(what_it_took_is_seen_without_its_first_thread),
        cmocka_unit_test(who_is_gone_holds_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
