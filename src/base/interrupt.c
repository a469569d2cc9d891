/* SPDX-License-Identifier: MIT */
#include "base/interrupt.h"

#include "base/fs.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_DIRS 64

static pthread_mutex_t door = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static char *dirs[MAX_DIRS];

void interrupt_hold(void)
{
    pthread_mutex_lock(&door);
}

void interrupt_release(void)
{
    pthread_mutex_unlock(&door);
}

void interrupt_track(const char *dir)
{
    interrupt_hold();
    for (int i = 0; i < MAX_DIRS; i++)
        if (!dirs[i]) {
            dirs[i] = xstrdup(dir);
            break;
        }
    interrupt_release();
}

void interrupt_untrack(const char *dir)
{
    interrupt_hold();
    for (int i = 0; i < MAX_DIRS; i++)
        if (dirs[i] && !strcmp(dirs[i], dir)) {
            free(dirs[i]);
            dirs[i] = NULL;
        }
    interrupt_release();
}

static void *wait_for_signal(void *set)
{
    int sig = 0;

    sigwait(set, &sig);
    interrupt_hold(); /* never released: nothing new starts from here on */
    for (int i = 0; i < MAX_DIRS; i++)
        if (dirs[i])
            fs_remove_tree(dirs[i]);
    _exit(128 + sig);
}

void interrupt_install(void)
{
    static sigset_t set;
    pthread_t thread;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    /* A closed stdout, or `ulimit -f`, is an error of write() and not a silent end. spawn() gives
     * both signals back to children. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    if (pthread_create(&thread, NULL, wait_for_signal, &set) == 0)
        pthread_detach(thread);
    else
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
