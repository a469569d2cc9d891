/* SPDX-License-Identifier: MIT */
#include "terms/fault_name.h"

#include "base/util.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>

static const char *const faults[] = {
    /* Answers of the CUDA driver to a launch, an event or a wait. */
    "CUDA_ERROR_INVALID_VALUE",
    "CUDA_ERROR_OUT_OF_MEMORY",
    "CUDA_ERROR_NOT_INITIALIZED",
    "CUDA_ERROR_DEINITIALIZED",
    "CUDA_ERROR_DEVICE_UNAVAILABLE",
    "CUDA_ERROR_NO_DEVICE",
    "CUDA_ERROR_INVALID_DEVICE",
    "CUDA_ERROR_INVALID_IMAGE",
    "CUDA_ERROR_INVALID_CONTEXT",
    "CUDA_ERROR_MAP_FAILED",
    "CUDA_ERROR_UNMAP_FAILED",
    "CUDA_ERROR_NO_BINARY_FOR_GPU",
    "CUDA_ERROR_ECC_UNCORRECTABLE",
    "CUDA_ERROR_NVLINK_UNCORRECTABLE",
    "CUDA_ERROR_CONTAINED",
    "CUDA_ERROR_OPERATING_SYSTEM",
    "CUDA_ERROR_INVALID_HANDLE",
    "CUDA_ERROR_ILLEGAL_STATE",
    "CUDA_ERROR_NOT_FOUND",
    "CUDA_ERROR_NOT_READY",
    "CUDA_ERROR_ILLEGAL_ADDRESS",
    "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
    "CUDA_ERROR_LAUNCH_TIMEOUT",
    "CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING",
    "CUDA_ERROR_CONTEXT_IS_DESTROYED",
    "CUDA_ERROR_ASSERT",
    "CUDA_ERROR_HARDWARE_STACK_ERROR",
    "CUDA_ERROR_ILLEGAL_INSTRUCTION",
    "CUDA_ERROR_MISALIGNED_ADDRESS",
    "CUDA_ERROR_INVALID_ADDRESS_SPACE",
    "CUDA_ERROR_INVALID_PC",
    "CUDA_ERROR_LAUNCH_FAILED",
    "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
    "CUDA_ERROR_TENSOR_MEMORY_LEAK",
    "CUDA_ERROR_NOT_PERMITTED",
    "CUDA_ERROR_NOT_SUPPORTED",
    "CUDA_ERROR_SYSTEM_NOT_READY",
    "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
    "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
    "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
    "CUDA_ERROR_STREAM_CAPTURE_MERGE",
    "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED",
    "CUDA_ERROR_STREAM_CAPTURE_UNJOINED",
    "CUDA_ERROR_STREAM_CAPTURE_ISOLATION",
    "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
    "CUDA_ERROR_CAPTURED_EVENT",
    "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD",
    "CUDA_ERROR_TIMEOUT",
    "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE",
    "CUDA_ERROR_EXTERNAL_DEVICE",
    "CUDA_ERROR_INVALID_CLUSTER_SIZE",
    "CUDA_ERROR_UNKNOWN",
    /* Baselines in PyTorch (workers/assay_worker/session.py). */
    "TORCH",
    "PYTHON", /* an exception in a candidate */
    "OUT_OF_MEMORY",
    /* The fake device (device/fake/fake_runner.c). */
    "FAKE_ERROR_FAULT",
};

#define SIGNAL(name) [name] = #name
static const char *const signals[] = {
    SIGNAL(SIGHUP),    SIGNAL(SIGINT),  SIGNAL(SIGQUIT),  SIGNAL(SIGILL),  SIGNAL(SIGTRAP),
    SIGNAL(SIGABRT),   SIGNAL(SIGBUS),  SIGNAL(SIGFPE),   SIGNAL(SIGKILL), SIGNAL(SIGUSR1),
    SIGNAL(SIGSEGV),   SIGNAL(SIGUSR2), SIGNAL(SIGPIPE),  SIGNAL(SIGALRM), SIGNAL(SIGTERM),
    SIGNAL(SIGSTKFLT), SIGNAL(SIGCHLD), SIGNAL(SIGCONT),  SIGNAL(SIGSTOP), SIGNAL(SIGTSTP),
    SIGNAL(SIGTTIN),   SIGNAL(SIGTTOU), SIGNAL(SIGURG),   SIGNAL(SIGXCPU), SIGNAL(SIGXFSZ),
    SIGNAL(SIGVTALRM), SIGNAL(SIGPROF), SIGNAL(SIGWINCH), SIGNAL(SIGPOLL), SIGNAL(SIGPWR),
    SIGNAL(SIGSYS),
};

static const char *find(const char *const *names, size_t n, const char *text, size_t len)
{
    for (size_t i = 0; i < n; i++)
        if (names[i] && strlen(names[i]) == len && strncmp(names[i], text, len) == 0)
            return names[i];
    return NULL;
}

const char *fault_find(const char *text, size_t len)
{
    return find(faults, ARRAY_SIZE(faults), text, len);
}

const char *signal_find(const char *text, size_t len)
{
    return find(signals, ARRAY_SIZE(signals), text, len);
}

const char *fault_name(const char *text)
{
    const char *name = fault_find(text, strcspn(text, ":"));

    return name ? name : "fault";
}

const char *signal_name(int number)
{
    bool listed = number > 0 && number < (int)ARRAY_SIZE(signals) && signals[number];

    return listed ? signals[number] : "SIG?";
}
