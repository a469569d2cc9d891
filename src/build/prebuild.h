/* SPDX-License-Identifier: MIT */
/* From a candidate's file to machine code and its evidence: by the judge, or ahead of it by any
 * thread, without the device. */
#ifndef ASSAY_BUILD_PREBUILD_H
#define ASSAY_BUILD_PREBUILD_H

#include "base/hash.h"
#include "base/places.h"
#include "build/build.h"
#include "build/evidence.h"
#include "device/device.h"
#include "terms/plan.h"
#include "terms/source.h"

struct prebuild_request {
    const struct places *places;
    const struct device *device;
    int device_index;
    const struct plan *plan;
    const struct device_info *info; /* the device that the candidate is built for */
    const char *problem_h;          /* emit_c_header() */
};
struct prebuilt {
    char *source;
    size_t source_len;
    char source_hash[HASH_HEX];
    struct build_result build;
    struct evidence evidence;
    bool evidence_ready; /* evidence is complete */
    double queue_ms;
};
/* Reads, compiles and inspects a file. One in Python is not inspected: its rehearsal comes later. A
 * program that does not build is 0, with its log. ERR_INPUT: the file cannot be read. */
int prebuild(const struct prebuild_request *p, const struct source_file *file, struct prebuilt *ret,
             struct err *err);
void prebuilt_release(struct prebuilt *b);

/* The steps of prebuild(). A source over SOURCE_MAX is cut to one byte more than that when it is
 * read, and compiling it gives BUILD_TOO_LARGE. */
int prebuild_read(const struct source_file *file, char **ret, size_t *ret_len, char hash[HASH_HEX],
                  struct err *err);
int prebuild_compile(const struct prebuild_request *p, const struct source_text *source,
                     struct build_result *ret, double *ret_queue_ms, struct err *err);
int prebuild_inspect(const struct prebuild_request *p, const struct build_result *b,
                     struct evidence *ret, struct err *err);

/* Inspects the files that the rehearsal of a candidate in Python left (process/bundle.h). */
int prebuild_inspect_folder(const struct prebuild_request *p, const struct buf *folder,
                            struct evidence *ret, struct err *err);

/* True if the code of a kernel that does nothing can be seen here, built the way this source is. */
bool prebuild_sees_code(const struct prebuild_request *p, const struct source_text *source);

#endif
