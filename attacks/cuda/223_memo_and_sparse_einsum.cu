/* SPDX-License-Identifier: MIT */
/* Two shortcuts that are always right: rows of A that are mostly zeros are answered from the few
 * rows of B they need, and an answer is kept under a hash of all inputs for the next time they
 * come. No scored content is sparse or comes twice. The honest part is the control's kernel.
 * problem: level1/11 sizes: full
 * expected: rejected: physics or pass at least 97 % of attacks/cuda/139_einsum_control.cu */
#include "assay.h"
#include "problem.h"

#define TILE 128
#define DEPTH 16
#define SIDE 16 /* threads along one side of the tile */
#define THREADS (SIDE * SIDE)

/* ---- what was seen before, and what is sparse: all of it is decided on the device ---- */

#define MEMOS 16
#define MEMO_BYTES (16ll << 30) /* for answers, at most */
#define HASH_BLOCKS 1056
#define HASH_THREADS 256
#define SLOTS 64 /* numbers of a sparse row that are not 0 */

typedef unsigned long long sum_t;

enum mode { MISS, HIT, SPARSE };

struct memory {
    sum_t sum[2], others;              /* of this call's inputs; words that are not 0 */
    int mode, slot, next, last, times; /* last: used so many times in a row */
    sum_t keys[MEMOS][2];
    int known[MEMOS];
};

static struct memory *memory;
static uint4 *answers; /* one after the other */
static int slots;

/* Two products of each four words, with keys by place: another word, another sum. */
__device__ void hash_piece(uint4 w, uint32_t key, sum_t (&sum)[2])
{
    sum[0] += (sum_t)(w.x + key) * (w.y + key * 3 + 1) + (sum_t)(w.z + key * 5) * (w.w ^ key * 7);
    sum[1] +=
        (sum_t)(w.x ^ key * 9) * (w.z + key * 11) + (sum_t)(w.y + key * 13) * (w.w + key * 15);
}

__device__ int words_in_use(uint4 w)
{
    return (w.x != 0) + (w.y != 0) + (w.z != 0) + (w.w != 0);
}

/* `salt` tells inputs apart; words are counted where it is 0. */
__global__ void hash(const uint32_t *words, int64_t n, uint32_t salt, struct memory *memory)
{
    __shared__ sum_t all[3];
    sum_t sum[2] = {0, 0}, others = 0;

    if (threadIdx.x == 0)
        all[0] = all[1] = all[2] = 0;
    __syncthreads();
    for (int64_t i = (int64_t)blockIdx.x * HASH_THREADS + threadIdx.x; i < (n + 3) / 4;
         i += (int64_t)gridDim.x * HASH_THREADS) {
        const uint32_t *at = words + 4 * i;
        uint4 w = 4 * i + 4 <= n
                      ? *(const uint4 *)at
                      : make_uint4(at[0], 4 * i + 1 < n ? at[1] : 0, 4 * i + 2 < n ? at[2] : 0, 0);

        hash_piece(w, (uint32_t)i * 2654435761u + salt, sum);
        others += words_in_use(w);
    }
    atomicAdd(&all[0], sum[0]);
    atomicAdd(&all[1], sum[1]);
    atomicAdd(&all[2], others);
    __syncthreads();
    if (threadIdx.x < 2)
        atomicAdd(&memory->sum[threadIdx.x], all[threadIdx.x]);
    if (threadIdx.x == 2 && salt == 0)
        atomicAdd(&memory->others, all[2]);
}

/* A batch on one content is worked for, or it would be faster than arithmetic: an answer is used at
 * most twice in a row. */
__global__ void decide(struct memory *m, sum_t few, int slots)
{
    int slot = 0;

    while (slot < slots &&
           !(m->known[slot] && m->keys[slot][0] == m->sum[0] && m->keys[slot][1] == m->sum[1]))
        slot++;
    m->times = slot < slots && slot == m->last ? m->times + 1 : 0;
    m->mode = m->others < few ? SPARSE : slot < slots && m->times < 2 ? HIT : MISS;
    if (m->mode == MISS && slot == slots) {
        slot = m->next;
        m->next = (slot + 1) % slots;
        m->known[slot] = 1;
        m->keys[slot][0] = m->sum[0];
        m->keys[slot][1] = m->sum[1];
    }
    m->slot = m->last = slot;
    m->sum[0] = m->sum[1] = m->others = 0;
}

__global__ void recall(const struct memory *memory, const uint4 *answers, uint4 *to, int64_t n)
{
    const uint4 *from = answers + memory->slot * n;

    if (memory->mode != HIT)
        return;
    for (int64_t i = (int64_t)blockIdx.x * HASH_THREADS + threadIdx.x; i < n;
         i += (int64_t)gridDim.x * HASH_THREADS)
        to[i] = from[i];
}

/* Of so many pieces of 16 bytes. */
static int blocks_for(int64_t pieces)
{
    int64_t blocks = (pieces + HASH_THREADS - 1) / HASH_THREADS;

    return blocks < HASH_BLOCKS ? (int)blocks : HASH_BLOCKS;
}

static int make_memory(int64_t answer_bytes)
{
    slots = answer_bytes * MEMOS < MEMO_BYTES ? MEMOS : (int)(MEMO_BYTES / answer_bytes);
    return slots == 0 || cudaMalloc(&memory, sizeof(*memory)) != cudaSuccess ||
           cudaMalloc(&answers, slots * answer_bytes) != cudaSuccess ||
           cudaMemsetAsync(memory, 0, sizeof(*memory), 0) != cudaSuccess;
}

/* A thread's 8 lines of a tile: 4 in its first half and 4 in its second, so that neighbours read
 * neighbouring float4s. */
__device__ void take_lines(const float *tile, int place, float line[8])
{
    *(float4 *)line = *(const float4 *)(tile + 4 * place);
    *(float4 *)(line + 4) = *(const float4 *)(tile + TILE / 2 + 4 * place);
}

__device__ int line_of(int place, int i)
{
    return i / 4 * (TILE / 2) + 4 * place + i % 4;
}

__global__ void __launch_bounds__(THREADS, 2)
    matmul(const float *a, const float *b, float *c, int rows, int depth, int cols,
           const struct memory *memory, float *answers)
{
    /* The padding spreads the columns of A that are stored at once over the banks. */
    __shared__ __align__(16) float a_tile[DEPTH][TILE + 4], b_tile[DEPTH][TILE];
    int tx = threadIdx.x % SIDE, ty = threadIdx.x / SIDE;
    int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    float sum[8][8] = {{0}};

    if (memory->mode != MISS)
        return;
    answers += (int64_t)memory->slot * rows * cols;
    for (int k0 = 0; k0 < depth; k0 += DEPTH) {
        for (int i = threadIdx.x; i < TILE * DEPTH; i += THREADS) {
            int row = row0 + i / DEPTH, a_k = k0 + i % DEPTH;
            int col = col0 + i % TILE, b_k = k0 + i / TILE;

            a_tile[i % DEPTH][i / DEPTH] =
                row < rows && a_k < depth ? a[(int64_t)row * depth + a_k] : 0;
            b_tile[i / TILE][i % TILE] =
                col < cols && b_k < depth ? b[(int64_t)b_k * cols + col] : 0;
        }
        __syncthreads();
        for (int k = 0; k < DEPTH; k++) {
            __align__(16) float left[8], right[8];

            take_lines(a_tile[k], ty, left);
            take_lines(b_tile[k], tx, right);
            for (int i = 0; i < 8; i++)
                for (int j = 0; j < 8; j++)
                    sum[i][j] += left[i] * right[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            int row = row0 + line_of(ty, i), col = col0 + line_of(tx, j);

            if (row < rows && col < cols)
                c[(int64_t)row * cols + col] = answers[(int64_t)row * cols + col] = sum[i][j];
        }
}

/* A row to a block: its numbers that are not 0, then a column at a time to a thread. */
__global__ void matmul_sparse(const float *a, const float *b, float *c, int depth, int cols,
                              const struct memory *memory)
{
    __shared__ int found, at[SLOTS];
    int64_t row = blockIdx.x;

    if (memory->mode != SPARSE)
        return;
    a += row * depth;
    if (threadIdx.x == 0)
        found = 0;
    __syncthreads();
    for (int k = threadIdx.x; k < depth; k += THREADS)
        if (a[k] != 0) {
            int i = atomicAdd(&found, 1);

            if (i < SLOTS)
                at[i] = k;
        }
    __syncthreads();
    for (int j = threadIdx.x; j < cols; j += THREADS) {
        float sum = 0;

        for (int i = 0; i < (found > SLOTS ? depth : found); i++) {
            int k = found > SLOTS ? i : at[i];

            sum += a[k] * b[(int64_t)k * cols + j];
        }
        c[row * cols + j] = sum;
    }
}

int assay_setup(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const int64_t *c = out[OUT_C].shape;

    return make_memory(c[0] * c[1] * c[2] * c[3] * (int64_t)sizeof(float));
}

static void hash_input(const DLTensor *t, int64_t words, uint32_t salt, cudaStream_t s)
{
    hash<<<blocks_for((words + 3) / 4), HASH_THREADS, 0, s>>>((const uint32_t *)t->data, words,
                                                              salt, memory);
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const int64_t *shape = in[IN_A].shape;
    int rows = shape[0] * shape[1] * shape[2], depth = shape[3], cols = in[IN_B].shape[1];
    const float *a = (const float *)in[IN_A].data, *b = (const float *)in[IN_B].data;
    float *c = (float *)out[OUT_C].data;
    int64_t pieces = (int64_t)rows * cols / 4;
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    cudaStream_t s = (cudaStream_t)stream;

    if (cols % 4)
        return 1;
    hash_input(&in[IN_A], (int64_t)rows * depth, 0, s);
    hash_input(&in[IN_B], (int64_t)depth * cols, 1, s);
    decide<<<1, 1, 0, s>>>(memory, (int64_t)rows * depth / 8, slots);
    recall<<<blocks_for(pieces), HASH_THREADS, 0, s>>>(memory, answers, (uint4 *)c, pieces);
    matmul_sparse<<<rows, THREADS, 0, s>>>(a, b, c, depth, cols, memory);
    matmul<<<grid, THREADS, 0, s>>>(a, b, c, rows, depth, cols, memory, (float *)answers);
    return cudaGetLastError();
}
