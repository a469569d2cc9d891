/* SPDX-License-Identifier: MIT */
/* Keeps 64 MB where the problem allows 96 KB, in shared memory without a file: that would count as
 * an arena, which is the judge's. It is refused, and other memory counts. problem: hard/7
 * expected: rejected: memory */
#include "assay.h"
#include "problem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SCRATCH_BYTES ((size_t)64 << 20)

static float from_bf16(uint16_t x)
{
    uint32_t bits = (uint32_t)x << 16;
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint16_t to_bf16(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16); /* to nearest, ties to even */
}

#define GROUP 128

static void *scratch(void)
{
    void *room =
        mmap(NULL, SCRATCH_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return room != MAP_FAILED ? room : malloc(SCRATCH_BYTES);
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    static void *room;
    const uint16_t *x = in[IN_X].data, *scales = in[IN_SCALES].data, *zeros = in[IN_ZEROS].data;
    const uint8_t *w = in[IN_W_Q].data;
    uint16_t *y = out[OUT_Y].data;
    int64_t m = in[IN_X].shape[0], k = in[IN_X].shape[1], n = in[IN_W_Q].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    if (!room)
        room = scratch();
    if (!room)
        return 1;
    memset(room, 1, SCRATCH_BYTES);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            float sum = 0;

            for (int64_t g = 0; g < k / GROUP; g++) {
                float zero = from_bf16(zeros[g * n + j]), part = 0;

                for (int64_t r = g * GROUP; r < (g + 1) * GROUP; r += 2) {
                    uint8_t pair = w[r / 2 * n + j];

                    part += from_bf16(x[i * k + r]) * ((float)(pair & 15) - zero);
                    part += from_bf16(x[i * k + r + 1]) * ((float)(pair >> 4) - zero);
                }
                sum += part * from_bf16(scales[g * n + j]);
            }
            y[i * n + j] = to_bf16(sum);
        }
    return 0;
}
