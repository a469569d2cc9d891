// SPDX-License-Identifier: MIT
// A candidate's kernel without the judge, for a profiler: driver CALLS N...
// Built with -DCANDIDATE='"file.cu"'. One kernel a call is launched, CALLS times for every N.
#include CANDIDATE

#include <cstdio>
#include <cstdlib>
#include <vector>

static void must(cudaError_t rc)
{
    if (rc != cudaSuccess) {
        std::fprintf(stderr, "driver: %s\n", cudaGetErrorString(rc));
        std::exit(1);
    }
}

static void run(int64_t n, int calls)
{
    std::vector<float> host(n);
    float *x, *y;
    int64_t shape[1] = {n}, strides[1] = {1};

    for (int64_t i = 0; i < n; i++)
        host[i] = (float)(i % 2001 - 1000);
    must(cudaMalloc(&x, n * sizeof(float)));
    must(cudaMalloc(&y, n * sizeof(float)));
    must(cudaMemcpy(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));

    DLTensor in = {x, {2, 0}, 1, {ASSAY_FLOAT, 32, 1}, shape, strides, 0};
    DLTensor out = {y, {2, 0}, 1, {ASSAY_FLOAT, 32, 1}, shape, strides, 0};

    for (int i = 0; i < calls; i++) {
        if (assay_kernel(&in, 1, &out, 1, nullptr) != 0)
            std::exit(2);
        must(cudaDeviceSynchronize());
    }
    must(cudaFree(x));
    must(cudaFree(y));
}

int main(int argc, char **argv)
{
    for (int i = 2; i < argc; i++)
        run(std::atoll(argv[i]), std::atoi(argv[1]));
    return 0;
}
