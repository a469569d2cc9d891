# shellcheck shell=bash
# Records are kept, so no code of a verdict's reason goes away or moves to another verdict: those that the commit had which
# tests/changed compares with are all there. A new code needs no entry here. tests/unit/test_verdict.c has the oldest ones.
set -u
base=$("$ROOT/tests/changed" --base) || { echo "no git history here"; exit 77; }
# "wrong: max" for each row, of a page as `assay list --reasons` prints it
codes() { awk '/^## / { kind = $2 } /^[|] `/ { split($0, cell, "`"); print kind ": " cell[2] }' | sort; }
git -C "$ROOT" show "$base:docs/reasons.md" | codes >before
"$ASSAY" list --reasons | codes >now
[ "$(wc -l <before)" -ge 30 ] || { echo "$base has a docs/reasons.md without codes"; exit 1; }
gone=$(comm -23 before now)
[ -z "$gone" ] || { echo "codes that records may have, and that are gone since $base:"; echo "$gone"; exit 1; }
