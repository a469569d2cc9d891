#include "gpu/gpu_compare.cuh"

struct pass {
    typedef double real;
    static constexpr int64_t n = 15006;
    static constexpr int n_in = 3, n_steps = 3;
    static constexpr int type[n_in] = {DT_F32, DT_F32, DT_F32};
    static constexpr struct axes ax[n_in] = {
        {1, {15006}, {1}},
        {2, {3, 5002}, {1, 0}},
        {2, {3, 5002}, {1, 0}},
    };
    static constexpr struct pass_step step[n_steps] = {
        {OP_SUB, 1, 0},
        {OP_EXP, -1, 0},
        {OP_DIV, 2, 0},
    };
};
SPECIAL_COMPARE(pass, bf16)
