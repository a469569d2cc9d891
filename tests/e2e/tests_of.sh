# Every source file has a test that tests/of finds, by its name or by a `covers:`; or it is listed here, with the
# reason. And every test is called after a source file, or says what it covers.
set -u
cd "$ROOT" || exit 1
bad=0
wrong() { echo "$1"; bad=1; }

# FILE: why no test names it
none="src/process/cpus.c: what is right depends on the machine, so no test could tell"

uncovered=$(find src -name '*.c' | sort | xargs tests/of 2>&1 >/dev/null | sed -n 's/^of: \(.*\): no test$/\1/p')
diff <(echo "$none" | cut -d: -f1) <(echo "$uncovered") ||
    wrong "a file (>) without a test: name it in a \`covers:\` of the test that exercises it; or (<) it has one by now"

for file in $(grep -rhE '^(#|/\*) covers: ' tests | sed 's/.* covers: //; s/ \*\/$//'); do
    [ -f "$file" ] || wrong "a test covers $file, which is not there"
done

for test in tests/{unit,integration}/test_*.c; do
    name=$(basename "$test" .c)
    [ -n "$(find src problems -name "${name#test_}.*")" ] || grep -q '^/\* covers: ' "$test" ||
        wrong "$test is not called after a source file, and covers none"
done

out=$(tests/of src/no_such_file.c 2>&1) && wrong "no test for a file that is not there: exit 0"
[ "$out" = "of: src/no_such_file.c: no test" ] || wrong "$out"
exit $bad
