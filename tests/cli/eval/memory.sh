# A candidate that takes more memory for itself than the problem allows is refused, whatever it computes.
# long: 6 s
cat >frugal.lua <<'L'
problem { "Twice x, in little memory" }
sizes { full = { N = 4096 }, small = { N = 1024 } }
output("y", input("x", f32, { N }) * 2)
requires { memory = 1 << 20 }
L
cat >hog.c <<'C'
#include "assay.h"
#include <stdlib.h>
int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    volatile char *room = malloc(1 << 30);

    for (int i = 0; room && i < 1 << 30; i += 4096)
        room[i] = 1;
    for (int64_t i = 0; i < in[0].shape[0]; i++)
        ((float *)out[0].data)[i] = 2 * ((const float *)in[0].data)[i];
    free((void *)room);
    return 0;
}
C
"$ASSAY" eval frugal.lua hog.c 2>err | sed -n '2s/holds [0-9.]* MB/holds N MB/p'
sed 's/1 << 30/1 << 16/' hog.c >modest.c
"$ASSAY" eval frugal.lua modest.c 2>>err | sed -n '2s/ *peak_fraction.*//p'
grep -v calibrated err >&2 || true # names this CPU
