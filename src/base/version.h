/* SPDX-License-Identifier: MIT */
#ifndef ASSAY_BASE_VERSION_H
#define ASSAY_BASE_VERSION_H

/* "0.1.0+61a9a36": the release and the commit that it was built from, if that is known; "-dirty" is
 * added if files had changed since. Records and reports name their judge by this version. */
extern const char assay_version[];
extern const char assay_release[]; /* "0.1.0" */
extern const char assay_commit[];  /* "61a9a36", "" if it is not known */

#endif
