# tests/run-tests on a small tree of its own: counts, order, what runs alone, and what is left out and says so.
set -u
command -v git >/dev/null || { echo "no git"; exit 77; }
mkdir -p tree/tests/{unit,integration,fuzz,cli/c,e2e} tree/build/{unit,integration} && cd tree || exit 1
cp "$ROOT/tests/run-tests" "$ROOT/tests/changed" tests/
printf '#!/bin/sh\n' >build/assay
program() { # NAME MARK: passes twice, fails once and skips once
    echo "/* $2 */" >"tests/$1.c"
    printf '#!/bin/sh\nprintf "ok 1\\nok 2\\nnot ok 3 - bad\\nnot ok 4 # SKIP why\\n"\nexit 1\n' >"build/$1"
    chmod +x "build/$1"
}
script() { # NAME MARK WORDS
    printf '# %s\n%s\n' "$2" "$3" >"tests/e2e/$1.sh"
}
chmod +x build/assay
program unit/test_some ""
program integration/test_more ""
# The first waits for the second: they run side by side, and are told in their order.
script a_waits "" 'until [ -e "$ROOT/b" ]; do sleep 0.01; done; echo first; exit 1'
script b_lets_it_go "" 'touch "$ROOT/b"; echo second; exit 1'
script c_alone "alone: it sees nobody" 'echo ${ASSAY_LOCK_DIR-host}; exit 77'
script d_own_lock "" '[ -d "$ASSAY_LOCK_DIR" ]'
script e_others "san: no, others do the work" 'exit 0'
script f_slow 'slow: tests/changed
# slow: about' 'exit 0'
script g_long "long: 9 s" 'echo nine; exit 77'
script h_longer "long: 10 s" 'echo ten; exit 77'
script i_slow_with_asan "san-slow: about" 'exit 0'
mkdir about && : >about/it
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
unset CI_BASE ASSAY_LOCK_DIR
commit() { git add -A && git -c user.name=n -c user.email=e commit -qm "$1"; }
git init -q -b main && commit one && : >other && commit two || exit 1
bad=0
expect() { # WHAT, OPTIONS...; the expected lines are read
    rm -f b
    tests/run-tests build "${@:2}" >../out 2>&1
    grep -E '^(FAILED|skipped|left out|first|second|[0-9]+ passed)' ../out >../got
    diff -u - ../got || { echo "$1: not as expected"; bad=1; }
}
first='skipped e2e/h_longer: ten
skipped e2e/g_long: nine
skipped unit/test_some: why 
FAILED unit/test_some (exit 1)
skipped integration/test_more: why 
FAILED integration/test_more (exit 1)'
waits='FAILED e2e/a_waits
first
FAILED e2e/b_lets_it_go
second
skipped e2e/c_alone: host'
expect "all" -j 2 <<END
$first
$waits
left out: 1 that are slow and about files that did not change (make test-slow): e2e/f_slow
7 passed, 4 failed, 5 skipped
END
expect "by name" --only f_slow <<END
1 passed, 0 failed, 0 skipped
END
expect "the slow ones" --slow <<END
1 passed, 0 failed, 0 skipped
END
echo >>about/it
expect "changed, and not committed" -j2 <<END
$first
$waits
8 passed, 4 failed, 5 skipped
END
commit three && git checkout -qb mine && : >another && commit four || exit 1
echo '# __asan_init' >>build/assay
expect "under ASan, on a branch" -j 2 <<END
$first
$waits
left out under ASan: 1 in which other people's code does the work: e2e/e_others
left out: 2 that are slow and about files that did not change (make test-slow SAN=1): e2e/f_slow e2e/i_slow_with_asan
5 passed, 4 failed, 5 skipped
END
CI_BASE=main~1 expect "since another commit" -j 2 <<END
$first
$waits
left out under ASan: 1 in which other people's code does the work: e2e/e_others
7 passed, 4 failed, 5 skipped
END
expect "the slow ones under ASan" --slow <<END
2 passed, 0 failed, 0 skipped
END
git rm -q about/it && commit five
CI_BASE=HEAD tests/changed about || { echo "a path that is gone did not change"; bad=1; }
CI_BASE=HEAD tests/changed other && { echo "other changed"; bad=1; }
exit $bad
