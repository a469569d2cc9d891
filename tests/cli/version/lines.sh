# The first line is that of --version; the others say what the program was made of and where its files are.
# covers: src/cmd/cmd_version.c src/base/version.c
[ "$("$ASSAY" version | head -n 1)" = "$("$ASSAY" --version)" ] || echo "other first lines"
"$ASSAY" version | sed -E "s/ [0-9][^ ,]*/ N/g; s/^(commit +).*/\1HASH/; s/^(compiler +)(gcc|clang).*/\1NAME/; s|$(dirname "$ASSAY")|BUILD|; s|$ROOT|ROOT|"
"$ASSAY" version --json | python3 -c 'import json, sys; v = json.load(sys.stdin); print(*v); assert v["version"].startswith(v["release"])'
"$ASSAY" version now
