/* SPDX-License-Identifier: MIT */
/* Who may use a device, and when: one lock for each device of this machine, whoever's the process.
 *
 *   who                                  how           on
 *   ------------------------------------------------------------------------------------------
 *   judging with times, calibrating      alone         every device
 *   judging without times                shared        every device (alone where a problem has
 *                                                      the device's memory counted)
 *   drawing the first contents,          shared        devices with a driver
 *   admission
 *   compiling                            shared        devices whose cores are timed
 *   opening the judge's own context      alone, or     devices with a driver: spares wait until
 *                                        not at all    it is open
 *   a spare that opens its device        shared; it    every device; where somebody is timed, one
 *                                        lets go       with a driver waits by itself, and none is
 *                                                      started on the others
 *   the last candidate's processes,      shared; from  devices with a driver
 *   until they are gone                  alone
 *
 * So nobody is timed while anything of ours burns cycles, opens a driver or leaves one. Who wants
 * the lock alone goes before those who come later and would share it: they pass a turnstile, a
 * second file, which he holds while he waits. (By itself flock() grants shared locks as long as
 * there are any, and he would wait for ever.)
 *
 * A lock goes with its descriptor: a process that inherits it holds it, too, and death lets go.
 * ASSAY_LOCK_DIR names another folder for the files: evaluations under different folders do not
 * wait for each other, as tests want it that measure nothing. */
#ifndef ASSAY_PROCESS_DEVLOCK_H
#define ASSAY_PROCESS_DEVLOCK_H

#include "base/err.h"
#include "device/device.h"

struct devlock {
    int fd;   /* -1: none */
    int turn; /* of the turnstile, for who waits by itself; else -1 */
};
#define DEVLOCK_INIT \
    {                \
        -1, -1       \
    }
/* Lets go; DEVLOCK_INIT is fine. */
void devlock_release(struct devlock *l);

/* These wait their turn and add the time to *waited_ms. Where the device asks for no lock, *ret
 * stays without. */
int devlock_alone(const struct device *d, int index, struct devlock *ret, double *waited_ms,
                  struct err *err);
int devlock_shared(const struct device *d, int index, struct devlock *ret, double *waited_ms,
                   struct err *err);
int devlock_to_prepare(const struct device *d, int index, struct devlock *ret, double *waited_ms,
                       struct err *err);
int devlock_to_build(const struct device *d, int index, struct devlock *ret, double *waited_ms,
                     struct err *err);

/* Without waiting, and without an error: what cannot be had is not needed. */
void devlock_to_open(const struct device *d, int index, struct devlock *ret);
/* For processes that inherit it and open their device; false: none is to be started now. */
bool devlock_for_spares(const struct device *d, int index, struct devlock *ret);
/* From alone to shared. Where another who waited is quicker, the lock is his. */
void devlock_share(struct devlock *l);

#endif
