/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"
#include "cmd/text.h"

#include "base/clock.h"
#include "judge/admit.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct admit_options {
    bool json, verbose;
    int sizes;
    const char *seed;
};

static const struct opt admit_table[] = {
    {"json", 'j', OPT_FLAG, offsetof(struct admit_options, json), NULL, "one object a problem",
     NULL, 0, 0},
    {"verbose", 'v', OPT_FLAG, offsetof(struct admit_options, verbose), NULL,
     "every null and honest candidate, and what caught it", NULL, 0, 0},
    {"sizes", 's', OPT_CHOICE, offsetof(struct admit_options, sizes), "SET",
     "small (default) or full", size_set_names, 0, 0},
    {"seed", 0, OPT_STRING, offsetof(struct admit_options, seed), "N",
     "choose the seed (to repeat)", NULL, 0, 0},
    {0},
};

static json_t *result_json(const struct problem *p, const struct size *size,
                           const struct admit_result *r, double ms)
{
    json_t *cases = json_object();
    AUTO(buf_release) struct buf params = BUF_INIT;

    size_print(size, &params);
    for (int i = 0; i < r->n_cases; i++)
        json_object_set_new(cases, r->cases[i].name,
                            json_pack("{s:s, s:s}", "outcome",
                                      admit_outcome_names[r->cases[i].outcome], "detail",
                                      r->cases[i].detail));
    return json_pack("{s:s, s:s, s:b, s:s, s:f, s:f, s:o}", "problem", p->name, "size",
                     buf_str(&params), "admitted", r->admitted, "refusal", r->refusal, "honest_rms",
                     r->honest_rms, "ms", ms, "cases", cases);
}

static int count(const struct admit_result *r, enum admit_outcome o)
{
    int n = 0;

    for (int i = 0; i < r->n_cases; i++)
        n += r->cases[i].outcome == o;
    return n;
}

static void print_result(const struct app *app, const struct problem *p, const struct size *size,
                         const struct admit_result *r, double ms, bool verbose)
{
    AUTO(buf_release) struct buf out = BUF_INIT;

    text_colored(&out, app->color, r->admitted ? TEXT_GREEN : TEXT_RED, "%s",
                 r->admitted ? "admitted" : "REFUSED ");
    buf_addf(&out, "  %-58s %2d nulls caught, %d honest passed", p->name, count(r, ADMIT_CAUGHT),
             count(r, ADMIT_PASSED));
    if (count(r, ADMIT_SKIPPED))
        buf_addf(&out, ", %d skipped", count(r, ADMIT_SKIPPED));
    buf_addf(&out, "  %.0f ms\n", ms);
    if (!r->admitted) {
        buf_adds(&out, "          ");
        size_print(size, &out);
        buf_addf(&out, ": %s\n", r->refusal);
    }
    for (int i = 0; verbose && i < r->n_cases; i++)
        buf_addf(&out, "          %-24s %-8s %s\n", r->cases[i].name,
                 admit_outcome_names[r->cases[i].outcome], r->cases[i].detail);
    fputs(buf_str(&out), stdout);
}

struct tally {
    int admitted, refused;
};

static int admit_ref(const struct app *app, const struct problem_ref *ref,
                     const struct admit_options *o, uint64_t seed, struct tally *tally,
                     struct err *err)
{
    AUTO(problem_freep) struct problem *p = NULL;
    bool all = true;

    if (problem_load(ref->path, ref->name, &p, err) < 0)
        return -1;
    for (int i = 0; i < p->n_sizes[o->sizes]; i++) {
        const struct size *size = &p->sizes[o->sizes][i];
        uint64_t start = clock_ns();
        struct admit_result r;

        if (admit_size(p, size->graph, seed, &r, err) < 0)
            return wrap(err, "%s", p->name);
        all = all && r.admitted;
        if (o->json) {
            json_t *j = result_json(p, size, &r, clock_ms_since(start));

            json_dumpf(j, stdout, JSON_COMPACT);
            putchar('\n');
            json_decref(j);
        } else {
            print_result(app, p, size, &r, clock_ms_since(start), o->verbose);
        }
    }
    tally->admitted += all;
    tally->refused += !all;
    return 0;
}

/* A word is a suite when it names a folder, else a problem. */
static int refs_of(const struct app *app, char *word, struct problem_ref **ret, int *ret_n,
                   struct err *err)
{
    struct err suite_err = ERR_INIT;

    if (!strchr(word, '/') &&
        problem_list(app->places.share, &word, 1, ret, ret_n, &suite_err) == 0)
        return 0;
    *ret = xcalloc(1, sizeof(**ret));
    *ret_n = 1;
    if (problem_find(app->places.share, word, *ret, err) == 0)
        return 0;
    free(*ret);
    return -1;
}

static int admit_refs(const struct app *app, struct problem_ref *refs, int n,
                      const struct admit_options *o, uint64_t seed, struct tally *tally,
                      struct err *err)
{
    int rc = 0;

    for (int i = 0; i < n && rc == 0; i++)
        rc = admit_ref(app, &refs[i], o, seed, tally, err);
    problem_refs_free(refs, n);
    return rc;
}

static int admit_main(struct app *app, const void *options, int argc, char **argv, struct err *err)
{
    const struct admit_options *o = options;
    uint64_t start = clock_ns(), seed = o->seed ? strtoull(o->seed, NULL, 0) : secret_u64();
    struct tally tally = {0, 0};
    struct problem_ref *refs;
    int n;

    for (int i = 0; i < argc; i++)
        if (refs_of(app, argv[i], &refs, &n, err) < 0 ||
            admit_refs(app, refs, n, o, seed, &tally, err) < 0)
            return -1;
    if (argc == 0 && (problem_list(app->places.share, NULL, 0, &refs, &n, err) < 0 ||
                      admit_refs(app, refs, n, o, seed, &tally, err) < 0))
        return -1;
    if (!o->json) {
        printf("%d admitted, %d refused  %.1f s\n", tally.admitted, tally.refused,
               clock_ms_since(start) / 1e3);
        if (tally.refused)
            printf("again: assay admit --seed %llu\n", (unsigned long long)seed);
    }
    return tally.refused ? 1 : 0;
}

const struct cmd cmd_admit = {
    .name = "admit",
    .args = "[SUITE|PROBLEM...]",
    .summary = "show that candidates which do not do the work fail, and honest ones pass",
    .options = admit_table,
    .options_size = sizeof(struct admit_options),
    .run = admit_main,
};
