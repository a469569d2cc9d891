# `make package`: the .deb, unpacked into an empty root, and the tarball judge a kernel for an ordinary user. The man page
# and completions are there.
# covers: tools/make-package tools/deb-control.in
# slow: tools/make-package tools/deb-control.in tools/install-tree tools/man-page tools/assay.pc.in
# slow: Makefile src/base/fs.c src/base/version.c src/cmd/cmd_completions.c
# long: 10 s
# san: no, it is about files and not about memory
set -u
build=$(dirname "$ASSAY")
umask 077
unset ASSAY_SHARE ASSAY_RUNNER
as_user=(env)
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 755 . && as_user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
    "${as_user[@]}" unshare -U true 2>/dev/null || as_user=(env)
fi
wrong() { echo "FAILED: $1"; exit 1; }
mkdir work && cp "$build"/assay* "$build/libassay-runner.so" work/ || exit 1
made=$("$ROOT/tools/make-package" "$PWD/work") || wrong "make-package: $made"
release=$("$ASSAY" version --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["release"])')
cp "$ROOT/exemplars/cpu/level1/019_relu/naive.c" relu.c && chmod 644 relu.c
mkdir -m 777 home cache
export ASSAY_HOME=$PWD/home ASSAY_CACHE=$PWD/cache
judge() { # PROGRAM
    "${as_user[@]}" "$1" eval --json --check-only level1/19 relu.c >record 2>err
    grep -q '"verdict":"pass"' record || { cat record err; wrong "$1: no pass"; }
}

tar xzf work/package/assay-"$release"-*-linux.tar.gz && mv assay-"$release"-*-linux unpacked && chmod 755 unpacked
ldd unpacked/libexec/assay/assay-runner | grep -q "libgomp.*=> $PWD/unpacked/" || wrong "the tarball's libgomp is not used"
judge unpacked/bin/assay
[ -s unpacked/LICENSE ] && [ -s unpacked/share/man/man1/assay.1 ] || wrong "the tarball is not complete"

command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null || { echo "no dpkg-deb or dpkg-shlibdeps: only the tarball was tried"; exit 77; }
deb=$(echo work/package/assay_"$release"_*.deb)
for field in "Version: $release" "Depends: .*libc6 .*libgomp1" "Recommends: .*bubblewrap"; do
    dpkg-deb -I "$deb" | grep -q "^ $field" || wrong "no $field in $(dpkg-deb -I "$deb")"
done
mkdir -m 755 root && dpkg-deb -x "$deb" root || wrong "dpkg-deb -x"
judge root/usr/bin/assay
for name in man/man1/assay.1.gz bash-completion/completions/assay zsh/vendor-completions/_assay \
    fish/vendor_completions.d/assay.fish doc/assay/copyright doc/assay/docs/assay.1.md assay/include/assay.h; do
    [ -s "root/usr/share/$name" ] || wrong "no usr/share/$name"
done
if command -v man >/dev/null && command -v groff >/dev/null; then
    LC_ALL=C.UTF-8 man --warnings -l root/usr/share/man/man1/assay.1.gz 2>&1 >shown | grep . && wrong "man warns"
    grep -q 'assay eval' shown || echo "man shows nothing here"
fi
bash -c 'source root/usr/share/bash-completion/completions/assay && complete -p assay' | grep -q _assay || wrong "bash completion"
