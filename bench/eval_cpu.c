/* SPDX-License-Identifier: MIT */
/* How long a whole `assay eval` takes on the CPU: a new process each time, build cached, small
 * sizes. "overhead" is everything but the candidate's own calls. Prints a table and, with a file
 * name as the argument, writes the figures there as JSON. */
#include "run_assay.h"

#include "base/version.h"
#include "measure/stats.h"

#define RUNS 41

static const struct {
    const char *problem, *candidate;
} cases[] = {
    {"level1/019_relu", "exemplars/cpu/level1/019_relu/naive.c"},
    {"level1/019_relu", "exemplars/cpu/level1/019_relu/fast.c"},
    {"level1/001_square_matrix_multiplication",
     "exemplars/cpu/level1/001_square_matrix_multiplication/fast.c"},
    {"level1/023_softmax", "exemplars/cpu/level1/023_softmax/fast.c"},
    {"level1/095_cross_entropy_loss", "exemplars/cpu/level1/095_cross_entropy_loss/naive.c"},
    {"level3/044_mini_gpt_block", "exemplars/cpu/level3/044_mini_gpt_block/naive.c"},
};

struct run {
    double wall_ms, candidate_ms;
    char device[128];
};

static int eval_once(const char *assay, const char *share, int c, struct run *ret)
{
    AUTO(freep) char *file = fs_join(share, cases[c].candidate);
    char *argv[] = {(char *)assay,
                    (char *)"eval",
                    (char *)"--json",
                    (char *)"--sizes",
                    (char *)"small",
                    (char *)cases[c].problem,
                    file,
                    (char *)"--no-store",
                    NULL};
    json_t *records = NULL;

    if (run_assay(argv, &records, &ret->wall_ms) < 0)
        return -1;

    const json_t *record = json_array_get(records, 0);
    bool fine = passed(record);

    if (fine) {
        ret->candidate_ms = phase_ms(record, "candidate");
        snprintf(
            ret->device, sizeof(ret->device), "%s",
            json_string_value(json_object_get(json_object_get(record, "device_info"), "name")));
    } else {
        fprintf(stderr, "%s: not a pass\n", cases[c].candidate);
    }
    json_decref(records);
    return fine ? 0 : -1;
}

static json_t *bench_case(const char *assay, const char *share, int c, char device[128])
{
    double wall[RUNS], own[RUNS];
    struct run run;

    if (eval_once(assay, share, c, &run) < 0) /* builds, calibrates */
        return NULL;
    for (int i = 0; i < RUNS; i++) {
        if (eval_once(assay, share, c, &run) < 0)
            return NULL;
        wall[i] = run.wall_ms;
        own[i] = run.wall_ms - run.candidate_ms;
    }
    memcpy(device, run.device, sizeof(run.device));

    double p50 = stats_quantile(wall, RUNS, 0.5), p95 = stats_quantile(wall, RUNS, 0.95);
    double own50 = stats_quantile(own, RUNS, 0.5), own95 = stats_quantile(own, RUNS, 0.95);
    const char *name = strrchr(cases[c].candidate, '/') + 1;

    printf("%-42s %-9s %8.1f %8.1f %12.1f %8.1f\n", cases[c].problem, name, p50, p95, own50, own95);
    return json_pack("{s:s, s:s, s:i, s:f, s:f, s:f, s:f}", "problem", cases[c].problem,
                     "candidate", cases[c].candidate, "runs", RUNS, "wall_p50_ms", p50,
                     "wall_p95_ms", p95, "overhead_p50_ms", own50, "overhead_p95_ms", own95);
}

int main(int argc, char **argv)
{
    AUTO(freep) char *share = fs_share_dir();
    AUTO(freep) char *assay = find_assay();
    char device[128] = "", now[21];
    json_t *rows = json_array();

    printf("%-42s %-9s %8s %8s %12s %8s\n", "problem", "candidate", "p50 ms", "p95 ms",
           "overhead p50", "p95");
    for (int c = 0; c < (int)ARRAY_SIZE(cases); c++) {
        json_t *row = bench_case(assay, share, c, device);

        if (!row)
            return 1;
        json_array_append_new(rows, row);
    }
    clock_utc(now);
    if (argc > 1) {
        json_t *j = json_pack("{s:s, s:s, s:s, s:s, s:o}", "bench", "eval_cpu", "date", now,
                              "device", device, "assay", assay_version, "rows", rows);

        json_dump_file(j, argv[1], JSON_INDENT(1));
        json_decref(j);
    } else {
        json_decref(rows);
    }
    return 0;
}
