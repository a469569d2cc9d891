/* SPDX-License-Identifier: MIT */
/* The core ops. CUDA compiles this, too. */
#ifndef ASSAY_PROBLEM_OP_CODE_H
#define ASSAY_PROBLEM_OP_CODE_H

#define OP_DELTA_KEYS 256 /* most keys of OP_DELTA_RULE */

/* To add a core op: see CONTRIBUTING.md, "A core op". */
enum op_code {
    OP_SOURCE, /* an input or a parameter: attrs.source indexes graph.sources */
    OP_CONST,  /* attrs.value, any shape (usually []), any dtype */
    OP_IOTA,   /* the index along attrs.axis, in the node's shape and dtype */
    /* one operand, elementwise; the dtype stays (NOT: bool) */
    OP_NEG,
    OP_ABS,
    OP_SQRT,
    OP_EXP,
    OP_EXPM1,
    OP_LOG,
    OP_LOG1P,
    OP_TANH,
    OP_ERF,
    OP_SIN,
    OP_COS,
    OP_FLOOR,
    OP_NOT,
    OP_CAST, /* to the node's dtype; rounds even while intermediates are double, unless attrs.keep
                says that only the dtype changes */
    /* two operands, broadcasting, equal dtypes; comparisons give bool */
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_POW,
    OP_MINIMUM,
    OP_MAXIMUM,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_EQ,
    OP_NE,
    OP_AND,
    OP_OR,
    OP_WHERE, /* in: bool condition, a, b; all broadcast */
    /* reductions over the axes in attrs.axes (bit set); attrs.keep keeps them as 1 */
    OP_SUM,
    OP_PROD,
    OP_MAX,
    OP_MIN,
    OP_ARGMAX, /* one axis; i64; the lowest index on ties */
    OP_ARGMIN,
    OP_TOPK, /* i64: places of the largest along attrs.axis, largest first; equal ones by place */
    /* scans along attrs.axis */
    OP_CUMSUM,
    OP_CUMPROD,
    /* contractions */
    OP_MATMUL, /* (..., M, K) x (..., K, N), leading axes broadcast; attrs.trans_a/b first swap the
                  last two axes of a or b */
    OP_GROUPED_MATMUL, /* in: x (T, K), w (G, K, N), offsets (G + 1): rows offsets[g] to
                          offsets[g + 1] of x times w[g] */
    OP_CONV, /* in: x (N, C, space...), w (O, C/groups, k...) [, bias (O)]; attrs.window */
    OP_CONV_TRANSPOSE, /* in: x (N, C, space...), w (C, O/groups, k...) [, bias (O)] */
    /* windows over the trailing attrs.window.nd axes */
    OP_MAX_POOL, /* pads with -inf */
    OP_AVG_POOL, /* divisor is always the full window (count_include_pad) */
    /* movement */
    OP_RESHAPE,
    OP_PERMUTE, /* attrs.perm: output axis i is input axis perm[i] */
    OP_SLICE,  /* attrs.axis, from, step (negative steps walk back); length from the node's shape */
    OP_CONCAT, /* any number of inputs along attrs.axis */
    OP_PAD,    /* attrs.lo[], hi[] per axis, filled with attrs.value */
    OP_EXPAND, /* broadcast to the node's shape */
    OP_GATHER, /* in: x, index (integer). The shape of index replaces axis attrs.axis of x */
    OP_TAKE,   /* in: x, index of x's rank: y[.., i, ..] = x[.., index[.., i, ..], ..] along
                  attrs.axis */
    /* recurrences over time: in: gates from x (T, B, G*H), w_hh (G*H, H), b_hh (G*H), h0 (B, H)[,
       c0] */
    OP_LSTM,       /* gates i f g o; output (T, B, 2H): h and c side by side */
    OP_GRU,        /* gates r z n; output (T, B, H) */
    OP_RNN,        /* tanh cell, one gate; output (T, B, H) */
    OP_DELTA_RULE, /* gated delta rule; in: q, k (B, T, H, K), v (B, T, H, V), decay (B, T, H, K),
                      beta (B, T, H); output (B, T, H, V). Per (b, h) with S (K, V) = 0 first:
                      S = decay_t S; S += beta_t k_t (v_t - S^T k_t)^T; o_t = S^T q_t. At most
                      OP_DELTA_KEYS keys */
    OP_COUNT,
};

#endif
