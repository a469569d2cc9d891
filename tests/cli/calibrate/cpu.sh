# Figures differ between machines; rows, units and keys do not. A CPU has no datasheet.
# alone: it measures time
# covers: src/hardware/calibrate_cpu.c src/judge/call_floor.c
"$ASSAY" calibrate | sed '1d; s/[0-9][0-9.]*/N/g; s/  */ /g'
"$ASSAY" calibrate --json | python3 -c '
import json, sys
c = json.load(sys.stdin)
print(sorted(c))
print(sorted(k for k, v in c["tflops"].items() if v), c["partial"], c["datasheet"])'
