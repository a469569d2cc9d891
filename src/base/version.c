/* SPDX-License-Identifier: MIT */
#include "base/version.h"

/* CHANGELOG.md, CITATION.cff and packages have the same number; tests/e2e/release.sh holds that. */
#define RELEASE "0.1.0"

#ifdef ASSAY_COMMIT /* set by the Makefile */
#define BEHIND "+" ASSAY_COMMIT
#else
#define ASSAY_COMMIT ""
#define BEHIND ""
#endif

const char assay_version[] = RELEASE BEHIND;
const char assay_release[] = RELEASE;
const char assay_commit[] = ASSAY_COMMIT;
