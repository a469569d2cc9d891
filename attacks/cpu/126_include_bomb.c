/* SPDX-License-Identifier: MIT */
/* A file that includes itself twice, 190 levels deep. build timeout: 2000 expected: build_error:
 * timeout */
#include "assay.h"
#include "problem.h"

#if __INCLUDE_LEVEL__ < 190
#include __FILE__
#include __FILE__
#endif
