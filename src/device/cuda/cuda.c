/* SPDX-License-Identifier: MIT */
/* Files that a runner may reach on an NVIDIA machine: the driver's device nodes, files that tell
 * the driver about the machine, and its library files one by one. Not whole library folders: cuBLAS
 * and its kin may lie there, and a candidate is not to load them. */
#include "device/cuda/cuda_device.h"

#include "device/cuda/cuda_driver.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* "FOLDER/libnvidia-*.so*", with the folder of the libcuda that was found. "" until probe(). */
static char beside_driver[PATH_MAX];

const char *const cuda_read_paths[] = {
    beside_driver,
    /* Libraries that libcuda and nvcc's shared objects are linked with, and the driver's usual
     * places. */
    "/etc/ld.so.cache",
    "/{usr/,}lib{,64,/x86_64-linux-gnu}/lib{cuda,nvidia-*,stdc++,gcc_s,c,m,dl,rt,pthread}.so*",
    "/etc/nvidia",
    "/usr/share/nvidia",
    "/proc/self",
    "/proc/driver/nvidia*",
    "/proc/{cpuinfo,devices,meminfo,modules,stat,version}",
    "/proc/sys/{kernel,vm}",
    "/sys",
    "/dev/urandom",
    NULL,
};

const char *const cuda_write_paths[] = {
    "/dev/nvidiactl",
    "/dev/nvidia[0-9]*",
    "/dev/nvidia-uvm*",
    "/dev/null",
    "/proc/self/task", /* drivers since 570 name their threads there, or fail with error 304 */
    NULL,
};

static void find_beside_driver(const struct cuda_driver *cu)
{
    Dl_info info;
    const char *slash = dladdr((void *)cu->cuInit, &info) ? strrchr(info.dli_fname, '/') : NULL;

    if (slash)
        snprintf(beside_driver, sizeof(beside_driver), "%.*s/libnvidia-*.so*",
                 (int)(slash - info.dli_fname), info.dli_fname);
}

/* Probes without cuInit, after which nobody may fork. */
int cuda_probe(const char **ret_why)
{
    const struct cuda_driver *cu = cuda_driver(ret_why);
    glob_t nodes = {0};
    int n = 0;

    if (!cu)
        return 0;
    find_beside_driver(cu);
    if (glob("/dev/nvidia[0-9]*", GLOB_NOSORT, NULL, &nodes) == 0)
        n = (int)nodes.gl_pathc;
    globfree(&nodes);
    if (n == 0)
        *ret_why = "no NVIDIA GPU (/dev/nvidia0)";
    return n;
}

/* A context's queues to the device are most of its cost. With two, and one for copies, it is made
 * and closed in 110 ms; with the usual eight it takes 210 (H200). PyTorch gets as many. */
#define QUEUES "CUDA_DEVICE_MAX_CONNECTIONS=2", "CUDA_DEVICE_MAX_COPY_CONNECTIONS=1"
const char *const cuda_worker_env[] = {QUEUES, NULL};
/* Without these the driver would load code at the first launch, or find it in a cache, and that
 * would be timed. */
const char *const cuda_runner_env[] = {"CUDA_MODULE_LOADING=EAGER", "CUDA_CACHE_DISABLE=1", QUEUES,
                                       NULL};
