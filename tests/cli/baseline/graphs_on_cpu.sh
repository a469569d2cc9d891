# CUDA graphs need a GPU: on the CPU these kinds would be torch:compile by another name.
# covers: src/judge/judge.c src/terms/baseline.c
for kind in torch:reduce-overhead torch:cudagraphs; do
    "$ASSAY" eval level1/19 $kind --device cpu
    echo "exit $?"
    "$ASSAY" baseline level1/19 --device cpu --sizes small --kinds $kind --name graphs 2>err
    echo "exit $?"
    grep skipped: err
done
