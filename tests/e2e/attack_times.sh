# Attacks on the time, each beside an honest control of the same work: none is faster.
# alone: it measures time
# san-slow: attacks src/measure src/judge src/process src/runner src/device src/content tests/e2e/attacks.py tests/e2e/devices_here.py
# long: 20 s
set -u
python3 "$ROOT/tests/e2e/attacks.py" timed
