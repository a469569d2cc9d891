# bash completes commands, options, their values, problems and files; zsh and fish do where they are installed. Every
# command and every option is known to all three.
# covers: src/cmd/cmd_completions.c src/cmd/cmd_list.c
set -u
PATH=$(dirname "$ASSAY"):$PATH
bad=0
wrong() { echo "FAILED: $1"; bad=1; }
for shell in bash zsh fish; do "$ASSAY" completions $shell >"assay.$shell" || wrong "$shell"; done

for name in $("$ASSAY" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
    for shell in bash zsh fish; do grep -qw -- "$name" assay.$shell || wrong "$shell: no $name"; done
    for option in $("$ASSAY" "$name" --help | sed -n 's/^  .*--\([a-z-]*\).*/\1/p' | grep -v '^help$'); do
        grep -q "options='.*--$option\b" assay.bash || wrong "bash: no --$option"
        grep -q -- "--$option[]=[}]" assay.zsh || wrong "zsh: no --$option"
        grep -q "from $name' -l $option " assay.fish || wrong "fish: no --$option of $name"
    done
done

# shellcheck disable=SC1091
source ./assay.bash || wrong "bash: source"
compopt() { :; } # only a real completion may call it
type_in() { # WORD...: what bash offers for the last of them
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _assay assay
    echo "${COMPREPLY[*]}"
}
expect() { [ "$1" = "$2" ] || wrong "offered '$2', not '$1'"; }
expect "eval" "$(type_in assay ev)"
expect "--steady" "$(type_in assay eval --st)"
expect "small" "$(type_in assay eval level1/19 --sizes sm)"
expect "medium" "$(type_in assay eval level1/19 --sizes = me)"
expect "cpu cuda" "$(type_in assay run --device c)"
expect "level1/019_relu" "$(type_in assay eval level1/019)"
expect "level1/019_relu" "$(type_in assay show level1/019)"
expect "hard" "$(type_in assay list h)"
expect "fish" "$(type_in assay completions f)"
expect "" "$(type_in assay eval level1/19 "")" # bash's own: files
expect "" "$(type_in assay eval --ref "")"
expect "" "$(type_in assay eval --seed "")"

if command -v zsh >/dev/null; then
    zsh -f -c 'autoload -U compinit && compinit -u -D && source ./assay.zsh && [ "$_comps[assay]" = _assay ]' ||
        wrong "zsh: source"
    # In a terminal of zsh's own, a Tab makes one word of the beginning of it.
    timeout 120 zsh -f >zsh.out 2>&1 <<'Z'
zmodload zsh/zpty
zpty shell 'PS1=; zsh -f -i'
zpty -w shell 'PS1=; autoload -U compinit; compinit -u -D; source ./assay.zsh; echo rea''dy'
zpty -r -m shell line '*ready*'
zpty -w -n shell $'assay eval --stea\t --si\tsm\t level1/019\t'
zpty -r -m shell line '*019_relu*'
print -r -- $line
Z
    sed 's/\x1b\[[0-9;?]*[a-zA-Z]//g' zsh.out | tr -d '\r\b' | grep -Eq 'eval --steady +--sizes=+small +level1/019_relu' || { cat -v zsh.out; wrong "zsh: completes"; }
fi
if command -v fish >/dev/null; then
    fish_offers() { HOME=$PWD fish --no-config -c 'source assay.fish; complete -C "$argv"' "$1" | cut -f 1 | paste -sd ' '; }
    expect "eval" "$(fish_offers "assay ev")"
    expect "--steady" "$(fish_offers "assay eval --stea")"
    expect "small" "$(fish_offers "assay eval --sizes sm")"
    expect "level1/019_relu" "$(fish_offers "assay eval level1/019")"
    expect "hard" "$(fish_offers "assay list ha")"
fi
exit $bad
