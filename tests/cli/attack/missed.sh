# A candidate that gets something else than its file states: said, with the command that repeats it.
mkdir -p share/attacks/fake && ln -s "$ASSAY_SHARE"/problems "$ASSAY_SHARE"/include share/
cat >share/attacks/fake/012_zeros.fake <<'K'
# /* licence */ /* Says that it writes zeros. expected: wrong: max */
op relu
K
cat >share/attacks/fake/038_other.fake <<'K'
# /* licence */ /* Copies its input. expected: wrong: unwritten */
op copy
K
cat >share/attacks/fake/129_honest.fake <<'K'
# /* licence */ /* Is honest, and wrong. expected: pass */
op negate
K
ASSAY_SHARE=$PWD/share "$ASSAY" attack --device fake | sed 's/^  y.*/  WHERE/; s|'"$PWD"'|.|; s/[0-9.]* s$/TIME/'
exit "${PIPESTATUS[0]}"
