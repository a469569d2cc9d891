# Every folder of src/device is a device of the registry and has all that a device has: a page with each heading, attacks
# and exemplars. The fake device judges nothing real, so it has a page and no more.
# covers: src/device/registry.c
set -u
cd "$ROOT" || exit 1
bad=0
wrong() { echo "$1"; bad=1; }
pages=docs/devices
names=$("$ASSAY" eval --help | sed -n 's/^DEVICE is one of \(.*\), or NAME:1.*/\1/p' | tr -d ' ' | tr ',' '\n' | sort)
folders=$(find src/device -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort)
[ -n "$names" ] || wrong "assay eval --help names no device"
diff <(echo "$names") <(echo "$folders") || wrong "(<) devices by their help, (>) folders of src/device: not the same"
diff <(echo "$names") <(find $pages -name '*.md' -printf '%f\n' | sed 's/.md$//' | sort) ||
    wrong "(<) devices, (>) pages of $pages: not the same"
for name in $names; do
    for heading in "The candidate" "How it is timed" "Keys of the record" "What stops cheating"; do
        grep -qx "## $heading" "$pages/$name.md" || wrong "$pages/$name.md has no heading '$heading'"
    done
    [ "$name" = fake ] && continue
    for folder in attacks exemplars; do
        [ -n "$(find "$folder/$name" -type f 2>/dev/null)" ] || wrong "$folder/$name has no file"
    done
done
exit $bad
