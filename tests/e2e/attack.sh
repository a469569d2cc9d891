# The attack corpus for CPU and Python, but for those that must get a certain time (attack_times): nothing is missed, nobody
# honest is punished.
# long: 60 s
python3 "$ROOT/tests/e2e/attacks.py" others
