# What a candidate printed is in its record, and could tell the next one what the answers are: that one is judged on
# contents of its own. Both loud ones print a name for every content they see; quiet ones share a pool. The text of a fault
# is the runner's word, and may tell as much.
set -u
cat >quiet.c <<'C'
#include "assay.h"
#include "problem.h"
#include <stdio.h>
#include <string.h>

static void name(const float *x, int64_t n)
{
#ifdef LOUD
    static uint32_t last;
    uint32_t now = 1, word;

    for (int i = 0; i < 16; i++) {
        memcpy(&word, &x[i * (n / 16)], sizeof(word));
        now = (now ^ word) * 16777619u;
    }
    if (now != last)
        fprintf(stderr, "%08x\n", (unsigned)now);
    last = now;
#endif
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    name(x, n);
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
    return 0;
}
C
sed '1i #define LOUD' quiet.c >loud.c
"$ASSAY" eval --json --sizes small level1/19 quiet.c quiet.c loud.c loud.c quiet.c >r.json || { cat r.json; exit 1; }
python3 - <<'P'
import hashlib, json, os, sqlite3, struct
records = [json.loads(line) for line in open("r.json")]
pools = [r["pool"] for r in records]
names = [set(r["candidate"]["printed"].split()) for r in records]
print(pools, [len(n) for n in names])
assert len(names[2]) >= 5 and len(names[3]) >= 5, "they print what they see"
assert not names[2] & names[3], "the second sees what the first has printed"
assert pools[0] == pools[1] == pools[2], "quiet ones share a pool"
assert len(set(pools[2:])) == 3, "each loud one spends its own"
# Only the last pool's seed was revealed, where a pool was left in mid-session.
store = sqlite3.connect(os.path.join(os.environ["ASSAY_HOME"], "store.db"))
seeds = dict(store.execute("select pool, seed from pools"))
for pool in pools:
    assert pool in seeds, "its seed is never revealed"
    assert hashlib.sha256(struct.pack("=Q", int(seeds[pool]))).hexdigest() == pool, "another seed"
P
printf 'op relu\nfault at call 2\n' >fault.fake
"$ASSAY" eval --json --sizes small level1/19 fault.fake fault.fake >f.json
python3 - <<'P'
import json
records = [json.loads(line) for line in open("f.json")]
assert [r["verdict"] for r in records] == ["crash", "crash"], records
assert records[0]["pool"] != records[1]["pool"], "the second is judged on what the first may have told"
P
