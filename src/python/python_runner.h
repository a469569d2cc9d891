/* SPDX-License-Identifier: MIT */
/* A runner inside a Python process: libassay-runner.so, which workers/zygote.py loads. Protocol,
 * page, walls, seal, hold and clock are those of assay-runner. Python only imports the candidate
 * and calls it.
 *
 * workers/assay_python/library.py has the same structures; tests/e2e/python_binding.sh holds them
 * together. */
#ifndef ASSAY_PYTHON_PYTHON_RUNNER_H
#define ASSAY_PYTHON_PYTHON_RUNNER_H

#include "sandbox/sandbox.h"
#include "tensor/shape.h"

#include <stdint.h>

struct python_tensor {
    int32_t dtype; /* enum dtype */
    int32_t rank;
    int64_t dim[SHAPE_MAX_RANK];
    void *data;
};

/* Functions in Python. A failure is -1, with one line in `text`. */
struct python_glue {
    /* Readies torch for the device, while all code is ours. */
    int (*open)(int index);
    /* Imports and constructs the candidate. */
    int (*load)(const void *bundle, size_t bytes);
    /* Parameters of the problem, before there is a pair of arenas; none: there is no arena of them.
     * With fixed weights the candidate is constructed again. */
    int (*values)(const struct python_tensor *params, int n);
    /* Makes tensors of one pair of arenas; in[first_param...] are parameters. Returns a number for
     * call(). */
    int (*prepare)(const struct python_tensor *in, int n_in, int first_param,
                   const struct python_tensor *out, int n_out);
    int (*call)(int number);
    /* Copies the last call's results into the output arena, and those of later calls inside the
     * call: their memory cannot be shared. */
    int (*copy)(void);
    /* Writes what is in the candidate's folder to a file. */
    int (*save)(int fd);
    char *text;
    size_t text_bytes;
    /* Set by load(): how the problem's parameters were bound (process/bound.h). */
    const char *note;
    /* Addresses of the last call's results, if they are not in the output arena. */
    const uint64_t *results;
    const int32_t *n_results;
};

/* A runner's part. Lists end with NULL. */
struct python_role {
    const char *device;               /* "cpu", "cuda" */
    const char *const *read_paths;    /* paths that the walls let it read */
    const char *const *program_paths; /* a rehearsal: programs that it may start; NULL: none */
    const char *const *hidden_paths;  /* for sandbox_hide() */
};

/* For Python: functions of src/sandbox with a text in place of struct err. */
int assay_unshare(int attempt, uint32_t *ret_layers, char *text, size_t text_bytes);
/* Becomes a runner (sandbox_settle(), runner_run()) and does not return. */
_Noreturn void assay_run(const struct sandbox_birth *birth, uint32_t layers,
                         const struct python_role *role, const struct python_glue *glue);

#endif
