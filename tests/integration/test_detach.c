/* SPDX-License-Identifier: MIT */
#include "testing.h"

#include "cmd/detach.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_MS 60000 /* nothing here takes so long: then it hangs */

/* A command behind its front. The command says its pid, and waits for a word where it needs one. */
struct pair {
    pid_t front, command;
    int said, word; /* from the command; to it */
    int text;       /* the command's standard output */
};

static void say_pid(int to)
{
    pid_t me = getpid();

    if (write(to, &me, sizeof(me)) != sizeof(me))
        _exit(99);
}

static void await_word(int from)
{
    char c;

    if (read(from, &c, 1) < 0)
        _exit(98);
}

static void start(struct pair *p, void (*command)(int said, int word))
{
    int said[2], word[2], text[2];

    assert_int_equal(pipe2(said, O_CLOEXEC) | pipe2(word, O_CLOEXEC) | pipe2(text, O_CLOEXEC), 0);
    p->front = fork();
    assert_true(p->front >= 0);
    if (p->front == 0) {
        dup2(text[1], STDOUT_FILENO);
        close(text[1]);
        close(said[0]);
        close(word[1]);
        detach_begin();
        command(said[1], word[0]);
        _exit(97);
    }
    close(said[1]);
    close(word[0]);
    close(text[1]);
    p->said = said[0];
    p->word = word[1];
    p->text = text[0];
    assert_int_equal(read(p->said, &p->command, sizeof(p->command)), sizeof(p->command));
    assert_true(p->command != p->front);
}

static int detach_status(const struct pair *p)
{
    int status = 0;

    assert_int_equal(waitpid(p->front, &status, 0), p->front);
    return status;
}

/* Its end of the pipe is closed when it is gone, reaped or not. */
static bool has_ended(const struct pair *p, int limit_ms)
{
    struct pollfd end = {p->said, POLLIN, 0};

    return poll(&end, 1, limit_ms) == 1;
}

static void end(struct pair *p)
{
    close(p->word);
    assert_true(has_ended(p, LIMIT_MS));
    close(p->said);
    close(p->text);
}

static void leaves_with_4(int said, int word)
{
    say_pid(said);
    if (write(STDOUT_FILENO, "pass", 4) != 4)
        _exit(96);
    detach_end(4);
    await_word(word);
    _exit(0);
}

static void front_ends_when_all_is_said(void **state)
{
    struct pair p;
    char text[8];
    int status;

    (void)state;
    start(&p, leaves_with_4);
    status = detach_status(&p);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 4);
    assert_int_equal(read(p.text, text, sizeof(text)), 4);
    assert_int_equal(read(p.text, text, sizeof(text)), 0); /* whoever reads it need not wait */
    assert_false(has_ended(&p, 20));
    end(&p);
}

static void exits_with_5(int said, int word)
{
    say_pid(said);
    await_word(word);
    _exit(5);
}

static void front_exits_as_the_command(void **state)
{
    struct pair p;
    int status;

    (void)state;
    start(&p, exits_with_5);
    assert_int_equal(waitpid(p.front, &status, WNOHANG), 0);
    end(&p);
    status = detach_status(&p);
    assert_int_equal(WEXITSTATUS(status), 5);
}

static void is_killed(int said, int word)
{
    say_pid(said);
    await_word(word);
    kill(getpid(), SIGKILL);
}

static void front_dies_as_the_command(void **state)
{
    struct pair p;
    int status;

    (void)state;
    start(&p, is_killed);
    end(&p);
    status = detach_status(&p);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGKILL);
}

static void ends_with_6(int sig)
{
    (void)sig;
    _exit(6);
}

static void heeds_signals(int said, int word)
{
    signal(SIGTERM, ends_with_6);
    say_pid(said);
    await_word(word);
    _exit(0);
}

/* From the first moment on. One that came before the front was ready ended both: the child often is
 * the first of the two to run, so it was seen within a few rounds. */
static void signals_reach_the_command(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++) {
        struct pair p;
        int status;

        start(&p, heeds_signals);
        kill(p.front, SIGTERM);
        status = detach_status(&p);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 6);
        end(&p);
    }
}

static void command_dies_with_the_front(void **state)
{
    struct pair p;

    (void)state;
    start(&p, exits_with_5);
    kill(p.front, SIGKILL);
    detach_status(&p);
    assert_true(has_ended(&p, LIMIT_MS));
    end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(front_ends_when_all_is_said), cmocka_unit_test(front_exits_as_the_command),
        cmocka_unit_test(front_dies_as_the_command),   cmocka_unit_test(signals_reach_the_command),
        cmocka_unit_test(command_dies_with_the_front),
    };

    return cmocka_run_group_tests_name("front", tests, NULL, NULL);
}
