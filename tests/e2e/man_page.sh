# The man page has all commands and options, and man shows it without a warning.
# covers: tools/man-page docs/assay.1.md
set -u
"$ROOT/tools/man-page" 1.2.3 <"$ROOT/docs/assay.1.md" >assay.1 || exit 1
bad=0
for text in '^\.TH ASSAY 1 .*assay 1\.2\.3' '^\.SH NAME' '^\.SH SYNOPSIS' '^\.SH EXIT STATUS' '^\.SH ENVIRONMENT' '^\.SH COMMANDS'; do
    grep -q "$text" assay.1 || { echo "no $text"; bad=1; }
done
grep -n '[`|]\|](' assay.1 | grep -v '^[0-9]*:\.SS ' && { echo "Markdown is left"; bad=1; }
command -v man >/dev/null && command -v groff >/dev/null && [ "$(man -w 2>/dev/null)" ] ||
    { [ $bad = 0 ] || exit 1; echo "no man or groff: the page was made, and not shown"; exit 77; }
LC_ALL=C.UTF-8 MANWIDTH=100 man --warnings -l assay.1 >shown 2>warnings
[ ! -s warnings ] || { cat warnings; bad=1; }
for name in $("$ASSAY" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
    for option in $("$ASSAY" "$name" --help | sed -n 's/^  .*--\([a-z-]*\).*/\1/p' | grep -v '^help$'); do
        sed -n "/^ *assay $name\b/,/^   assay /p" shown | grep -q -- "--$option\b" || { echo "$name: no --$option"; bad=1; }
    done
done
exit $bad
