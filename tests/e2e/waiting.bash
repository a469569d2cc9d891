# What e2e tests share: to wait for what is to happen, instead of for a time in which it may.

# A runner and a cache of the test's own: processes and files of tests beside it are not taken for its own.
cp "$ASSAY_RUNNER" assay-runner && mkdir cache || exit 1
export ASSAY_RUNNER=$PWD/assay-runner ASSAY_CACHE=$PWD/cache

await() { # COMMAND...: until it succeeds; fails after two minutes, when it never will
    local i
    for ((i = 0; i < 2400; i++)); do
        "$@" && return 0
        sleep 0.05
    done
    return 1
}

# Whether no runner of this test is left.
no_runners() {
    ! find /proc/[0-9]*/exe -maxdepth 0 -lname "$(realpath "$ASSAY_RUNNER")" 2>/dev/null | grep -q .
}

# Nobody is timed on the fake device until let_go.
hold_device() {
    local lock
    [ -r /proc/locks ] || { echo "no /proc/locks"; exit 77; }
    for lock in "${ASSAY_LOCK_DIR:-/run/lock}/assay-fake-0.lock" /tmp/assay-fake-0.lock; do
        [ -e "$lock" ] || : >"$lock" || continue
        { exec 9<"$lock"; } && flock 9 && return 0
    done 2>/dev/null
    echo "cannot lock the fake device"
    exit 1
}
let_go() { flock -u 9; }

# Whether each of them waits to have the device for itself.
all_wait() { # PID...
    local pid
    for pid; do
        grep -q -- "-> FLOCK  *ADVISORY  *WRITE $pid " /proc/locks || return 1
    done
}
