/* SPDX-License-Identifier: MIT */
#include "judge/record.h"

#include "base/version.h"
#include "ops/ops.h"
#include "problem/construct.h"
#include "sandbox/sandbox.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* JSON has no infinity; a figure that is not finite, or was not measured, is null. */
static json_t *number(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *micro(double ns)
{
    return ns > 0 ? number(ns / 1e3) : json_null();
}

/* Bytes from outside may not be UTF-8, which jansson refuses. */
static json_t *text(const char *s)
{
    json_t *j = json_string(s ? s : "");

    if (j)
        return j;

    AUTO(freep) char *copy = xstrdup(s);

    for (char *p = copy; *p; p++)
        if ((unsigned char)*p >= 0x80)
            *p = '?';
    return json_string(copy);
}

static json_t *string_or_null(const char *s)
{
    return s && *s ? text(s) : json_null();
}

static json_t *params_json(const struct size *size)
{
    json_t *j = json_object();

    for (int i = 0; i < size->n_params; i++) {
        double v = size->params[i].value;

        json_object_set_new(j, size->params[i].name,
                            v == floor(v) ? json_integer((json_int_t)v) : json_real(v));
    }
    return j;
}

static json_t *error_json(const struct trial_error *e)
{
    if (!e->output)
        return json_null();
    return json_pack("{s:s, s:i, s:o, s:o, s:o, s:o}", "output", e->output, "law", e->law, "rms",
                     number(e->rms), "max", number(e->max), "honest_rms", number(e->honest_rms),
                     "honest_max", number(e->honest_max));
}

/* The law whose median is the score, in words; null if the laws agree. */
static json_t *law_bound_json(const struct size_result *r)
{
    AUTO(buf_release) struct buf words = BUF_INIT;

    if (r->trial.law_bound < 0)
        return json_null();
    emit_law(r->size->graph, r->trial.law_bound, &words);
    return text(buf_str(&words));
}

/* One array for each property of a scored call. */
static void add_samples(json_t *j, const struct trial_result *t)
{
    static const struct {
        const char *key;
        size_t offset;
    } numbers[] = {
        {"sample_runner", offsetof(struct sample, run)},
        {"sample_in", offsetof(struct sample, in)},
        {"sample_out", offsetof(struct sample, out)},
        {"sample_content", offsetof(struct sample, content)},
        {"sample_law", offsetof(struct sample, law)},
    };
    json_t *ns = json_array();

    for (int i = 0; i < t->n_samples; i++)
        json_array_append_new(ns, json_real(round(t->samples[i].ns) / 1e3));
    json_object_set_new(j, "fresh", json_integer(t->n_samples));
    json_object_set_new(j, "samples", ns);
    for (size_t k = 0; k < ARRAY_SIZE(numbers); k++) {
        json_t *values = json_array();

        for (int i = 0; i < t->n_samples; i++)
            json_array_append_new(values, json_integer(*(const int *)((const char *)&t->samples[i] +
                                                                      numbers[k].offset)));
        json_object_set_new(j, numbers[k].key, values);
    }
}

static json_t *unless_unknown(double v)
{
    return v < 0 ? json_null() : number(v);
}

static json_t *throttle_json(int64_t bits)
{
    json_t *j = bits < 0 ? json_null() : json_array();

    for (const struct device_throttle *t = device_throttles; t->name && bits > 0; t++)
        if (bits & t->bit)
            json_array_append_new(j, json_string(t->name));
    return j;
}

static json_t *state_json(const struct device_state *s)
{
    if (s->sm_mhz < 0 && s->celsius < 0)
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "sm_mhz", unless_unknown(s->sm_mhz), "memory_mhz",
                     unless_unknown(s->memory_mhz), "celsius", unless_unknown(s->celsius), "watts",
                     unless_unknown(s->watts), "throttled", throttle_json(s->throttle));
}

/* If nothing is held back, the caller waits just as long as the kernel takes. */
static void add_holding(json_t *j, const struct trial_result *t, bool holds)
{
    bool timed = holds && t->n_samples;

    json_object_set_new(j, "call_us", micro(t->call_ns));
    json_object_set_new(j, "queue_us", micro(t->queue_ns));
    json_object_set_new(j, "held", timed ? json_boolean(t->held) : json_null());
    json_object_set_new(j, "host_bound", timed ? json_boolean(t->host_bound) : json_null());
}

/* To add a key: see CONTRIBUTING.md, "A record key". */
static json_t *size_json(const struct size_result *r, bool holds)
{
    const struct trial_result *t = &r->trial;
    json_t *j = json_pack("{s:o, s:s}", "params", params_json(r->size), "hash", r->size->hash);

    json_object_set_new(j, "cold_us", micro(t->cold.median));
    json_object_set_new(j, "cold_lo", micro(t->cold.lo));
    json_object_set_new(j, "cold_hi", micro(t->cold.hi));
    json_object_set_new(j, "hot_us", micro(t->hot.median));
    json_object_set_new(j, "hot_lo", micro(t->hot.lo));
    json_object_set_new(j, "hot_hi", micro(t->hot.hi));
    add_holding(j, t, holds);
    json_object_set_new(j, "scratch_bytes",
                        t->scratch_bytes ? json_integer(t->scratch_bytes) : json_null());
    json_object_set_new(j, "state_before", state_json(&t->state[0]));
    json_object_set_new(j, "state_after", state_json(&t->state[1]));
    json_object_set_new(j, "settled", json_boolean(t->settled));
    json_object_set_new(j, "bimodal", json_boolean(t->bimodal));
    json_object_set_new(j, "law_bound", law_bound_json(r));
    add_samples(j, t);
    json_object_set_new(j, "calls", json_integer(t->n_calls));
    json_object_set_new(j, "warm_runners", json_integer(t->n_warm));
    json_object_set_new(j, "contents", json_integer(t->n_contents));
    json_object_set_new(j, "residency", json_string(residency_names[t->residency]));
    json_object_set_new(j, "deterministic", json_boolean(t->deterministic));
    json_object_set_new(j, "flops", number(r->limits.flops));
    json_object_set_new(j, "bytes", number(r->limits.bytes));
    json_object_set_new(j, "floor_us", micro(r->limits.floor_ns));
    json_object_set_new(j, "reach_us", micro(r->limits.reach_ns));
    json_object_set_new(j, "physics_us", micro(r->limits.physics_ns));
    json_object_set_new(j, "hot_physics_us", micro(r->limits.hot_physics_ns));
    json_object_set_new(j, "regime", string_or_null(r->limits.regime));
    json_object_set_new(j, "peak_fraction",
                        r->peak_fraction > 0 ? number(r->peak_fraction) : json_null());
    json_object_set_new(j, "sol", r->sol > 0 ? number(r->sol) : json_null());
    json_object_set_new(j, "error", error_json(&t->error));
    return j;
}

static json_t *audit_size(const struct trial_result *t)
{
    double outside = score_median(t->samples, t->n_samples, offsetof(struct sample, outside_ns));
    double claim = score_median(t->samples, t->n_samples, offsetof(struct sample, claim_ns));

    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:o, s:o, s:o, s:o, s:o, s:i}", "outside_us",
        micro(outside), "claim_us", micro(claim), "empty_us", micro(t->empty_ns), "wake_us",
        micro(t->wake_ns), "head_us", micro(t->head_ns), "hold_us", micro(t->hold_ns), "hidden_us",
        t->hidden_ns / 1e3, "hot_outside_us", micro(t->hot_outside_ns), "flush_us",
        micro(t->busy.flush_ns), "idle_flush_us", micro(t->idle.flush_ns), "probe_us",
        micro(t->busy.probe_ns), "idle_probe_us", micro(t->idle.probe_ns), "runs", t->runs);
}

static json_t *audit_json(const struct session *s, const struct evaluation *e)
{
    const char *clock = subject_clock_name(&e->subject, s->options.device);
    json_t *sizes = json_array();

    for (int i = 0; i < e->n_sizes; i++)
        if (e->sizes[i].trial.n_samples)
            json_array_append_new(sizes, audit_size(&e->sizes[i].trial));
    return json_pack("{s:s, s:b, s:b, s:o}", "clock", clock, "pinned", s->station->cpus.split,
                     "smt_shared", s->station->cpus.smt_shared, "sizes", sizes);
}

static json_t *sandbox_json(const struct evaluation *e)
{
    json_t *on = json_array(), *missing = json_array();
    uint32_t layers = UINT32_MAX, wanted = subject_layers(&e->subject);
    bool started = false;

    for (int i = 0; i < e->n_sizes; i++)
        if (e->sizes[i].tried) {
            layers &= e->sizes[i].trial.layers;
            started = true;
        }
    for (int b = 0; started && b < SANDBOX_LAYERS; b++) {
        if (layers & (1u << b))
            json_array_append_new(on, json_string(sandbox_layer_names[b]));
        else if (wanted & (1u << b))
            json_array_append_new(missing, json_string(sandbox_layer_names[b]));
    }
    return json_pack("{s:o, s:o, s:o, s:b}", "layers", on, "missing", missing, "builder",
                     string_or_null(e->build.walls), "trusted", !e->subject.kind->sandboxed);
}

static json_t *device_json(const struct session *s)
{
    const struct device_info *i = &s->station->info;

    return json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:i}", "name", i->name, "uuid", i->uuid,
                     "driver", i->driver, "fingerprint", i->fingerprint, "memory_bytes",
                     (json_int_t)i->memory_bytes, "cache_bytes", (json_int_t)i->cache_bytes,
                     "cores", i->cores);
}

/* Rates of every class; null if there is no figure. */
static json_t *tflops_json(const double flops_s[ARITH_COUNT])
{
    json_t *j = json_object();

    for (int a = 0; a < ARITH_COUNT; a++)
        json_object_set_new(j, arith_names[a],
                            flops_s[a] > 0 ? number(flops_s[a] / 1e12) : json_null());
    return j;
}

json_t *record_calibration(const struct calibration *c)
{
    return json_pack("{s:s, s:f, s:f, s:f, s:f, s:o, s:b, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, "
                     "s:f, s:f}",
                     "created", c->created, "read_gb_s", c->read_bytes_s / 1e9, "copy_gb_s",
                     c->copy_bytes_s / 1e9, "f32_gflops", c->flops_s[ARITH_FP32] / 1e9,
                     "f64_gflops", c->flops_s[ARITH_FP64] / 1e9, "tflops", tflops_json(c->flops_s),
                     "partial", c->partial, "call_floor_us", c->call_floor_ns / 1e3,
                     "cold_floor_us", c->cold_floor_ns / 1e3, "hot_floor_us", c->hot_floor_ns / 1e3,
                     "empty_order_us", c->empty_order_ns / 1e3, "empty_order_max_us",
                     c->empty_order_max_ns / 1e3, "hold_low_us", c->hold_low_ns / 1e3,
                     "hold_max_us", c->hold_max_ns / 1e3, "probe_max_us", c->probe_max_ns / 1e3,
                     "head_us", c->head_ns / 1e3, "head_max_us", c->head_max_ns / 1e3);
}

static json_t *positive(double v)
{
    return v > 0 ? number(v) : json_null();
}

json_t *record_hardware(const struct hardware *hw)
{
    if (!hw)
        return json_null();

    json_t *names = json_array();

    for (int i = 0; i < hw->n_names; i++)
        json_array_append_new(names, text(hw->names[i]));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "names", names, "source", text(hw->source),
                     "bandwidth_gb_s", positive(hw->bytes_s / 1e9), "memory_gb",
                     positive(hw->memory_bytes / 1e9), "cache_mb", positive(hw->cache_bytes / 1e6),
                     "tflops", tflops_json(hw->flops_s));
}

static json_t *plan_json(const struct session *s)
{
    const struct plan *p = &s->options.plan;

    return json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:b, s:i, s:b}", "sizes",
                     size_set_names[s->options.sizes], "checks", p->checks, "warmups", p->warmups,
                     "min_calls", p->min_calls, "max_calls", p->max_calls, "budget_ms",
                     p->budget_ms, "runners", p->runners, "arenas", p->arenas, "steady", p->steady,
                     "call_timeout_ms", p->call_timeout_ms, "check_only", p->check_only);
}

static json_t *rehearsal_json(const struct evaluation *e)
{
    if (!e->rehearsal.made)
        return json_null();
    return json_pack("{s:b, s:f, s:I}", "cached", e->rehearsal.cached, "ms", e->rehearsal.ms,
                     "bytes", (json_int_t)e->rehearsal.bytes);
}

static json_t *build_json(const struct evaluation *e)
{
    json_t *j =
        json_pack("{s:o, s:o, s:o, s:b, s:f}", "toolchain", string_or_null(e->build.toolchain),
                  "log", text(e->build.log), "artifact", string_or_null(e->build.artifact_hash),
                  "cached", e->build.cached, "ms", e->build.ms);

    if (e->subject.kind->imported_first)
        json_object_set_new(j, "rehearsal", rehearsal_json(e));
    return j;
}

/* null if nothing was built, and on devices whose code is not inspected unless the problem requires
 * it. */
static json_t *evidence_json(const struct session *s, const struct evaluation *e)
{
    const char *tensor = s->problem->requires_tensor;
    const struct evidence *v = &e->evidence;
    AUTO(freep) char *why = NULL;

    if (!e->build.artifact_hash[0] || (!v->applies && !tensor))
        return json_null();
    if (!v->applies)
        why = xasprintf("does not apply to the %s device", s->options.device->name);

    json_t *j = v->checked ? evidence_to_json(v) : json_object();

    json_object_set_new(j, "checked", json_boolean(v->checked));
    json_object_set_new(j, "why", string_or_null(why ? why : v->why_not));
    json_object_set_new(j, "cached", json_boolean(v->cached));
    json_object_set_new(j, "scope",
                        string_or_null(!v->applies   ? NULL
                                       : v->own_code ? "own_code"
                                                     : "all"));
    json_object_set_new(j, "requires", string_or_null(tensor));
    return j;
}

static json_t *phases_json(const struct phases *p)
{
    json_t *j = json_object();

    for (int i = 0; i < PHASE_COUNT; i++)
        json_object_set_new(j, phase_names[i], json_real(p->ms[i]));
    return j;
}

/* Libraries that the text names: a hint for readers, and no more. */
static json_t *uses_json(const struct evaluation *e)
{
    static const char *const words[][2] = {
        {"torch", "torch"},           {"triton", "triton"}, {"cpp_extension", "inline"},
        {"torch.compile", "compile"}, {"cupy", "cupy"},     {"cutlass", "cutlass"},
        {"tilelang", "tilelang"},     {"numba", "numba"},   {"CUDAGraph", "graphs"}};
    json_t *list = json_array();

    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (e->source_len && memmem(e->source, e->source_len, words[i][0], strlen(words[i][0])))
            json_array_append_new(list, json_string(words[i][1]));
    return list;
}

/* How parameters were bound: one rule for all, or a list. */
static json_t *parameters_json(const struct graph *g, const struct bound *b)
{
    if (b->n == 0)
        return json_null();
    if (bound_is_plain(b))
        return json_pack("{s:s}", "rule", bound_rule_names[b->parameters[0].rule]);

    json_t *list = json_array();

    for (int i = 0; i < b->n; i++) {
        const struct bound_parameter *p = &b->parameters[i];
        const char *own = construct_state(g, g->n_inputs + i);

        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s}", "name", g->sources[g->n_inputs + i].name, "rule",
                            bound_rule_names[p->rule], "to", p->name ? p->name : own));
    }
    return list;
}

static json_t *candidate_json(const struct evaluation *e)
{
    const char *printed = "";
    uint64_t bytes = 0;

    for (int i = 0; i < e->n_sizes; i++)
        if (e->sizes[i].trial.text) {
            printed = e->sizes[i].trial.text;
            bytes = e->sizes[i].trial.text_bytes;
        }

    json_t *j = json_pack("{s:o, s:s, s:i, s:o, s:I}", "file", text(e->file_name), "hash",
                          e->source_hash, "bytes", (int)e->source_len, "printed", text(printed),
                          "printed_bytes", (json_int_t)bytes);

    if (e->subject.kind->imported_first) {
        json_object_set_new(j, "form", json_string("python"));
        json_object_set_new(j, "results", json_string(e->subject.results_read ? "read" : "copied"));
        json_object_set_new(j, "weights", json_string(weights_names[e->subject.weights]));
        json_object_set_new(j, "uses", uses_json(e));
        json_object_set_new(j, "parameters", parameters_json(e->sizes[0].size->graph, &e->bound));
    }
    return j;
}

/* null unless a reference says what is right. */
static json_t *reference_json(const struct session *s)
{
    const struct reference *r = s->options.reference;
    const struct admit_result *a = r ? reference_admission(r) : NULL;

    if (!r)
        return json_null();
    return json_pack("{s:o, s:s, s:s, s:o, s:o}", "file", text(reference_file(r)), "hash",
                     reference_hash(r), "expected", reference_in_double(r) ? "double" : "declared",
                     "admitted", a ? json_boolean(a->admitted) : json_null(), "refusal",
                     string_or_null(a ? a->refusal : NULL));
}

static json_t *sizes_json(const struct session *s, const struct evaluation *e)
{
    json_t *j = json_array();

    for (int i = 0; i < e->n_sizes; i++)
        if (e->sizes[i].tried)
            json_array_append_new(j, size_json(&e->sizes[i], s->options.device->hold_ms > 0));
    return j;
}

json_t *record_json(const struct session *s, const struct evaluation *e)
{
    char seed[24];
    json_t *j = json_pack("{s:i, s:s, s:s, s:s}", "schema", RECORD_SCHEMA, "assay", assay_version,
                          "id", e->id, "created", e->created);

    /* The seed is text: JSON numbers lose bits past 2^53. */
    snprintf(seed, sizeof(seed), "%llu", (unsigned long long)e->seed);
    json_object_set_new(j, "kind",
                        json_string(e->subject.kind->is_baseline ? "baseline" : "candidate"));
    json_object_set_new(j, "problem", text(s->problem->name));
    json_object_set_new(j, "problem_hash", json_string(s->problem->hash));
    json_object_set_new(j, "reference", reference_json(s));
    json_object_set_new(j, "candidate", candidate_json(e));
    json_object_set_new(j, "verdict", json_string(verdict_names[e->verdict.kind]));
    json_object_set_new(j, "reason", string_or_null(e->verdict.code));
    json_object_set_new(j, "detail", text(e->verdict.detail));
    json_object_set_new(j, "device", json_string(s->options.device->name));
    json_object_set_new(j, "device_info", device_json(s));
    json_object_set_new(j, "calibration", record_calibration(&s->station->calibration));
    json_object_set_new(j, "datasheet", record_hardware(s->station->hardware));
    json_object_set_new(j, "peak_fraction",
                        e->peak_fraction > 0 ? number(e->peak_fraction) : json_null());
    json_object_set_new(j, "sol", e->sol > 0 ? number(e->sol) : json_null());
    json_object_set_new(j, "sizes", sizes_json(s, e));
    json_object_set_new(j, "evidence", evidence_json(s, e));
    json_object_set_new(j, "sandbox", sandbox_json(e));
    json_object_set_new(j, "audit", audit_json(s, e));
    json_object_set_new(j, "plan", plan_json(s));
    json_object_set_new(j, "build", build_json(e));
    json_object_set_new(j, "blas", json_string(ops_blas_name()));
    /* A seed that others are still judged on stays secret; its hash is a commitment to it. */
    json_object_set_new(j, "pool", json_string(e->pool));
    json_object_set_new(j, "seed", e->seed_spent ? json_string(seed) : json_null());
    json_object_set_new(j, "seed_chosen", json_boolean(s->options.seed_chosen));
    json_object_set_new(j, "phases_ms", phases_json(&e->phases));
    return j;
}
