/* SPDX-License-Identifier: MIT */
/* The lock of a device: who may use the device, and when. There is one lock for each device of this
 * machine, for the processes of all users.
 *
 *   who                                  how           on
 *   ------------------------------------------------------------------------------------------
 *   judging with times, calibrating      alone         every device
 *   judging without times                shared        every device (alone if a problem has the
 *                                                      device's memory counted, or the judge opens
 *                                                      results of the candidate's)
 *   drawing the first contents,          shared        devices with a driver
 *   admission
 *   compiling                            shared        devices whose cores are timed
 *   opening the judge's own context      alone, or     devices with a driver: spares wait until
 *                                        not at all    it is open
 *   a spare that opens its device        shared, until every device; while somebody is timed, a
 *                                        it is open    spare with a driver waits by itself, and
 *                                                      none without a driver is started
 *   the last candidate's processes,      alone, then   devices with a driver
 *   until they are gone                  shared
 *
 * So nobody is timed while anything of ours burns cycles, opens a driver or closes one. A process
 * that wants the lock alone goes before those that come later and would share it. All pass a
 * turnstile, a second file, and that process holds it while it waits. (flock() alone grants shared
 * locks as long as there are any, and it would wait for ever.)
 *
 * A lock goes with its descriptor: a process that inherits it holds it too, and death releases it.
 * ASSAY_LOCK_DIR names another folder for the files. Evaluations under different folders do not
 * wait for each other; tests that measure nothing use that. */
#ifndef ASSAY_PROCESS_DEVLOCK_H
#define ASSAY_PROCESS_DEVLOCK_H

#include "base/err.h"
#include "device/device.h"

struct devlock {
    int fd;   /* -1: no lock */
    int turn; /* the turnstile's descriptor, if a spare has to wait by itself; else -1 */
};
#define DEVLOCK_INIT \
    {                \
        -1, -1       \
    }
/* Releases the lock; DEVLOCK_INIT is fine. */
void devlock_release(struct devlock *l);

/* Locks that wait their turn, and add the time to *waited_ms. If the device needs no such lock,
 * *ret is not changed. */
int devlock_alone(const struct device *d, int index, struct devlock *ret, double *waited_ms,
                  struct err *err);
int devlock_shared(const struct device *d, int index, struct devlock *ret, double *waited_ms,
                   struct err *err);
int devlock_to_prepare(const struct device *d, int index, struct devlock *ret, double *waited_ms,
                       struct err *err);
int devlock_to_build(const struct device *d, int index, struct devlock *ret, double *waited_ms,
                     struct err *err);

/* Tries to lock alone, without waiting and without an error: a lock that is not free is not
 * needed. */
void devlock_to_open(const struct device *d, int index, struct devlock *ret);
/* The lock for spares, which inherit it and open their device; false: none is to be started now. */
bool devlock_for_spares(const struct device *d, int index, struct devlock *ret);
/* Changes the lock from alone to shared. Another process that waits may get it in between, and
 * keeps it then. */
void devlock_share(struct devlock *l);

#endif
