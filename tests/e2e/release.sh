# The program, CHANGELOG.md, CITATION.cff and the how-to page name the same release.
# covers: src/base/version.c CHANGELOG.md CITATION.cff SECURITY.md Containerfile
set -u
bad=0
release=$("$ASSAY" version --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["release"])')
grep -q "^version: $release\$" "$ROOT/CITATION.cff" || { echo "CITATION.cff: not $release"; bad=1; }
[ "$(sed -n 's/^## \([0-9.]*\).*/\1/p' "$ROOT/CHANGELOG.md" | head -n 1)" = "$release" ] ||
    { echo "CHANGELOG.md: its first section is not $release"; bad=1; }
grep -q "assay_${release}_amd64.deb" "$ROOT/docs/how-to/install.md" || { echo "docs/how-to/install.md: not $release"; bad=1; }
# Files that they name are there.
for name in $(sed -n 's/.*](\([^)#]*\)).*/\1/p' "$ROOT/SECURITY.md") tools/install-deps; do
    [ -e "$ROOT/$name" ] || { echo "$name is not there"; bad=1; }
done
for target in $(grep -o 'make [a-z]*' "$ROOT/Containerfile" | cut -d' ' -f2 | sort -u); do
    grep -q "^$target:" "$ROOT/Makefile" || { echo "Containerfile: no make $target"; bad=1; }
done
exit $bad
