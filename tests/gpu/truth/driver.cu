// SPDX-License-Identifier: MIT
// A candidate's kernel without the judge, for a profiler: driver STATE CALLS N...
// Built with -DCANDIDATE='"file.cu"'. One of its kernels is launched a call, CALLS times for every N, each
// time on other numbers, in buffers chosen as the judge chooses them, its output poisoned. STATE is what
// the caches hold by then:
//   judge:REQUESTS,ANSWERS  what the judge's flush leaves there, made by the process behind two pipes (flusher)
//   own                     what the same two kernels leave there, in this very context
//   left                    whatever there is; for a profiler that sees to it
#include CANDIDATE

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#define BUFFERS 2
#define FILL_THREADS 256

static void must(cudaError_t rc)
{
    if (rc != cudaSuccess) {
        std::fprintf(stderr, "driver: %s\n", cudaGetErrorString(rc));
        std::exit(1);
    }
}

static void must_work(bool good, const char *what)
{
    if (!good) {
        std::perror(what);
        std::exit(1);
    }
}

// ---- contents ----

__host__ __device__ static unsigned mix(unsigned v)
{
    v = (v ^ v >> 16) * 0x7feb352du;
    v = (v ^ v >> 15) * 0x846ca68bu;
    return v ^ v >> 16;
}

// Numbers of both signs, or noise that is none.
__global__ void fill(float *data, int64_t n, unsigned key, bool noise)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;

    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        unsigned bits = mix((unsigned)i ^ key);

        data[i] = noise ? __uint_as_float(bits) : ((float)bits - 2147483648.0f) * 0x1p-30f;
    }
}

// ---- caches ----

// The judge's flush_write and flush_read.
__global__ void flush_write(uint4 *data, int64_t n, unsigned value)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;

    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        data[i] = make_uint4(value, value, value, value);
}

__global__ void flush_read(const uint4 *data, int64_t n, unsigned *never)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    unsigned all = 0;

#pragma unroll 4
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        uint4 v = data[i];

        all |= v.x | v.y | v.z | v.w;
    }
    if (all == 0xFFFFFFFFu)
        *never = all;
}

struct caches {
    int requests = -1, answers = -1; // of another process
    char *sweep = nullptr;           // or memory of our own
    size_t half = 0;
    int blocks = 0;
};

static caches caches_open(const char *state)
{
    caches c;
    cudaDeviceProp prop;

    if (std::strncmp(state, "judge:", 6) == 0) {
        std::string both = state + 6;
        size_t comma = both.find(',');

        must_work(comma != std::string::npos, "judge:REQUESTS,ANSWERS");
        c.requests = open(both.substr(0, comma).c_str(), O_WRONLY);
        c.answers = open(both.substr(comma + 1).c_str(), O_RDONLY);
        must_work(c.requests >= 0 && c.answers >= 0, state);
    } else if (std::strcmp(state, "own") == 0) {
        must(cudaGetDeviceProperties(&prop, 0));
        c.half = 2 * (size_t)prop.l2CacheSize / 256 * 256;
        c.blocks = prop.multiProcessorCount * 16;
        must(cudaMalloc(&c.sweep, 2 * c.half));
        must(cudaMemset(c.sweep, 0, 2 * c.half));
    }
    return c;
}

static void caches_flush(const caches &c)
{
    int64_t words = (int64_t)(c.half / 16);
    char byte = 1;

    if (c.requests >= 0) {
        must_work(write(c.requests, &byte, 1) == 1, "the pipe of requests");
        must_work(read(c.answers, &byte, 1) == 1, "the pipe of answers");
    } else if (c.sweep) {
        flush_write<<<c.blocks, FILL_THREADS>>>((uint4 *)c.sweep, words, 1);
        flush_read<<<c.blocks, FILL_THREADS>>>((const uint4 *)(c.sweep + c.half), words, (unsigned *)c.sweep);
        must(cudaDeviceSynchronize());
    }
}

// ---- calls ----

static void run(const caches &c, int64_t n, int calls)
{
    float *x[BUFFERS], *y[BUFFERS];
    int64_t shape[1] = {n}, strides[1] = {1};

    for (int i = 0; i < BUFFERS; i++) {
        must(cudaMalloc(&x[i], n * sizeof(float)));
        must(cudaMalloc(&y[i], n * sizeof(float)));
    }
    for (int i = 0; i < calls; i++) {
        unsigned key = mix((unsigned)(n + i));
        float *from = x[key % BUFFERS], *to = y[key / BUFFERS % BUFFERS];
        DLTensor in = {from, {2, 0}, 1, {ASSAY_FLOAT, 32, 1}, shape, strides, 0};
        DLTensor out = {to, {2, 0}, 1, {ASSAY_FLOAT, 32, 1}, shape, strides, 0};

        fill<<<1024, FILL_THREADS>>>(to, n, ~key, true);
        fill<<<1024, FILL_THREADS>>>(from, n, key, false);
        must(cudaDeviceSynchronize());
        caches_flush(c);
        if (assay_kernel(&in, 1, &out, 1, nullptr) != 0)
            std::exit(2);
        must(cudaDeviceSynchronize());
    }
    for (int i = 0; i < BUFFERS; i++) {
        must(cudaFree(x[i]));
        must(cudaFree(y[i]));
    }
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        std::fprintf(stderr, "usage: driver STATE CALLS N...\n");
        return 2;
    }

    caches c = caches_open(argv[1]);

    for (int i = 3; i < argc; i++)
        run(c, std::atoll(argv[i]), std::atoi(argv[2]));
    return 0;
}
