/* SPDX-License-Identifier: MIT */
/* CUDA compiles this too. */
#ifndef ASSAY_OPS_STORE_KIND_H
#define ASSAY_OPS_STORE_KIND_H

/* Float dtypes are kept in the run's precision, integers and bool in int64. */
enum store { STORE_F64, STORE_F32, STORE_I64 };

#endif
