/* SPDX-License-Identifier: MIT */
/* Elementwise ops on N elements at a time. */

/* One case of a switch over ops, with a constant op, which removes the switch in items.h. */
#define EACH_CASE(op, expression)   \
    case op:                        \
        for (int j = 0; j < N; j++) \
            y[j] = expression;      \
        break;

#define UNARY_CASE(op) EACH_CASE(op, items<R>::unary((int)op, a[j]))
template <int N, class R>
static __device__ __forceinline__ void unary_each(int op, const R a[N], R y[N])
{
    if constexpr (is_integer<R>::value) {
        switch (op) {
            UNARY_CASE(OP_NEG)
            UNARY_CASE(OP_ABS)
            UNARY_CASE(OP_NOT)
        }
    } else {
        switch (op) {
            UNARY_CASE(OP_NEG)
            UNARY_CASE(OP_ABS)
            UNARY_CASE(OP_SQRT)
            UNARY_CASE(OP_EXP)
            UNARY_CASE(OP_EXPM1)
            UNARY_CASE(OP_LOG)
            UNARY_CASE(OP_LOG1P)
            UNARY_CASE(OP_TANH)
            UNARY_CASE(OP_ERF)
            UNARY_CASE(OP_SIN)
            UNARY_CASE(OP_COS)
            UNARY_CASE(OP_FLOOR)
        }
    }
}

#define BINARY_CASE(op) EACH_CASE(op, items<R>::binary((int)op, a[j], b[j]))
template <int N, class R>
static __device__ __forceinline__ void binary_each(int op, const R a[N], const R b[N], R y[N])
{
    switch (op) {
        BINARY_CASE(OP_ADD)
        BINARY_CASE(OP_SUB)
        BINARY_CASE(OP_MUL)
        BINARY_CASE(OP_DIV)
        BINARY_CASE(OP_POW)
        BINARY_CASE(OP_MINIMUM)
        BINARY_CASE(OP_MAXIMUM)
        BINARY_CASE(OP_AND)
        BINARY_CASE(OP_OR)
    }
}
