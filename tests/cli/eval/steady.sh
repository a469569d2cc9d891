# Eight processes with eight buffers each take part in a steady figure, with two calls each at least.
printf 'op relu\ntime 10us\n' >relu.fake
"$ASSAY" eval --json --steady level1/19 relu.fake | python3 -c '
import json, sys
r = json.load(sys.stdin)
s = r["sizes"][0]
print(r["verdict"], r["plan"]["steady"], r["plan"]["min_calls"], len(s["samples"]) >= 16)
print(sorted(set(s["sample_runner"])), len(set(s["sample_in"])) > 2, len(set(s["sample_out"])) > 2)'
