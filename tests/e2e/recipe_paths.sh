# shellcheck shell=bash
# Every path that a recipe of CONTRIBUTING.md names exists.
cd "$ROOT" && python3 tests/e2e/recipes.py paths
