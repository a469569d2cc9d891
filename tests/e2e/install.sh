# `make install` under any prefix gives a tree that works without variables, also where it was moved to, and as an
# ordinary user. `make uninstall` takes away what was installed, and nothing else.
# covers: tools/install-tree tools/assay.pc.in
# covers: src/base/fs.c
set -u
build=$(dirname "$ASSAY")
umask 077 # that of the person who installs does not matter
unset ASSAY_SHARE ASSAY_RUNNER
as_user=(env)
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 755 . && as_user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
    "${as_user[@]}" unshare -U true 2>/dev/null || as_user=(env)
fi
wrong() { echo "FAILED: $1"; exit 1; }

"$ROOT/tools/install-tree" install "$build" relative 2>err && wrong "a relative prefix was taken"
grep -q "absolute path" err || wrong "$(cat err)"
"$ROOT/tools/install-tree" install "$build" /opt/some/assay "$PWD/root" || wrong "install"
chmod 755 root && mv root/opt/some/assay moved && chmod 755 moved
mkdir -m 777 home cache
export ASSAY_HOME=$PWD/home ASSAY_CACHE=$PWD/cache

moved/bin/assay version | grep -q "^share *$PWD/moved/share/assay\$" || wrong "$(moved/bin/assay version)"
[ "$(moved/bin/assay list | wc -l)" -gt 257 ] || wrong "list"
cp "$ROOT/exemplars/cpu/level1/019_relu/naive.c" relu.c && chmod 644 relu.c
"${as_user[@]}" moved/bin/assay eval --json --check-only level1/19 relu.c cpu:naive >records || wrong "$(cat records)"
[ "$(grep -c '"verdict":"pass"' records)" = 2 ] || wrong "$(cat records)"
cat >model.py <<'P'
import torch
class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)
P
chmod 644 model.py
"${as_user[@]}" moved/bin/assay eval --json --check-only level1/19 model.py >record 2>err || grep -q "no torch" err || wrong "$(cat record err)"

if command -v pkg-config >/dev/null; then
    flags=$(PKG_CONFIG_PATH=$PWD/moved/share/pkgconfig pkg-config --cflags assay) || wrong "pkg-config"
    # shellcheck disable=SC2086
    echo '#include "assay.h"' | gcc $flags -fsyntax-only -x c - || wrong "assay.h by pkg-config: $flags"
    [ "$(PKG_CONFIG_PATH=$PWD/moved/share/pkgconfig pkg-config --modversion assay)" = \
        "$(moved/bin/assay --version | sed 's/^assay \([0-9.]*\).*/\1/')" ] || wrong "the version of assay.pc"
fi
for name in doc/assay/README.md doc/assay/LICENSE doc/assay/docs/assay.1.md man/man1/assay.1 \
    bash-completion/completions/assay zsh/site-functions/_assay fish/vendor_completions.d/assay.fish; do
    [ -s "moved/share/$name" ] || wrong "no share/$name"
done

mkdir -p root/opt/some && mv moved root/opt/some/assay
touch root/opt/some/assay/share/assay/problems/mine.lua
"$ROOT/tools/install-tree" uninstall "$build" /opt/some/assay "$PWD/root" || wrong "uninstall"
left=$(find root/opt/some/assay ! -type d)
[ "$left" = root/opt/some/assay/share/assay/problems/mine.lua ] || wrong "uninstall left: $left"
[ ! -d root/opt/some/assay/libexec/assay ] || wrong "uninstall left libexec/assay"
