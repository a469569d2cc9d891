# SPDX-License-Identifier: MIT
"""Follows a recipe of CONTRIBUTING.md in a copy of the tree (tests/e2e/recipes.sh).

usage: recipes.py paths             paths that the recipes name and that do not exist
       recipes.py apply RECIPE      makes the change below; edits no file that the recipe does not name
       recipes.py bits NAME=VALUE   writes the bits that tests/unit/test_fill.c printed
       recipes.py check ORIGINAL RECIPE...
                                    what differs from ORIGINAL is what the recipes name, row by row

Runs in the copy's root. Prints what is wrong and exits 1.
"""
import filecmp
import glob
import os
import re
import sys

PAGE = "CONTRIBUTING.md"
PATH = re.compile(r"`(README.md|(?:src|tests|docs|problems|attacks|exemplars|hardware|workers|bench|tools|results)/[^`\s]*)`")


def recipes():
    """{heading: text} of the section "Recipes"."""
    with open(PAGE) as page:
        text = page.read().split("\n## Recipes\n")[1].split("\n## ")[0]
    parts = re.split(r"^### (.*)\n", text, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2]))


def rows(name):
    """(files, what to do) of every row of a recipe's tables. A table headed "one of" counts as one row."""
    found, choice = [], None
    for line in recipes()[name].splitlines():
        cells = line.strip("| ").split(" | ") if line.startswith("| ") else []
        if cells[:1] == ["one of"]:
            choice = []
            found.append((choice, cells[1]))
        elif len(cells) == 2 and PATH.search(cells[0]):
            if choice is None:
                found.append((PATH.findall(cells[0]), cells[1]))
            else:
                choice += PATH.findall(cells[0])
        elif not line.startswith("|"):
            choice = None
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

KEY = [
    ("src/measure/trial.h", "before", r"    int n_warm;", "    int n_warmups; /* calls before those that are scored */\n"),
    ("src/measure/trial.c", "before", r"    res->n_warm = ", "    res->n_warmups = t->config->plan->warmups;\n"),
    ("src/judge/record.c", "before", r'    json_object_set_new\(j, "warm_runners"',
     '    json_object_set_new(j, "warmups", json_integer(t->n_warmups));\n'),
    ("docs/record.md", "before", r"\| `warm_runners` \|", "| `warmups` | calls before those that are scored |\n"),
]


def mock(path):
    """A new file: that of the fake device, under another name."""
    with open(path) as file:
        text = file.read()
    return path.replace("fake", "mock"), "new", "", text.replace("fake", "mock").replace("FAKE", "MOCK")


def mock_test(files):
    return "/* covers: " + " ".join(files) + """ */
#include "testing.h"

#include "build/build.h"

static void builds(void **state)
{
    const struct build_request req = {
        .device = &device_mock, .file_name = "x.mock", .source = "op relu\\n", .source_len = 8};
    struct build_result r;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(build_artifact(&req, &r, &err), 0);
    assert_string_equal(r.toolchain, "mock");
    build_result_release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(builds)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
"""


def attack_rows():
    """Rows for all numbers that need one; only the first has a candidate."""
    with open("attacks/README.md") as page:
        numbers = re.findall(r"^\| (\d+) \| [^|]+ \|  \|$", page.read(), re.MULTILINE)
    return "".join(f"| {n} | - | it is a mock |\n" if n != "1" else "| 1 | `writes_nothing` |  |\n" for n in numbers)


def device():
    """mock: as the fake device, with candidates of its own suffix."""
    copies = [mock(path) for path in sorted(glob.glob("src/device/fake/*")) + ["src/build/toolchain_fake.c"]]
    return copies + [
        mock("docs/devices/fake.md"),
        ("src/device/device.h", "replace", r"(?<=X\(fake\))", " X(mock)"),
        ("src/build/recipe.h", "replace", r"(?<=toolchain_python)(?=;)", ", toolchain_mock"),
        ("src/terms/fault_name.c", "replace", r'(?<="FAKE_ERROR_FAULT",)', '\n    "MOCK_ERROR_FAULT",'),
        ("tests/unit/test_fault_name.c", "replace", r'(?<={"PASS: every answer is right", "fault"},)',
         '\n        {"MOCK_ERROR_FAULT: as its text says", "MOCK_ERROR_FAULT"},'),
        ("README.md", "replace", r"(?<=It is one native program in C, for )", "mocks, "),
        ("attacks/mock/001_writes_nothing.mock", "new", "",
         "# /* licence */ /* Does nothing. expected: wrong: unwritten */\ntime 10us\n"),
        ("attacks/mock/README.md", "new", "", attack_rows()),
        ("exemplars/mock/level1/019_relu/relu.mock", "new", "", "op relu\ntime 10us\n"),
        ("tests/integration/test_mock.c", "new", "", mock_test([path for path, *_ in copies if path.endswith(".c")])),
    ]


CHANGES = {"A verdict reason": lambda: REASON, "An input law": lambda: LAW, "A record key": lambda: KEY, "A device": device}


def edit(path, how, anchor, text):
    if how == "new":
        os.makedirs(os.path.dirname(path), exist_ok=True)
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
    """Words in capitals stand for a name, and a folder for all that is in it."""
    return any(re.fullmatch(re.sub("NAME", r"\\w+", re.escape(name.rstrip("/"))) + ("(/.*)?" if name[-1] == "/" else ""), path)
               for name in named)


def apply(name):
    named = [path for paths, _ in rows(name) for path in paths]
    for path, how, anchor, text in CHANGES[name]():
        assert is_named(path, named), f"{PAGE}: the recipe '{name}' does not name {path}, which has to change"
        assert how == "new" or os.path.exists(path), f"{PAGE}: the recipe '{name}' names {path}, which does not exist"
        edit(path, how, anchor, text)


def bits(words):
    name, value = words.split("=")
    edit("tests/unit/test_fill.c", "replace", rf"(?<=\[LAW_{name.upper()}\] = )0,", value + ",")


# --- what the page says ---

def changed_since(original):
    """Files here that ORIGINAL does not have, or has otherwise; neither what was built nor links."""
    for folder, folders, files in os.walk("."):
        folders[:] = [name for name in folders if name != "__pycache__" and not (folder == "." and name in (".git", "build"))]
        for path in (os.path.normpath(os.path.join(folder, name)) for name in files):
            before = os.path.join(original, path)
            if not os.path.islink(path) and not (os.path.exists(before) and filecmp.cmp(path, before, shallow=False)):
                yield path


def check(original, names):
    changed = set(changed_since(original))
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
