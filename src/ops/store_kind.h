/* SPDX-License-Identifier: MIT */
/* The types in which values are stored between ops. CUDA compiles this, too. */
#ifndef ASSAY_OPS_STORE_KIND_H
#define ASSAY_OPS_STORE_KIND_H

/* Float dtypes are stored in the run's precision, integers and bool in int64. */
enum store { STORE_F64, STORE_F32, STORE_I64 };

#endif
