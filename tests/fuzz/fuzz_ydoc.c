/* SPDX-License-Identifier: MIT */
/* YAML that people write: plans and annotations. */
#include "replay.h"

#include "base/ydoc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const known[] = {"a", "name", NULL};
    AUTO(ydoc_freep) struct ydoc *d = NULL;
    struct err err = ERR_INIT;
    const char *text = NULL;
    const struct ynode *list = NULL;
    int64_t n = 0;
    bool yes = false;

    if (ydoc_parse("fuzz", (const char *)data, size, &d, &err) < 0)
        return 0;
    fuzz_accepted();
    ydoc_check_keys(d, &d->root, known, &err);
    ydoc_string(d, &d->root, "a", &text, &err);
    ydoc_int(d, &d->root, "a", 0, 9, &n, &err);
    ydoc_bool(d, &d->root, "a", &yes, &err);
    ydoc_list(d, &d->root, "a", &list, &err);
    return 0;
}
