#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads pages of docs/ as a person does: writes the files that they show, and types their commands in.

usage: pages.py blocks PAGE DIR LANGUAGE=SUFFIX...
       pages.py type PAGE [HAVE...]

`blocks` writes the fenced blocks of these languages to DIR/1.SUFFIX, DIR/2.SUFFIX and so on.

`type` types a page into one bash, in the current folder. These are the marks of a page:

  Save this as `NAME`:     The fenced block behind this line is written to the file NAME.
  ```sh                    In such a block each line that begins with "$ " is a command. The lines behind it are the output
                           that the page promises. Other fenced blocks are only shown (```console, ```text).
  <!-- needs: WORD... -->  The next fenced block is left out, with a word, unless all of these are among HAVE.

How promise and output are compared:

- Lines that are empty, and VOLATILE ones, do not count. Any number of spaces is one space.
- "..." in a line stands for any text; alone on a line it stands for any number of lines.
- A number stands for any number. Counts are the exception: in a line with nothing but whole numbers of one or two digits
  they have to be equal, except before ms, us, s and %.
- Messages ("assay: ...") are compared apart from the rest: they come on stderr, so their place among the lines varies.

A command has to exit with 0. It may exit with 1 where the promised output has a verdict other than pass, and with any status
where the next command is `echo $?`.

Exit status: 0 if the page keeps its promises, else 1, and every fault is printed with its line.
"""
import difflib
import os
import re
import subprocess
import sys

NUMBER = r"[-+]?(?:\d[\d.]*(?:e[-+]?\d+)?|inf|nan)"
A_NUMBER = r"(?<![A-Za-z_\d.])" + NUMBER
BEFORE_UNIT = r"\b\d+(?= (?:ms|us|s|%)(?:\W|$))"
# "(AMD EPYC, 1 core)": a device's name and the number of its cores.
DEVICE = r"\((?:[^()]|\([^()]*\))*, \d+ cores?\)"
# Lines that depend on the machine and on its load.
VOLATILE = re.compile(
    r"assay: calibrated |assay: warning: sandbox layers missing|! +above the measured|"
    r" +\w+=\w+.*: (bimodal|slowest law|host-bound|timed without|above the measured|the device's clocks|[\d.]+ us of work)")
FAILED = re.compile(r"\b(wrong|crash|timeout|build_error|rejected|infra|REFUSED)\b")
END = "\x01" # behind the output of a command, before its status


def blocks(text):
    """(line number, language, name of the file or None, needs, lines) of every fenced block."""
    name, needs, lines, language, start = None, [], None, "", 0
    for number, line in enumerate(text.splitlines(), 1):
        fence = re.match(r"```(\w*)$", line)
        if lines is None and fence:
            lines, language, start = [], fence.group(1), number
        elif fence:
            yield start, language, name, needs, lines
            name, needs, lines = None, [], None
        elif lines is not None:
            lines.append(line)
        elif line.strip():
            saved = re.search(r"Save this as `([\w./-]+)`:$", line)
            needed = re.match(r"<!-- needs: (.*) -->$", line)
            name = saved.group(1) if saved else None
            needs = needed.group(1).split() if needed else []


def commands(lines):
    """[command, promised lines] of every command of a block."""
    found = []
    for line in lines:
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    return found


def tidy(lines):
    """(output, messages), without what does not count."""
    lines = [line for line in lines if line.strip() and not VOLATILE.match(line)]
    lines = [re.sub(r"\s+", " ", line.strip()).replace(" %!", " %") for line in lines]
    return ([line for line in lines if not line.startswith("assay: ")],
            [line for line in lines if line.startswith("assay: ")])


def pattern(line):
    """The regular expression of what a promised line allows."""
    if line == "...":
        return r"(?:.*\n)*?"
    line = re.sub(DEVICE, "\x02", line)
    only_counts = all(re.fullmatch(r"\d\d?", number) for number in re.findall(A_NUMBER, line))
    line = re.escape(re.sub(BEFORE_UNIT if only_counts else A_NUMBER, "\x03", line))
    return line.replace(re.escape("..."), ".*").replace("\x02", DEVICE).replace("\x03", NUMBER) + r"\n"


def agree(promised, printed):
    return re.fullmatch("".join(map(pattern, promised)), "".join(line + "\n" for line in printed)) is not None


def run(steps):
    """(status, output, messages) of every command; fewer than commands where the shell ended early."""
    script = "status=0\n"
    for name, lines in steps:
        if name:
            script += f"cat >{name} <<'END OF FILE'\n" + "\n".join(lines) + "\nEND OF FILE\n"
        else:  # "( exit )" hands the status on to a page that asks for it
            script += f"( exit $status )\n{lines}\nstatus=$?\n"
            script += "".join(f"printf '\\n{END}%d\\n' $status{to}\n" for to in ("", " >&2"))
    done = subprocess.run(["bash", "-c", script], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    out, err = (re.split(f"\n{END}(\\d+)\n", text) for text in (done.stdout, done.stderr))
    return [(int(out[i + 1]), out[i].splitlines(), err[i].splitlines()) for i in range(0, len(out) - 1, 2)]


def fault_of(command, promised, result, asked):
    """What is wrong with a command, as text; None for nothing."""
    status, out, err = result
    if status != 0 and not asked and not (status == 1 and FAILED.search("\n".join(promised))):
        return f"{command}\nexit status {status}\n" + "\n".join(out + err)
    want, got = tidy(promised), tidy(out + err)
    if all(map(agree, want, got)):
        return None
    return f"{command}\n" + "\n".join(difflib.unified_diff(sum(want, []), sum(got, []), "page", "printed", lineterm=""))


def type_in(page, have):
    """Types a page in and returns its faults as lines of text."""
    steps, typed, faults = [], [], []
    for number, language, name, needs, lines in blocks(open(page).read()):
        lacks = [word for word in needs if word not in have]
        if lacks:
            print(f"{page}:{number}: left out: no {', no '.join(lacks)}")
        elif name:
            steps.append((name, lines))
        elif language == "sh":
            steps += [(None, command) for command, _ in commands(lines)]
            typed += [(number, command, promised) for command, promised in commands(lines)]
    results = run(steps)
    if not typed or len(results) < len(typed):
        faults.append(f"{page}: {len(results)} of {len(typed)} commands were run")
    for i, result in enumerate(results):
        number, command, promised = typed[i]
        fault = fault_of(command, promised, result, [then[1] for then in typed[i + 1:i + 2]] == ["echo $?"])
        faults += [f"{page}:{number}: {fault}"] if fault else []
    return faults


def write_blocks(page, folder, words):
    suffixes = dict(word.split("=") for word in words)
    wanted = [block for block in blocks(open(page).read()) if block[1] in suffixes]
    for n, (_, language, _, _, lines) in enumerate(wanted, 1):
        with open(os.path.join(folder, f"{n}.{suffixes[language]}"), "w") as file:
            file.write("\n".join(lines) + "\n")


def main():
    verb, page, words = sys.argv[1], sys.argv[2], sys.argv[3:]
    if verb == "blocks":
        write_blocks(page, words[0], words[1:])
        return 0
    faults = type_in(page, words)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
