# Twenty problems, judged with the module that `assay show --as torch` prints: as it is, and with other names and another
# order of its parameters.
# san: no, PyTorch does the work
# slow: src/python src/process/bundle.c src/problem/construct.c workers/assay_python workers/zygote.py
# long: 60 s
set -u
bad=0
for problem in level1/1 level1/5 level1/23 level1/40 level1/50 \
    level2/1 level2/11 level2/22 level2/33 level2/40 level2/56 level2/66 level2/77 level2/88 level2/99 \
    level3/1 level3/5 level3/21 level3/30 level3/44; do
    "$ASSAY" show "$problem" --as torch --sizes small >published.py || exit 1
    { cat published.py; cat <<'END'; } >renamed.py


class ModelNew(torch.nn.Module):
    """The same parameters under other names; among equal shapes in the same order."""

    def __init__(self, *args):
        super().__init__()
        inner = Model(*args)
        self.__dict__["inner"] = inner
        named = sorted(enumerate(inner.named_parameters()), key=lambda item: [-d for d in item[1][1].shape])
        for i, (name, value) in named:
            self.register_parameter(f"theta{i}_{'bias' if name.endswith('bias') else 'weight'}", value)

    def forward(self, *inputs):
        return self.inner(*inputs)
END
    if ! "$ASSAY" eval "$problem" published.py renamed.py --device cpu --sizes small --check-only >out.txt 2>&1; then
        if grep -q 'no torch' out.txt; then
            grep -m 1 'no torch' out.txt
            exit 77
        fi
        cat out.txt
        bad=1
    fi
done
exit $bad
