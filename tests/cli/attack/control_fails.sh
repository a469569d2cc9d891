# A control that does not pass, or is not there, is an error of the corpus.
mkdir -p share/attacks/fake share/honest && ln -s "$ASSAY_SHARE"/problems "$ASSAY_SHARE"/include share/
printf 'op relu\nreturn 3\n' >share/honest/relu.fake
for control in honest/relu.fake honest/gone.fake; do
    printf '# /* licence */ /* Expects too much. expected: pass at least 90 %% of %s */\nop relu\n' $control \
        >share/attacks/fake/204_fast.fake
    ASSAY_SHARE=$PWD/share "$ASSAY" attack --device fake 2>&1 | sed 's|'"$PWD"'|.|g'
    echo "exit ${PIPESTATUS[0]}"
done
