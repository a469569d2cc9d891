#include "gpu/gpu_compare.cuh"

struct pass {
    typedef double real;
    static constexpr int64_t n = 16384;
    static constexpr int n_in = 2, n_steps = 1;
    static constexpr int type[n_in] = {DT_F32, GPU_NUMBER};
    static constexpr struct axes ax[n_in] = {
        {1, {16384}, {1}},
        {},
    };
    static constexpr struct pass_step step[n_steps] = {
        {OP_MAXIMUM, 1, 0},
    };
};
SPECIAL_COMPARE(pass, f32)
