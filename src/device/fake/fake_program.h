/* SPDX-License-Identifier: MIT */
/*
 * The language of .fake candidates: one instruction per line, `#` starts a comment.
 *
 *   op relu                relu, copy, negate, zeros, nan; without op nothing is written
 *   half                   op fills only the first half of each output
 *   first-call-only        op is skipped after the first call
 *   replay                 later calls write again what the first one wrote
 *   thread                 op runs in a second thread
 *   time 41.2us            the time that each call claims (else 10us); ns, us, ms, s
 *   jitter 2%              claims go up and down by at most this, the same way in every run
 *   queue 1ms              really takes so long on the host before the device has its work
 *   early 1ms              really takes so long before it says that the device is held
 *   no-entry               loading fails as it does for a candidate without assay_kernel
 *
 *   wrong                  spoils the last element of each output
 *   past-end               writes 16 bytes behind each output
 *   before-start           writes 16 bytes before each output
 *   write-input            writes to the first input
 *   lift-input             lifts the first input's read-only mapping, and writes to it
 *   sleep 5ms              really sleeps, whatever it claims
 *   hang                   never comes back
 *   crash SIGSEGV          SIGSEGV, SIGILL or SIGABRT
 *   exit 3                 ends the process
 *   return 7               returns this status
 *   fault                  reports a fault of the device
 *   sync                   waits for the device inside the call: a device that is held gives up
 *   fork, socket           a system call that the sandbox kills for
 *   open /etc/passwd       returns 99 if that succeeds
 *   stderr 100MB           writes this much to stderr, in the first call
 *
 * Instructions of the second group happen in every call, unless `at call N` (from 1), `at setup` or
 * `at load` follows. The table in fake_program.c says which of these moments it can have.
 * To add an instruction: a row in fake_program.c's table, and a line here.
 */
#ifndef ASSAY_DEVICE_FAKE_PROGRAM_H
#define ASSAY_DEVICE_FAKE_PROGRAM_H

#include "device/device.h"

enum fake_op {
    FAKE_OP_NONE,
    FAKE_OP_RELU,
    FAKE_OP_COPY,
    FAKE_OP_NEGATE,
    FAKE_OP_ZEROS,
    FAKE_OP_NAN
};

enum fake_when {
    FAKE_AT_LOAD = 1 << 0,
    FAKE_AT_SETUP = 1 << 1,
    FAKE_AT_CALL = 1 << 2,
};

struct fake_verb;

struct fake_step {
    const struct fake_verb *verb;
    enum fake_when when;
    uint64_t call; /* FAKE_AT_CALL: only in this call; 0: in each */
    double number; /* nanoseconds, bytes, status, signal */
    char path[128];
};

#define FAKE_MAX_STEPS 64

struct fake_program {
    enum fake_op op;
    bool half, first_only, replay, thread, no_entry;
    double time_ns, queue_ns, early_ns, jitter; /* jitter: 0.02 for 2% */
    struct fake_step steps[FAKE_MAX_STEPS];
    int n_steps;
    uint64_t calls;   /* calls so far */
    char *first_data; /* replay: what the first call wrote; owned */
};

/* Parses a program; ERR_INPUT "line N: ..." if it is wrong. */
int fake_program_parse(const char *text, struct fake_program *ret, struct err *err);
void fake_program_release(struct fake_program *p);

/* Does what the program says for this moment; c is NULL at load. Returns what a candidate would. */
int fake_program_run(struct fake_program *p, enum fake_when when, const struct device_call *c);
/* Sleep as `queue` and `early` say: before the device has its work, and before it is held. */
void fake_program_queue(const struct fake_program *p);
void fake_program_early(const struct fake_program *p);
/* True if the next call waits for the device before it comes back. */
bool fake_program_waits(const struct fake_program *p);
/* The time that the last call claims. */
uint64_t fake_program_claim_ns(const struct fake_program *p);

#endif
