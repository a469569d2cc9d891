# The attack corpus for devices that are here, but for those that must get a certain time (attack_times): nothing is missed,
# nobody honest is punished. tests/gpu/run judges the attacks on CUDA.
# long: 60 s
python3 "$ROOT/tests/e2e/attacks.py" others
