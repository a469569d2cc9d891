# SPDX-License-Identifier: MIT
"""Follows a recipe of CONTRIBUTING.md in a copy of the tree (tests/e2e/recipes.sh).

usage: recipes.py paths             paths that the recipes name and that do not exist
       recipes.py apply RECIPE      makes the change below; edits no file that the recipe does not name
       recipes.py bits NAME=VALUE   writes the bits that tests/unit/test_fill.c printed
       recipes.py check ORIGINAL RECIPE...
                                    what differs from ORIGINAL is what the recipes name, row by row

Runs in the copy's root. Prints what is wrong and exits 1.
"""
import glob
import os
import re
import subprocess
import sys

PAGE = "CONTRIBUTING.md"
PATH = re.compile(r"`((?:src|tests|docs|problems|attacks|exemplars|hardware|workers|bench|tools|results)/[^`\s]*)`")


def recipes():
    """{heading: text} of the section "Recipes"."""
    with open(PAGE) as page:
        text = page.read().split("\n## Recipes\n")[1].split("\n## ")[0]
    parts = re.split(r"^### (.*)\n", text, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2]))


def rows(name):
    """(files, what to do) of every row of a recipe's tables."""
    found = []
    for line in recipes()[name].splitlines():
        cells = line.strip("|").split(" | ") if line.startswith("| ") else []
        if len(cells) == 2 and PATH.search(cells[0]):
            found.append((PATH.findall(cells[0]), cells[1]))
    assert found, f"{PAGE}: the recipe '{name}' has no table"
    return found


# --- the changes ---

# crash: declined, where assay_kernel returns 77.
REASON = [
    ("src/terms/reasons.h", "before", r'    X\(CRASH, SETUP,',
     '    X(CRASH, DECLINED, "declined", "`assay_kernel` returned 77.") \\\n'),
    ("src/process/rproc_order.c", "replace", r"verdict_set\(v, REASON_CRASH_RETURNED,",
     "verdict_set(v, status == 77 ? REASON_CRASH_DECLINED : REASON_CRASH_RETURNED,"),
    ("tests/fake/declined.fake", "new", "", "# expected: crash: declined\nop relu\nreturn 77\n"),
]

# negative(low, high): as bands(low, high), below zero.
LAW = [
    ("src/tensor/lawkind.h", "before", r"    LAW_COUNT,", "    LAW_NEGATIVE,\n"),
    ("src/tensor/law.h", "replace", r"(?<=    case LAW_BANDS:\n)(?=        law_row_bands)", "    case LAW_NEGATIVE:\n"),
    ("src/tensor/law.h", "before", r"    case LAW_BANDS:\n        law_bands\(",
     "    case LAW_NEGATIVE:\n        law_bands(f, *p, row, out);\n"
     "        for (int k = 0; k < 4; k++)\n            out[k] = -out[k];\n        return;\n"),
    ("src/tensor/fill.c", "replace", r'(?<=\[LAW_BANDS\] = "bands",)', '\n    [LAW_NEGATIVE] = "negative",'),
    ("src/tensor/fill.c", "replace", r"(?<=law->kind == LAW_UNIFORM \|\| )(?=law->kind == LAW_BANDS)",
     "law->kind == LAW_NEGATIVE || "),
    ("src/tensor/fill.c", "before", r"    case LAW_BANDS:\n        return why_not_real", "    case LAW_NEGATIVE:\n"),
    ("src/problem/declare.c", "before", r"    \{LAW_BANDS, 2, 2,",
     '    {LAW_NEGATIVE, 2, 2, false, 0, 0, "negative(low, high)"},\n'),
    ("src/problem/emit.c", "before", r"    case LAW_BANDS:", "    case LAW_NEGATIVE:\n"),
    ("src/problem/emit_torch.c", "before", r"    case LAW_INTS:",
     '    case LAW_NEGATIVE:\n        buf_adds(out, "-torch.empty(");\n        torch_add_dims(&s->shape, out);\n'
     '        buf_addf(out, ").uniform_(%.6g, %.6g)", law->a * scale, law->b * scale);\n        break;\n'),
    ("src/device/cuda/cuda_content.c", "before", r"    case LAW_BANDS:\n        return true",
     "    case LAW_NEGATIVE:\n"),
    ("docs/problems.md", "before", r"\| `bands\(lo, hi\)` \|", "| `negative(lo, hi)` | bands below zero | is scored |\n"),
    ("docs/correctness.md", "before", r"\| `bands\(lo, hi\)` \|", "| `negative(lo, hi)` | bands below zero | yes |\n"),
    ("tests/unit/test_fill.c", "replace", r"(?<=\[LAW_BANDS\] = \{LAW_BANDS, -1, 3, 0\},)",
     "\n    [LAW_NEGATIVE] = {LAW_NEGATIVE, -1, 3, 0},"),
    ("tests/unit/test_fill.c", "replace", r"(?<=\[LAW_BANDS\] = 0x)(\w+),", r"\1,\n        [LAW_NEGATIVE] = 0,"),
    ("tests/unit/test_fill.c", "replace", r'(?<="bands")(?=\};)', ', "negative"'),
    ("tests/unit/test_fill.c", "before", r"        \{\{LAW_COUNT, 0, 0, 0\}, DT_F32,",
     '        {{LAW_NEGATIVE, 2, 2, 0}, DT_F32, "lo < hi"},\n'),
    ("tests/gpu/test_cuda_judge.c", "before", r"        \{LAW_BANDS, 0.5, 2, 0\},",
     "        {LAW_NEGATIVE, 0.5, 2, 0},\n"),
    ("bench/fill_gpu.c", "replace", r"(?<=\{LAW_BANDS, 0, 1, 0\},)", " {LAW_NEGATIVE, 0, 1, 0},"),
]

CHANGES = {"A verdict reason": REASON, "An input law": LAW}


def edit(path, how, anchor, text):
    if how == "new":
        with open(path, "x") as file:
            file.write(text)
        return
    with open(path) as file:
        before = file.read()
    found = len(re.findall(anchor, before))
    assert found == 1, f"{path}: {found} places look like '{anchor}': adapt tests/e2e/recipes.py"
    after = re.sub(anchor, text if how == "replace" else lambda m: text + m.group(0), before)
    with open(path, "w") as file:
        file.write(after)


def is_named(path, named):
    """Words in capitals stand for a name."""
    return any(re.fullmatch(re.sub(r"NAME", r"\\w+", re.escape(name)), path) for name in named)


def apply(name):
    named = [path for paths, _ in rows(name) for path in paths]
    for path, how, anchor, text in CHANGES[name]:
        assert is_named(path, named), f"{PAGE}: the recipe '{name}' does not name {path}, which has to change"
        assert how == "new" or os.path.exists(path), f"{PAGE}: the recipe '{name}' names {path}, which does not exist"
        edit(path, how, anchor, text)


def bits(words):
    name, value = words.split("=")
    edit("tests/unit/test_fill.c", "replace", rf"(?<=\[LAW_{name.upper()}\] = )0,", value + ",")


# --- what the page says ---

def check(original, names):
    command = ["diff", "-rq", "--no-dereference", "--exclude=build", "--exclude=.git", original, "."]
    words = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout
    changed = set(re.findall(r" and \./(\S+) differ$", words, re.MULTILINE))
    changed |= {os.path.join(*new) for new in re.findall(r"^Only in \./(.+): (.+)$", words, re.MULTILINE)}
    named = [path for name in names for paths, _ in rows(name) for path in paths]
    for path in sorted(changed):
        if not is_named(path, named):
            yield f"{path} had to change, and no recipe names it"
    for name in names:
        for paths, what in rows(name):
            if not what.startswith("Only if") and not any(is_named(path, paths) for path in changed):
                yield f"{PAGE}: '{name}' asks to change {' or '.join(paths)}, which did not have to change"


def missing_paths():
    for name, text in recipes().items():
        for path in PATH.findall(text):
            stands_for = re.search(r"[A-Z]{3,}", path.replace("README", "")) or f"`{path}` (new)" in text
            if not stands_for and not glob.glob(path):
                yield f"{PAGE}: the recipe '{name}' names {path}, which does not exist"


def main():
    what, *words = sys.argv[1:]
    wrong = []
    try:
        if what == "paths":
            wrong = list(missing_paths())
        elif what == "apply":
            apply(*words)
        elif what == "bits":
            bits(*words)
        elif what == "check":
            wrong = list(check(words[0], words[1:]))
    except (AssertionError, KeyError) as error:
        wrong = [str(error)]
    for line in wrong:
        print(line)
    return 1 if wrong else 0


sys.exit(main())
