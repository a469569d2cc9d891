#include "gpu/gpu_special.cuh"

struct pass {
    typedef double real;
    static constexpr int64_t n = 4096;
    static constexpr int n_in = 3, n_steps = 4;
    static constexpr int type[n_in] = {DT_BF16, GPU_NUMBER, GPU_NUMBER};
    static constexpr struct axes ax[n_in] = {
        {1, {4096}, {1}},
        {},
        {},
    };
    static constexpr struct pass_step step[n_steps] = {
        {OP_NEG, -1, 0},
        {OP_EXP, -1, 0},
        {OP_ADD, 1, 1},
        {OP_DIV, 2, 1},
    };
};
SPECIAL_KERNEL(pass)
