/* SPDX-License-Identifier: MIT */
/* Rights that a runner gives up while it is still single-threaded. Landlock and no_new_privs bind
 * the calling thread and what it starts later, so they come before a driver starts its own
 * threads. */
#include "sandbox/cgroup.h"
#include "sandbox/hidden.h"
#include "sandbox/landlock.h"
#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_OPEN_FILES 256         /* 64 arenas, and room */
#define MAX_OPEN_FILES_DRIVER 4096 /* a driver opens a device node anew for many allocations */

const char *const sandbox_layer_names[SANDBOX_LAYERS] = {
    "user_ns", "pid_ns",   "net_ns",          "ipc_ns",  "mount_ns", "uid",      "no_new_privs",
    "rlimits", "landlock", "landlock_scopes", "seccomp", "cgroup",   "own_proc", "scratch",
};

uint32_t sandbox_wanted(void)
{
    uint32_t wanted = SANDBOX_PID_NS | SANDBOX_NET_NS | SANDBOX_IPC_NS | SANDBOX_MOUNT_NS |
                      SANDBOX_OWN_PROC | SANDBOX_NO_NEW_PRIVS | SANDBOX_RLIMITS | SANDBOX_LANDLOCK |
                      SANDBOX_SECCOMP;

    wanted |= geteuid() == 0 ? SANDBOX_UID : SANDBOX_USER_NS;
    /* Scopes repeat what the pid and network namespaces do; older kernels do without them. */
    if (landlock_abi() >= LANDLOCK_ABI_SCOPES)
        wanted |= SANDBOX_LANDLOCK_SCOPES;
    if (cgroup_given())
        wanted |= SANDBOX_CGROUP;
    return wanted;
}

static bool become(uid_t uid)
{
    gid_t gid = uid;

    return setgroups(0, NULL) == 0 && setresgid(gid, gid, gid) == 0 &&
           setresuid(uid, uid, uid) == 0;
}

/* Drops all capabilities, also of a root that stays root; with no_new_privs none come back. */
static void drop_capabilities(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}};

    syscall(SYS_capset, &head, none);
}

static bool limit(__rlimit_resource_t resource, uint64_t value)
{
    struct rlimit now, then;

    if (getrlimit(resource, &now) < 0)
        return false;
    then.rlim_cur = then.rlim_max = MIN((rlim_t)value, now.rlim_max);
    return setrlimit(resource, &then) == 0;
}

static bool set_limits(const struct sandbox_policy *p)
{
    bool driver = p->needs & (SANDBOX_NEEDS_DRIVER | SANDBOX_NEEDS_PROGRAMS);
    bool files = p->own_paths != NULL;
    bool ok = limit(RLIMIT_CORE, 0) &&
              limit(RLIMIT_NOFILE, driver ? MAX_OPEN_FILES_DRIVER : MAX_OPEN_FILES);

    /* RLIMIT_FSIZE concerns a driver's memfds, but not stderr, which is a pipe. */
    if (!driver)
        ok = limit(RLIMIT_FSIZE, files ? SANDBOX_SCRATCH_BYTES : 0) && ok;
    if (p->mem_bytes && !HAS_ASAN)
        ok = limit(RLIMIT_AS, p->mem_bytes) && ok;
    return ok;
}

static int allow_matches(int ruleset, const char *pattern, enum landlock_use use)
{
    glob_t found = {0};
    int rc = 0;

    if (glob(pattern, GLOB_NOSORT | GLOB_BRACE, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc && rc == 0; i++)
            rc = hidden_allow(ruleset, found.gl_pathv[i], use);

    int saved = errno;

    globfree(&found);
    errno = saved;
    return rc;
}

static int allow_all(int ruleset, const char *const *paths, enum landlock_use use, struct err *err)
{
    for (; paths && *paths; paths++)
        if (allow_matches(ruleset, *paths, use) < 0)
            return fail_errno(err, "cannot allow %s in the sandbox", *paths);
    return 0;
}

int sandbox_enter(const struct sandbox_policy *p, uint32_t *layers, struct err *err)
{
    /* Made before the uid changes: afterwards some paths may be out of reach. */
    AUTO(fd_closep) int ruleset = landlock_new();
    /* The /proc files of an undumpable process belong to root: a driver could not name its threads
     * there, and a judge without root could not read an interpreter's results. */
    bool dumpable = p->needs != 0;

    if (ruleset >= 0 && (allow_all(ruleset, p->read_paths, LANDLOCK_READ, err) < 0 ||
                         allow_all(ruleset, p->write_paths, LANDLOCK_DEVICE, err) < 0 ||
                         allow_all(ruleset, p->own_paths, LANDLOCK_OWN, err) < 0 ||
                         allow_all(ruleset, p->execute_paths, LANDLOCK_EXECUTE, err) < 0))
        return -1;
    if (geteuid() == 0 && p->uid && become(p->uid))
        *layers |= SANDBOX_UID;
    drop_capabilities();
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        *layers |= SANDBOX_NO_NEW_PRIVS;
    if (set_limits(p))
        *layers |= SANDBOX_RLIMITS;
    /* A change of uid clears the death signal, so it is asked for again. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || prctl(PR_SET_DUMPABLE, dumpable) < 0)
        return fail_errno(err, "prctl in the sandbox");
    if (ruleset >= 0 && landlock_enter(ruleset) == 0) {
        *layers |= SANDBOX_LANDLOCK;
        if (landlock_abi() >= LANDLOCK_ABI_SCOPES)
            *layers |= SANDBOX_LANDLOCK_SCOPES;
    }
    return 0;
}
