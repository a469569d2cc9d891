/* SPDX-License-Identifier: MIT */
#include "build/prebuild.h"

#include "base/fs.h"
#include "process/devlock.h"
#include "process/subject.h"

#include <stdlib.h>
#include <string.h>

static int read_text(const struct source_file *file, struct buf *ret, struct err *err)
{
    AUTO(freep) char *root = xstrndup(file->path, file->root_len);

    if (!file->root_len)
        return fs_read(file->path, SOURCE_MAX, ret, err);
    return fs_read_beneath(root, file->path + file->root_len + 1, SOURCE_MAX, ret, err);
}

int prebuild_read(const struct source_file *file, char **ret, size_t *ret_len, char hash[HASH_HEX],
                  struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;

    if (read_text(file, &text, err) < 0 && text.len <= SOURCE_MAX)
        return -1;
    *ret_len = MIN(text.len, (size_t)SOURCE_MAX + 1);
    *ret = buf_steal(&text);
    hash_of(*ret, *ret_len, hash);
    return 0;
}

/* A source that is too long was its author's choice: no error of ours, and no reason to leave
 * others unjudged. */
static int refuse_long(struct build_result *ret)
{
    *ret = (struct build_result){.status = BUILD_TOO_LARGE, .artifact_fd = -1, .walls = ""};
    ret->log = xstrdup("");
    return 0;
}

int prebuild_compile(const struct prebuild_request *p, const struct source_text *source,
                     struct build_result *ret, double *ret_queue_ms, struct err *err)
{
    AUTO(devlock_release) struct devlock lock = DEVLOCK_INIT;
    AUTO(freep) char *include = fs_join(p->places->share, "include");
    struct build_request req = {
        .device = p->device,
        .arch = p->info->arch,
        .file_name = source->name,
        .source = source->text,
        .source_len = source->len,
        .problem_h = p->problem_h,
        .include_dir = include,
        .cache_dir = p->places->cache,
        .timeout_ms = p->plan->build_timeout_ms,
        .no_cache = p->plan->no_cache,
    };

    if (source->len > SOURCE_MAX)
        return refuse_long(ret);
    if (devlock_to_build(p->device, p->device_index, &lock, ret_queue_ms, err) < 0)
        return -1;
    return build_artifact(&req, ret, err);
}

int prebuild_inspect(const struct prebuild_request *p, const struct build_result *b,
                     struct evidence *ret, struct err *err)
{
    const struct evidence_request req = {
        .device = p->device,
        .artifact_fd = b->artifact_fd,
        .artifact_hash = b->artifact_hash,
        .cache_dir = p->places->cache,
        .no_cache = p->plan->no_cache,
    };

    return evidence_collect(&req, ret, err);
}

int prebuild_inspect_folder(const struct prebuild_request *p, const struct buf *folder,
                            struct evidence *ret, struct err *err)
{
    char hash[HASH_HEX];
    const struct evidence_request req = {
        .device = p->device,
        .artifact_fd = -1,
        .folder = folder,
        .artifact_hash = hash,
        .cache_dir = p->places->cache,
        .no_cache = p->plan->no_cache,
    };

    hash_of(folder->ptr, folder->len, hash);
    return evidence_collect(&req, ret, err);
}

bool prebuild_sees_code(const struct prebuild_request *p, const struct source_text *source)
{
    const struct device_gauges *g = p->device->gauges;
    const char *text = g->like ? g->like(source->text, source->len) : g->empty;
    const struct source_text nothing = {g->file, text, strlen(text)};
    struct build_result build = {.artifact_fd = -1};
    struct evidence e = {0};
    struct err ignored = ERR_INIT;
    double queue_ms = 0;

    bool seen = prebuild_compile(p, &nothing, &build, &queue_ms, &ignored) == 0 &&
                build.status == BUILD_OK && prebuild_inspect(p, &build, &e, &ignored) == 0 &&
                e.checked && !e.loads_code;

    build_result_release(&build);
    evidence_release(&e);
    return seen;
}

int prebuild(const struct prebuild_request *p, const struct source_file *file, struct prebuilt *ret,
             struct err *err)
{
    struct prebuilt b = {.build.artifact_fd = -1};
    struct err ignored = ERR_INIT;

    if (prebuild_read(file, &b.source, &b.source_len, b.source_hash, err) < 0)
        return -1;

    const struct source_text source = {file->path, b.source, b.source_len};

    if (prebuild_compile(p, &source, &b.build, &b.queue_ms, err) < 0) {
        prebuilt_release(&b);
        return -1;
    }
    /* An error of ours is dropped here: the judge tries again, and reports it. */
    b.evidence_ready = b.build.status == BUILD_OK &&
                       !subject_kind_of_file(file->path)->imported_first &&
                       prebuild_inspect(p, &b.build, &b.evidence, &ignored) == 0;
    *ret = b;
    return 0;
}

void prebuilt_release(struct prebuilt *b)
{
    free(b->source);
    build_result_release(&b->build);
    evidence_release(&b->evidence);
    *b = (struct prebuilt){.build.artifact_fd = -1};
}
