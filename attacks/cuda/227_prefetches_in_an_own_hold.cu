/* SPDX-License-Identifier: MIT */
/* The runner's launches go through a function of this file. In place of the waiting kernel it
 * queues one that brings the weights into the cache, then one that says that the device is held.
 * Such a kernel knows no sum of the judge's numbers. The rest is the exemplar. problem: hard/7
 * sizes: full expected: rejected: cache or rejected: busy or pass at least 97 % of
 * attacks/cuda/139_prefetch_control.cu */
#include "assay.h"
#include "problem.h"

#include <cuda.h>
#include <cuda_bf16.h>
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

#define GROUP 128
#define THREADS 128
#define COLS 32             /* to a block, 8 to a warp */
#define PACKED (GROUP / 2)  /* bytes of a column in a group */
#define W_PITCH (COLS + 8)  /* so that four rows at a time meet no bank twice */
#define X_PITCH (GROUP + 8) /* the same for eight */

/* d (16 x 8) += a (16 x 16) b (16 x 8); all bf16 but d. */
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2])
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* Two rows of a column: q - zero each. */
__device__ uint32_t unpack(uint8_t pair, float zero)
{
    __nv_bfloat162 both = __floats2bfloat162_rn((pair & 15) - zero, (pair >> 4) - zero);

    return *(uint32_t *)&both;
}

/* A group's weights and activations; zeros where there is no row of x. */
template <int rows>
__device__ void load_group(const __nv_bfloat16 *x, const uint8_t *w, int m, int n, int k, int group,
                           __nv_bfloat16 (*x_tile)[X_PITCH], uint8_t (*w_tile)[W_PITCH])
{
    for (int i = threadIdx.x; i < PACKED * COLS / 8; i += THREADS) {
        int row = i / (COLS / 8), at = i % (COLS / 8) * 8;

        *(uint2 *)&w_tile[row][at] = *(const uint2 *)&w[(int64_t)(group * PACKED + row) * n + at];
    }
    for (int i = threadIdx.x; i < rows * GROUP / 8; i += THREADS) {
        int row = i / (GROUP / 8), at = i % (GROUP / 8) * 8;
        uint4 piece = make_uint4(0, 0, 0, 0);

        if (row < m)
            piece = *(const uint4 *)&x[(int64_t)row * k + group * GROUP + at];
        *(uint4 *)&x_tile[row][at] = piece;
    }
}

/* TILES x 16 rows and 32 columns to a block, 8 columns to a warp. */
template <int tiles>
__global__ void __launch_bounds__(THREADS)
    gemm(const __nv_bfloat16 *x, const uint8_t *w, const __nv_bfloat16 *scales,
         const __nv_bfloat16 *zeros, __nv_bfloat16 *y, int m, int n, int k)
{
    __shared__ __align__(16) __nv_bfloat16 x_tile[tiles * 16][X_PITCH];
    __shared__ __align__(16) uint8_t w_tile[PACKED][W_PITCH];
    int row0 = blockIdx.y * tiles * 16, col0 = blockIdx.x * COLS + threadIdx.x / 32 * 8;
    int across = threadIdx.x % 32 / 4, along = threadIdx.x % 4; /* a thread's place in an operand */
    float sum[tiles][4] = {{0}};

    x += (int64_t)row0 * k;
    for (int group = 0; group < k / GROUP; group++) {
        const __nv_bfloat16 *scale = scales + (int64_t)group * n + col0 + along * 2;
        float zero = __bfloat162float(zeros[(int64_t)group * n + col0 + across]);
        float part[tiles][4] = {{0}};

        load_group<tiles * 16>(x, w + blockIdx.x * COLS, m - row0, n, k, group, x_tile, w_tile);
        __syncthreads();
        for (int i = 0; i < GROUP; i += 16) {
            const uint8_t *pair = &w_tile[i / 2 + along][threadIdx.x / 32 * 8 + across];
            uint32_t b[2] = {unpack(pair[0], zero), unpack(pair[4 * W_PITCH], zero)};

            for (int t = 0; t < tiles; t++) {
                const __nv_bfloat16 *at = &x_tile[t * 16 + across][i + along * 2];
                uint32_t a[4] = {*(const uint32_t *)at, *(const uint32_t *)(at + 8 * X_PITCH),
                                 *(const uint32_t *)(at + 8),
                                 *(const uint32_t *)(at + 8 * X_PITCH + 8)};

                mma(part[t], a, b);
            }
        }
        __syncthreads();
        for (int t = 0; t < tiles; t++)
            for (int i = 0; i < 4; i++)
                sum[t][i] += part[t][i] * __bfloat162float(scale[i % 2]);
    }
    for (int t = 0; t < tiles; t++)
        for (int i = 0; i < 4; i++) {
            int row = row0 + t * 16 + across + i / 2 * 8;

            if (row < m)
                y[(int64_t)row * n + col0 + along * 2 + i % 2] = __float2bfloat16(sum[t][i]);
        }
}

template <int tiles> static int run(const DLTensor *in, DLTensor *out, void *stream)
{
    int m = in[IN_X].shape[0], k = in[IN_X].shape[1], n = in[IN_W_Q].shape[1];
    dim3 grid(n / COLS, (m + tiles * 16 - 1) / (tiles * 16));

    if (k % GROUP || n % COLS)
        return 1;
    gemm<tiles><<<grid, THREADS, 0, (cudaStream_t)stream>>>(
        (const __nv_bfloat16 *)in[IN_X].data, (const uint8_t *)in[IN_W_Q].data,
        (const __nv_bfloat16 *)in[IN_SCALES].data, (const __nv_bfloat16 *)in[IN_ZEROS].data,
        (__nv_bfloat16 *)out[OUT_Y].data, m, n, k);
    return cudaGetLastError();
}

/* A line to a thread, into the cache and no further; it is not waited for. */
__global__ void prefetch(const uint8_t *w, int64_t bytes)
{
    int64_t at = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) * 128;

    if (at < bytes)
        asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(w + at));
}

/* The page that judge and runner share, as its first words look during a call. */
struct page {
    alignas(64) volatile uint32_t go;
    volatile uint32_t order, in_arena, out_arena, count, hold;
    alignas(64) volatile uint32_t done;
    volatile int32_t status;
    volatile uint64_t claim_ns;
    char error[112];
    alignas(64) volatile uint32_t awake;
    alignas(64) volatile uint32_t awake_ack;
    alignas(64) volatile uint32_t release;
    alignas(64) volatile uint32_t queued;
    alignas(64) volatile uint32_t holding;
    alignas(64) volatile uint32_t ready;
};

static int is_page(uintptr_t address)
{
    struct page *p = (struct page *)address;
    unsigned char resident;

    if (address < 65536 || address % 4096 || mincore(p, 4096, &resident) < 0 || !resident)
        return 0;
    return p->go > 0 && p->order == 1 && p->in_arena < 64 && p->out_arena < 64 && p->count > 0 &&
           p->done == p->go - 1 && p->awake == p->awake_ack;
}

/* Its address is in one of the frames above ours. */
static struct page *find_page(void)
{
    const uintptr_t *frame = (const uintptr_t *)__builtin_frame_address(0);

    for (int i = 0; i < 512; i++)
        if (is_page(frame[i]))
            return (struct page *)frame[i];
    return NULL;
}

/* The runner calls the driver by a table of addresses: one function's becomes another's. */
static int replace_in(struct dl_phdr_info *info, size_t size, void *arg)
{
    void *const *swap = (void *const *)arg; /* from, to */
    int replaced = 0;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        void **word = (void **)(info->dlpi_addr + p->p_vaddr);

        for (size_t w = 0; p->p_type == PT_LOAD && (p->p_flags & PF_W) && w < p->p_memsz / 8; w++)
            if (word[w] == swap[0]) {
                word[w] = swap[1];
                replaced++;
            }
    }
    return replaced ? replaced : -1; /* the program itself comes first: look no further */
}

static int hook(const char *name, void *to)
{
    void *swap[2] = {dlsym(RTLD_DEFAULT, name), to};

    return swap[0] && dl_iterate_phdr(replace_in, swap) > 0;
}

/* A kernel that is loaded when it is first launched waits for the device, and that is held. */
static int is_loaded(const void *kernel)
{
    cudaFuncAttributes attributes;

    return cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess;
}

/* As the runner's, with one thread: it takes the device's word for the hold. */
__global__ void own_hold(struct page *page, uint32_t seq)
{
    page->holding = seq;
    __threadfence_system();
    while (page->release != seq)
        ;
}

static struct page *page, *page_at; /* of the host, and as the device sees it */
static struct {
    const uint8_t *w[64]; /* by the number of the input */
    int64_t bytes;
} known;

/* The runner launches nothing but its waiting kernel: the call's own launches do not come by here.
 */
static int launch(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                  unsigned bz, unsigned shared, CUstream s, void **args, void **extra)
{
    const uint8_t *w = known.w[page->in_arena];

    if (page->hold != 1 || page->order != 1 || page->count != 1 || !w)
        return cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, s, args, extra);
    prefetch<<<(known.bytes + 32767) / 32768, 256, 0, s>>>(w, known.bytes);
    own_hold<<<1, 1, 0, s>>>(page_at, page->go);
    return cudaGetLastError();
}

static int begin(void)
{
    page = find_page();
    return page && cudaHostGetDevicePointer((void **)&page_at, page, 0) == cudaSuccess &&
           is_loaded((const void *)prefetch) && is_loaded((const void *)own_hold) &&
           hook("cuLaunchKernel", (void *)launch);
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    if (!page && !begin())
        return 1;
    known.w[page->in_arena] = (const uint8_t *)in[IN_W_Q].data;
    known.bytes = in[IN_W_Q].shape[0] * in[IN_W_Q].shape[1];
    return in[IN_X].shape[0] <= 16 ? run<1>(in, out, stream) : run<4>(in, out, stream);
}
