/* SPDX-License-Identifier: MIT */
/* Prints what a shell needs to complete commands, options, their values and names of problems. All
 * of it comes from the tables of commands and options, so a new one is completed without a word
 * here. Problems are asked for while one types: `assay list --names` traces none. */
#include "cmd/cmd.h"

#include "device/device.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- meaning of the tables ---- */

enum values { VALUES_NONE, VALUES_FREE, VALUES_FILES, VALUES_WORDS };

static bool is_path(const char *arg)
{
    return strstr(arg, "FILE") || strstr(arg, "DIR") || strstr(arg, "PLAN");
}

/* The kind of value that an option takes. Words, if any, are added to `words`. */
static enum values values_of(const struct opt *o, struct buf *words)
{
    if (o->type == OPT_FLAG)
        return VALUES_NONE;
    for (int i = 0; o->choices && o->choices[i]; i++)
        buf_addf(words, "%s%s", i ? " " : "", o->choices[i]);
    if (!strcmp(o->arg, "DEVICE"))
        for (int i = 0; device_registry[i]; i++)
            buf_addf(words, "%s%s", i ? " " : "", device_registry[i]->name);
    return words->len ? VALUES_WORDS : is_path(o->arg) ? VALUES_FILES : VALUES_FREE;
}

/* Names that a command's arguments have: "problems" are both suites and problems. NULL: none. */
static const char *names_of(const struct cmd *c)
{
    return strstr(c->args, "PROBLEM") ? "problems" : strstr(c->args, "SUITE") ? "suites" : NULL;
}

static void add_all_words(const char *const *words, struct buf *out)
{
    for (int i = 0; words[i]; i++)
        buf_addf(out, "%s%s", i ? " " : "", words[i]);
}

/* Text between single quotes: sh and zsh leave the quotes for one, fish has a backslash. */
static void add_quoted(const char *text, const char *quote, struct buf *out)
{
    for (; *text; text++)
        if (*text == '\'')
            buf_adds(out, quote);
        else
            buf_addch(out, *text);
}

/* ---- bash ---- */

static const char bash_head[] =
    "# bash completion for assay; `assay completions bash` prints it.\n"
    "_assay_problems() { \"$1\" list --names 2>/dev/null; _assay_suites \"$1\"; }\n"
    "_assay_suites() { \"$1\" list --names 2>/dev/null | sed 's|/.*||' | sort -u; }\n"
    "_assay()\n"
    "{\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    local options=\"\" names=\"\" words=\"\" files=\"\" free=\"\"\n"
    "    COMPREPLY=()\n"
    "    [[ $cur == = ]] && cur=\"\"\n"
    "    [[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    if ((COMP_CWORD == 1)); then\n"
    "        words='";
static const char bash_middle[] = " help --help --version'\n"
                                  "    else\n"
                                  "        case ${COMP_WORDS[1]} in\n";
static const char bash_tail[] =
    "        esac\n"
    "    fi\n"
    "    # Nothing in COMPREPLY lets bash complete names of files.\n"
    "    if [[ $cur == -* && ! $words ]]; then\n"
    "        words=\"$options --help\"\n"
    "    elif [[ $names && ($cur || ! $files || $prev == \"${COMP_WORDS[1]}\") ]]; then\n"
    "        words=$(\"_assay_$names\" \"$1\")\n"
    "    fi\n"
    "    if [[ $free || ! ($words || $files) ]]; then\n"
    "        compopt +o default +o bashdefault\n"
    "    elif [[ $words ]]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
    "    fi\n"
    "}\n"
    "complete -o bashdefault -o default -F _assay assay\n";

static void bash_value(const struct opt *o, struct buf *out)
{
    AUTO(buf_release) struct buf words = BUF_INIT;
    enum values v = values_of(o, &words);

    if (v == VALUES_NONE)
        return;
    buf_addf(out, "            --%s", o->name);
    if (o->letter)
        buf_addf(out, " | -%c", o->letter);
    buf_addf(out, ") names=\"\" files=%s free=%s words='%s' ;;\n", v == VALUES_FILES ? "1" : "\"\"",
             v == VALUES_FREE ? "1" : "\"\"", buf_str(&words));
}

static void bash_command(const struct cmd *c, struct buf *out)
{
    const char *names = names_of(c);

    buf_addf(out, "        %s)\n            options='", c->name);
    for (const struct opt *o = c->options; o->name; o++)
        buf_addf(out, "%s--%s", o == c->options ? "" : " ", o->name);
    buf_adds(out, "'\n");
    if (names)
        buf_addf(out, "            names=%s\n", names);
    if (is_path(c->args))
        buf_adds(out, "            files=1\n");
    if (c->words) {
        buf_adds(out, "            words='");
        add_all_words(c->words, out);
        buf_adds(out, "'\n");
    }
    buf_adds(out, "            case $prev in\n");
    for (const struct opt *o = c->options; o->name; o++)
        bash_value(o, out);
    buf_adds(out, "            esac\n            ;;\n");
}

static void print_bash(struct buf *out)
{
    buf_adds(out, bash_head);
    for (int i = 0; cmd_table[i]; i++)
        buf_addf(out, "%s%s", i ? " " : "", cmd_table[i]->name);
    buf_adds(out, bash_middle);
    for (int i = 0; cmd_table[i]; i++)
        bash_command(cmd_table[i], out);
    buf_adds(out, bash_tail);
}

/* ---- zsh ---- */

static const char zsh_head[] =
    "#compdef assay\n"
    "# zsh completion for assay; `assay completions zsh` prints it.\n"
    "_assay_problems() {\n"
    "    local -a names=(${(f)\"$(assay list --names 2>/dev/null)\"})\n"
    "    compadd -a names\n"
    "    _assay_suites\n"
    "}\n"
    "_assay_suites() {\n"
    "    local -a names=(${(f)\"$(assay list --names 2>/dev/null)\"})\n"
    "    compadd -- ${(u)names%%/*}\n"
    "}\n"
    "_assay() {\n"
    "    local curcontext=$curcontext state line\n"
    "    _arguments -C '--help[this text]' '--version[the version]' '1:command:->command' "
    "'*::argument:->argument'\n"
    "    case $state in\n"
    "    command)\n"
    "        local -a commands=(\n";
static const char zsh_tail[] = "        esac\n"
                               "        ;;\n"
                               "    esac\n"
                               "}\n"
                               "if [ \"$funcstack[1]\" = _assay ]; then _assay \"$@\"; else "
                               "compdef _assay assay; fi\n";

/* Brackets end an explanation in zsh, and no backslash helps. */
static void add_zsh(const char *text, struct buf *out)
{
    AUTO(buf_release) struct buf plain = BUF_INIT;

    for (; *text; text++)
        buf_addch(&plain, *text == '[' ? '(' : *text == ']' ? ')' : *text);
    add_quoted(buf_str(&plain), "'\\''", out);
}

static void zsh_option(const struct opt *o, struct buf *out)
{
    AUTO(buf_release) struct buf words = BUF_INIT;
    enum values v = values_of(o, &words);
    const char *join = v == VALUES_NONE ? "" : "+", *equals = v == VALUES_NONE ? "" : "=";

    buf_adds(out, " \\\n                ");
    if (o->letter)
        buf_addf(out, "'(-%c --%s)'{-%c%s,--%s%s}'[", o->letter, o->name, o->letter, join, o->name,
                 equals);
    else
        buf_addf(out, "'--%s%s[", o->name, equals);
    add_zsh(o->help, out);
    buf_addch(out, ']');
    if (v != VALUES_NONE) {
        buf_addch(out, ':');
        for (const char *a = o->arg; *a; a++)
            buf_addch(out, isupper((unsigned char)*a) ? *a : ' ');
        if (v == VALUES_WORDS)
            buf_addf(out, ":(%s)", buf_str(&words));
        else
            buf_adds(out, v == VALUES_FILES ? ":_files" : ": ");
    }
    buf_addch(out, '\'');
}

static void zsh_command(const struct cmd *c, struct buf *out)
{
    const char *names = names_of(c);

    buf_addf(out, "        %s)\n            _arguments '(-h --help)'{-h,--help}'[this text]'",
             c->name);
    for (const struct opt *o = c->options; o->name; o++)
        zsh_option(o, out);
    if (names && (is_path(c->args) || !strcmp(names, "problems")))
        buf_addf(out,
                 " \\\n                '*:problem or file:{ _alternative "
                 "\"names:name:_assay_%s\" \"files:file:_files\" }'",
                 names);
    else if (names)
        buf_addf(out, " \\\n                '*:name:_assay_%s'", names);
    else if (is_path(c->args))
        buf_adds(out, " \\\n                '*:file:_files'");
    if (c->words) {
        buf_adds(out, " \\\n                '1:word:(");
        add_all_words(c->words, out);
        buf_adds(out, ")'");
    }
    buf_adds(out, "\n            ;;\n");
}

static void print_zsh(struct buf *out)
{
    buf_adds(out, zsh_head);
    for (int i = 0; cmd_table[i]; i++) {
        buf_addf(out, "            '%s:", cmd_table[i]->name);
        add_zsh(cmd_table[i]->summary, out);
        buf_adds(out, "'\n");
    }
    buf_adds(out, "        )\n        _describe command commands\n        ;;\n    argument)\n"
                  "        case $words[1] in\n");
    for (int i = 0; cmd_table[i]; i++)
        zsh_command(cmd_table[i], out);
    buf_adds(out, zsh_tail);
}

/* ---- fish ---- */

static const char fish_head[] =
    "# fish completion for assay; `assay completions fish` prints it.\n"
    "complete -c assay -f\n"
    "complete -c assay -n __fish_use_subcommand -l help -d 'this text'\n"
    "complete -c assay -n __fish_use_subcommand -l version -d 'the version'\n";

/* A line of a command up to its description, which the caller adds with the closing quote. */
static void fish_begin(const struct cmd *c, struct buf *out)
{
    buf_addf(out, "complete -c assay -n '__fish_seen_subcommand_from %s'", c->name);
}

static void fish_option(const struct cmd *c, const struct opt *o, struct buf *out)
{
    AUTO(buf_release) struct buf words = BUF_INIT;
    enum values v = values_of(o, &words);

    fish_begin(c, out);
    buf_addf(out, " -l %s", o->name);
    if (o->letter)
        buf_addf(out, " -s %c", o->letter);
    if (v == VALUES_WORDS)
        buf_addf(out, " -x -a '%s'", buf_str(&words));
    else if (v != VALUES_NONE)
        buf_adds(out, v == VALUES_FILES ? " -r -F" : " -x");
    buf_adds(out, " -d '");
    add_quoted(o->help, "\\'", out);
    buf_adds(out, "'\n");
}

static void fish_command(const struct cmd *c, struct buf *out)
{
    const char *names = names_of(c);

    buf_addf(out, "complete -c assay -n __fish_use_subcommand -a %s -d '", c->name);
    add_quoted(c->summary, "\\'", out);
    buf_adds(out, "'\n");
    for (const struct opt *o = c->options; o->name; o++)
        fish_option(c, o, out);
    if (names) {
        fish_begin(c, out);
        buf_addf(out, " -a '(assay list --names 2>/dev/null%s)'\n",
                 strcmp(names, "suites") ? "" : " | string replace -r \"/.*\" \"\" | sort -u");
    }
    if (is_path(c->args) || (names && !strcmp(names, "problems"))) {
        fish_begin(c, out);
        buf_adds(out, " -F\n");
    }
    if (c->words) {
        fish_begin(c, out);
        buf_adds(out, " -a '");
        add_all_words(c->words, out);
        buf_adds(out, "'\n");
    }
}

static void print_fish(struct buf *out)
{
    buf_adds(out, fish_head);
    for (int i = 0; cmd_table[i]; i++)
        fish_command(cmd_table[i], out);
}

/* ---- the command ---- */

static const char *const shells[] = {"bash", "zsh", "fish", NULL};
static void (*const printers[])(struct buf *) = {print_bash, print_zsh, print_fish};

struct completions_options {
    char none;
};

static const struct opt completions_table[] = {{0}};

static int completions_main(struct app *app, const void *options, int argc, char **argv,
                            struct err *err)
{
    AUTO(buf_release) struct buf out = BUF_INIT;

    (void)app, (void)options;
    for (int i = 0; argc == 1 && shells[i]; i++)
        if (!strcmp(argv[0], shells[i]))
            printers[i](&out);
    if (!out.len)
        return fail(err, ERR_USAGE, "completions: takes one of bash, zsh, fish");
    fputs(buf_str(&out), stdout);
    return 0;
}

const struct cmd cmd_completions = {
    .name = "completions",
    .args = "bash|zsh|fish",
    .summary = "print what a shell needs to complete commands, options and problems",
    .options = completions_table,
    .options_size = sizeof(struct completions_options),
    .words = shells,
    .details = "For one shell at once: source <(assay completions bash)\n",
    .run = completions_main,
};
