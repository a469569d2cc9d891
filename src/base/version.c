/* SPDX-License-Identifier: MIT */
#include "base/version.h"

#ifdef ASSAY_COMMIT /* set by the Makefile */
#define COMMIT "+" ASSAY_COMMIT
#else
#define COMMIT ""
#endif

const char assay_version[] = "0.1.0" COMMIT;
