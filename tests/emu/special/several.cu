#include "gpu/gpu_special.cuh"

struct pass {
    typedef float real;
    static constexpr int64_t n = 720;
    static constexpr int n_in = 8, n_steps = 8;
    static constexpr int type[n_in] = {DT_F16, DT_F16, DT_F16, DT_F16, DT_F16, DT_F16, DT_F16, GPU_NUMBER};
    static constexpr struct axes ax[n_in] = {
        {1, {720}, {1}},
        {3, {6, 10, 12}, {0, 1, 0}},
        {2, {60, 12}, {0, 1}},
        {2, {6, 120}, {1, 0}},
        {1, {720}, {0}},
        {2, {6, 120}, {0, 1}},
        {3, {6, 10, 12}, {12, 0, 1}},
        {},
    };
    static constexpr struct pass_step step[n_steps] = {
        {OP_ADD, 1, 0},
        {OP_MUL, 2, 1},
        {OP_MAXIMUM, 3, 0},
        {OP_SUB, 4, 1},
        {OP_MINIMUM, 5, 0},
        {OP_POW, 6, 1},
        {OP_ABS, -1, 0},
        {OP_MUL, 7, 0},
    };
};
SPECIAL_KERNEL(pass)
