/* SPDX-License-Identifier: MIT */
/* A store that several processes write, and one whose writer is killed. */
#include "store_rig.h"

#include "store/run_store.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* A writer killed at any moment leaves a store that opens, with every record it had confirmed. */
static void survives_kill_9(void **state)
{
    AUTO(freep) char *home = home_dir();
    struct err err = ERR_INIT;
    int64_t n = -1;
    int confirmed = 0;

    (void)state;
    for (int round = 0; round < 10; round++) {
        int out[2];
        char byte;

        assert_int_equal(pipe(out), 0);

        pid_t pid = fork();

        if (pid == 0) {
            struct store *s = NULL;

            if (store_open(home, &s, &err) < 0)
                _exit(1);
            for (int i = 0;; i++) {
                char id[32];

                snprintf(id, sizeof(id), "%d-%d", round, i);
                if (add(s, id, &err) < 0 || write(out[1], "x", 1) != 1)
                    _exit(1);
            }
        }
        close(out[1]);
        for (int i = 0; i < 5 + round && read(out[0], &byte, 1) == 1; i++)
            confirmed++;
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        while (read(out[0], &byte, 1) == 1)
            confirmed++;
        close(out[0]);
    }

    AUTO(store_closep) struct store *s = NULL;

    assert_int_equal(store_open(home, &s, &err), 0);
    assert_int_equal(store_count(s, &n, &err), 0);
    /* One more per round may have been committed and not yet confirmed. */
    assert_true(n >= confirmed && n <= confirmed + 10);
}

/* Eight first users at once: one of them was told "database is locked". */
static void many_open_a_new_store_at_once(void **state)
{
    (void)state;
    for (int round = 0; round < 10; round++) {
        AUTO(freep) char *home = home_dir();
        pid_t pids[8];
        struct err err = ERR_INIT;
        int64_t n = -1;

        for (int i = 0; i < 8; i++) {
            pids[i] = fork();
            if (pids[i] == 0) {
                struct store *s = NULL;
                char id[16];

                snprintf(id, sizeof(id), "%d", i);
                if (store_open(home, &s, &err) < 0 || add(s, id, &err) < 0) {
                    print_error("%s\n", err.text);
                    _exit(1);
                }
                store_close(s);
                _exit(0);
            }
        }
        for (int i = 0; i < 8; i++) {
            int status = -1;

            assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
            assert_int_equal(status, 0);
        }

        AUTO(store_closep) struct store *s = NULL;

        assert_int_equal(store_open(home, &s, &err), 0);
        assert_int_equal(store_count(s, &n, &err), 0);
        assert_int_equal(n, 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survives_kill_9),
        cmocka_unit_test(many_open_a_new_store_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
