/* SPDX-License-Identifier: MIT */
#include "results/named_baseline.h"

#include <string.h>

int named_baseline_open(struct named_baseline *b, struct store *s, const char *share,
                        const char *word, const struct results *run, struct err *err)
{
    if (!word || !shipped_is(word) || results_model(run, word) >= 0)
        return model_baseline_open(s, word, run, &b->other, &b->model, &b->times, err);
    if (shipped_open(&b->shipped, share, word, run, err) < 0)
        return -1;
    memcpy(b->notes, b->shipped.notes, sizeof(b->notes));
    b->times = (struct analyze_baseline){b->shipped.label, shipped_cold_us, &b->shipped};
    return 0;
}

void named_baseline_release(struct named_baseline *b)
{
    results_free(b->other);
    shipped_release(&b->shipped);
}

json_t *named_baseline_notes(const struct named_baseline *b)
{
    json_t *list = json_array();

    for (const char *const *note = b->notes; *note; note++)
        json_array_append_new(list, json_string(*note));
    return list;
}
