# Entries of candidates in Python are listed twice: as a runner looks for them (workers/assay_python/entry.py), and as the
# judge looks for the main file of a folder (src/build/source_folder.c). Both lists have the same names in the same order,
# and so have the text for a file without an entry and docs/candidates.md.
# covers: workers/assay_python/entry.py src/build/source_folder.c
python3 - "$ROOT" <<'P'
import ast, re, sys

def text_of(path):
    with open(f"{sys.argv[1]}/{path}") as file:
        return file.read()

tree = ast.parse(text_of("workers/assay_python/entry.py"))
values = {}
for node in tree.body:  # the module itself imports torch
    if isinstance(node, ast.Assign) and node.targets[0].id in ("CLASSES", "RANKS"):
        code = compile(ast.Expression(node.value), "entry.py", "eval")
        values[node.targets[0].id] = eval(code, {}, values)
wanted = [("class" if name in values["CLASSES"] else "def", name) for name in values["RANKS"]]
assert len(wanted) > 1, wanted

strings = "".join(node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
told = re.search(r" has none of: (.*?);", strings).group(1)
entries = re.search(r"\bentries\[\] = \{(.*?)\};", text_of("src/build/source_folder.c"), re.S).group(1)
page = re.search(r"\*\*What is called\*\*, by rank: (.*?)\.\s", text_of("docs/candidates.md"), re.S).group(1)

def names(text):
    """(class or def, name) of each: "class Model", "`run(...)`", "def run"."""
    return [("class" if kind == "class" else "def", name)
            for kind, name in re.findall(r"(?:\b(class|def) )?`?\b([A-Za-z_]\w*)`?(?:\([^)]*\))?(?=\W|$)", text)]

bad = 0
for where, text in (("src/build/source_folder.c, entries[]", entries), ("workers/assay_python/entry.py, find_entry()", told),
                    ("docs/candidates.md, What is called", page)):
    if names(text) != wanted:
        print(f"{where}: {names(text)}, but RANKS of workers/assay_python/entry.py has {wanted}")
        bad = 1
sys.exit(bad)
P
