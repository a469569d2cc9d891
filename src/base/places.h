/* SPDX-License-Identifier: MIT */
/* The folders and programs that a command works with. */
#ifndef ASSAY_BASE_PLACES_H
#define ASSAY_BASE_PLACES_H

/* Every string outlives the objects that this struct is passed to. */
struct places {
    const char *share;  /* problems/, hardware/, include/ */
    const char *home;   /* store, calibration */
    const char *cache;  /* build cache */
    const char *runner; /* the assay-runner program */
};

#endif
