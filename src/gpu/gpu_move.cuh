/* SPDX-License-Identifier: MIT */
/* Movement: ops that copy elements and compute only their places. */

template <class R> static __device__ __forceinline__ void move_all(const struct gpu_elementwise &a)
{
    FOR_EACH_FOUR(i, a.n) {
        four<1> f(a.ax, i, a.n);
        R v[4];

        f.fetch(a.in[0], a.ax, 0, v);
        store4<R>((R *)a.y, i, v, f.left);
    }
}

/* Transposes: reads along one axis and writes along the other, through shared memory. The odd row
 * length keeps the columns in different banks. */
template <class R>
static __device__ __forceinline__ void transpose_all(const struct gpu_transpose &a)
{
    __shared__ R block[GPU_TRANSPOSE][GPU_TRANSPOSE + 1];
    int64_t row_blocks = (a.rows + GPU_TRANSPOSE - 1) / GPU_TRANSPOSE;
    int64_t col_blocks = (a.cols + GPU_TRANSPOSE - 1) / GPU_TRANSPOSE;
    int x = threadIdx.x % GPU_TRANSPOSE, y0 = threadIdx.x / GPU_TRANSPOSE;
    int step = CUDA_THREADS / GPU_TRANSPOSE;

    for (int64_t b = blockIdx.x; b < a.outer * row_blocks * col_blocks; b += gridDim.x) {
        int64_t r0 = b % row_blocks * GPU_TRANSPOSE;
        int64_t c0 = b / row_blocks % col_blocks * GPU_TRANSPOSE;
        int64_t outer = b / row_blocks / col_blocks;
        int64_t from = axes_offset(&a.from, outer), to = axes_offset(&a.to, outer);

        for (int y = y0; y < GPU_TRANSPOSE; y += step) {
            if (r0 + x < a.rows && c0 + y < a.cols)
                block[y][x] = load<R>(a.x, from + r0 + x + (c0 + y) * a.x_row);
        }
        __syncthreads();
        for (int y = y0; y < GPU_TRANSPOSE; y += step) {
            if (r0 + y < a.rows && c0 + x < a.cols)
                ((R *)a.y)[to + (r0 + y) * a.y_row + c0 + x] = block[x][y];
        }
        __syncthreads();
    }
}

template <class R> static __device__ __forceinline__ void rows_all(const struct gpu_rows &a)
{
    FOR_EACH(i, a.rows * a.width)
        ((R *)a.y)[i / a.width * a.y_row + i % a.width] = load<R>(a.x, i);
}

template <class R> static __device__ __forceinline__ void pad_all(const struct gpu_pad &a)
{
    FOR_EACH(i, a.n)
        ((R *)a.y)[i] = items<R>::pad(&a.pad, a.x, i);
}

template <class R> static __device__ __forceinline__ void gather_all(const struct gpu_indexed &a)
{
    FOR_EACH(i, a.n)
        ((R *)a.y)[i] = items<R>::gather(&a.gather, a.x, a.index, i);
}

template <class R> static __device__ __forceinline__ void take_all(const struct gpu_indexed &a)
{
    FOR_EACH(i, a.n)
        ((R *)a.y)[i] = items<R>::take(&a.take, a.x, a.index, i);
}

ALL_KERNELS(move, gpu_elementwise)
ALL_KERNELS(transpose, gpu_transpose)
ALL_KERNELS(rows, gpu_rows)
ALL_KERNELS(pad, gpu_pad)
ALL_KERNELS(gather, gpu_indexed)
ALL_KERNELS(take, gpu_indexed)

KERNEL check_index(ARGS(gpu_check_index) a)
{
    FOR_EACH(i, a.n) {
        if (a.index[i] < 0 || a.index[i] >= a.length)
            atomicMin(a.ret, (unsigned long long)i);
    }
}
