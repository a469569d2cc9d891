#include "gpu/gpu_special.cuh"

struct pass {
    typedef int64_t real;
    static constexpr int64_t n = 495;
    static constexpr int n_in = 2, n_steps = 3;
    static constexpr int type[n_in] = {DT_I32, DT_I32};
    static constexpr struct axes ax[n_in] = {
        {2, {15, 33}, {0, 1}},
        {1, {495}, {1}},
    };
    static constexpr struct pass_step step[n_steps] = {
        {OP_SUB, 1, 0},
        {OP_MUL, -1, 0},
        {OP_NEG, -1, 0},
    };
};
SPECIAL_KERNEL(pass)
