/* SPDX-License-Identifier: MIT */
#include "device/cuda/cuda_module.h"

#include "device/cuda/cuda_launch.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define PLAIN_SMEM_BYTES (48 << 10) /* a kernel has to ask for more */
#define CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES 8

struct cuda_module {
    const struct cuda_driver *cu; /* not owned */
    char *bytes;                  /* owned; program points into it */
    char *cubin;                  /* owned: a copy at an address that is aligned */
    struct cuda_program program;
    CUmodule module;
    CUfunction functions[CUDA_LAUNCH_MAX_LINES];
};

struct prepared {
    CUfunction function;
    struct cuda_launch launch;
    void *params[CUDA_LAUNCH_MAX_ARGS + 1]; /* point into launch.args */
};

struct cuda_launches {
    const struct cuda_driver *cu; /* not owned */
    int n;
    struct prepared items[];
};

/* Drivers since 550 tell which parameters a kernel takes. The function is looked up by name, since
 * older drivers lack it. */
typedef CUresult (*param_info_fn)(CUfunction function, size_t index, size_t *offset, size_t *size);

/* Too few arguments would make the driver read past the list, too narrow ones past a value. */
static int check_params(CUfunction function, const struct cuda_launch *l, struct err *err)
{
    param_info_fn ask = (param_info_fn)dlsym(RTLD_DEFAULT, "cuFuncGetParamInfo");
    size_t offset, size;

    for (int i = 0; ask && i < l->n_args; i++) {
        const struct cuda_arg *a = &l->args[i];

        if (ask(function, (size_t)i, &offset, &size) != 0)
            return fail(err, ERR_INPUT, "kernel %s takes %d arguments, and args= has %d", l->name,
                        i, l->n_args);
        if (size != cuda_arg_size(a->type))
            return fail(err, ERR_INPUT,
                        "argument %d of kernel %s has %zu bytes, and args= passes %s (%zu bytes)",
                        i + 1, l->name, size, cuda_arg_names[a->type], cuda_arg_size(a->type));
    }
    if (ask && ask(function, (size_t)l->n_args, &offset, &size) == 0)
        return fail(err, ERR_INPUT, "kernel %s takes more than the %d arguments of args=", l->name,
                    l->n_args);
    return 0;
}

/* Adds to the error which line it is about. */
static int of_line(const struct cuda_module *m, int line, struct err *err)
{
    int number = cuda_launch_line(&m->program.lines[line]);

    return number ? wrap(err, "line %d", number) : wrap(err, "launch line %d", line + 1);
}

static int find_function(struct cuda_module *m, int line, struct err *err)
{
    const struct cuda_text *text = &m->program.lines[line];
    struct cuda_launch l;
    CUresult rc;

    if (cuda_launch_parse(text->at, text->len, NULL, &l, err) < 0)
        return -1;
    rc = m->cu->cuModuleGetFunction(&m->functions[line], m->module, l.name);
    if (rc)
        return cuda_fail(m->cu, rc, err, "no kernel %s (is it extern \"C\" __global__?)", l.name);
    return check_params(m->functions[line], &l, err);
}

static int load_module(struct cuda_module *m, struct err *err)
{
    CUresult rc = m->cu->cuModuleLoadDataEx(&m->module, m->cubin, 0, NULL, NULL);

    if (rc)
        return cuda_fail(m->cu, rc, err, "candidate does not load");
    for (int i = 0; i < m->program.n_lines; i++)
        if (find_function(m, i, err) < 0)
            return of_line(m, i, err);
    return 0;
}

int cuda_module_load(const struct cuda_driver *cu, const char *bytes, size_t len,
                     struct cuda_module **ret, struct err *err)
{
    struct cuda_module *m = xcalloc(1, sizeof(*m));

    m->cu = cu;
    m->bytes = xmalloc(len);
    memcpy(m->bytes, bytes, len);
    if (cuda_program_split(m->bytes, len, &m->program, err) == 0) {
        m->cubin = xmalloc(m->program.cubin.len);
        memcpy(m->cubin, m->program.cubin.at, m->program.cubin.len);
        if (load_module(m, err) == 0) {
            *ret = m;
            return 0;
        }
    }
    free(m->cubin);
    free(m->bytes);
    free(m);
    return -1;
}

static int prepare(const struct cuda_module *m, int line, const struct device_call *c,
                   struct prepared *ret, struct err *err)
{
    const struct cuda_text *text = &m->program.lines[line];
    CUresult rc = 0;

    ret->function = m->functions[line];
    if (cuda_launch_parse(text->at, text->len, c, &ret->launch, err) < 0)
        return -1;
    for (int i = 0; i < ret->launch.n_args; i++)
        ret->params[i] = &ret->launch.args[i].bits;
    if (ret->launch.smem > PLAIN_SMEM_BYTES)
        rc = m->cu->cuFuncSetAttribute(
            ret->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)ret->launch.smem);
    if (rc == 0)
        return 0;
    cuda_fail(m->cu, rc, err, "smem=%u", ret->launch.smem);
    return of_line(m, line, err);
}

int cuda_launches_new(const struct cuda_module *m, const struct device_call *c,
                      struct cuda_launches **ret, struct err *err)
{
    int n = m->program.n_lines;
    struct cuda_launches *l = xcalloc(1, sizeof(*l) + (size_t)n * sizeof(l->items[0]));

    l->cu = m->cu;
    for (; l->n < n; l->n++)
        if (prepare(m, l->n, c, &l->items[l->n], err) < 0) {
            free(l);
            return -1;
        }
    *ret = l;
    return 0;
}

void cuda_launches_free(struct cuda_launches *l)
{
    free(l);
}

CUresult cuda_launches_run(const struct cuda_launches *l, CUstream stream)
{
    CUresult rc = 0;

    for (int i = 0; i < l->n && rc == 0; i++) {
        const struct cuda_launch *a = &l->items[i].launch;

        rc = l->cu->cuLaunchKernel(l->items[i].function, a->grid[0], a->grid[1], a->grid[2],
                                   a->block[0], a->block[1], a->block[2], a->smem, stream,
                                   (void **)l->items[i].params, NULL);
    }
    return rc;
}
