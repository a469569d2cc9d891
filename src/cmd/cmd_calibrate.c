/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"
#include "cmd/text.h"
#include "judge/record.h"

#include <stdio.h>

struct calibrate_options {
    const char *device;
    bool json;
};

static const struct opt calibrate_table[] = {
    {"device", 'd', OPT_STRING, offsetof(struct calibrate_options, device), "DEVICE",
     "default: cpu", NULL, 0, 0},
    {"json", 'j', OPT_FLAG, offsetof(struct calibrate_options, json), NULL, "one object", NULL, 0,
     0},
    {0},
};

static void add_figure(struct table *t, int decimals, double v)
{
    if (v > 0)
        table_add(t, TEXT_PLAIN, "%.*f", decimals, v);
    else
        table_add(t, TEXT_PLAIN, "-");
}

/* measured and stated are in the same unit; 0: no figure. */
static void add_row(struct table *t, const char *what, double measured, double stated,
                    const char *unit)
{
    if (measured <= 0 && stated <= 0)
        return;
    table_add(t, TEXT_PLAIN, "%s", what);
    add_figure(t, 1, measured);
    add_figure(t, 1, stated);
    add_figure(t, 2, stated > 0 ? measured / stated : 0);
    table_add(t, TEXT_PLAIN, "%s", unit);
}

static void print_text(const struct calibration *c, const struct hardware *hw, bool color)
{
    const char *const heads[] = {"", "measured", "datasheet", "share", "unit"};
    double bytes_s = hw ? hw->bytes_s : 0;
    /* The few cores of a CPU reach GFLOP/s, not TFLOP/s. */
    bool tera = c->flops_s[ARITH_FP32] >= 1e13 || hw;
    struct table t;
    AUTO(buf_release) struct buf text = BUF_INIT;

    table_init(&t, "lrrrl", heads);
    add_row(&t, "read", c->read_bytes_s / 1e9, bytes_s / 1e9, "GB/s");
    add_row(&t, "copy", c->copy_bytes_s / 1e9, bytes_s / 1e9, "GB/s, read plus written");
    for (int a = 0; a < ARITH_COUNT; a++)
        add_row(&t, arith_names[a], c->flops_s[a] / (tera ? 1e12 : 1e9),
                hw ? hw->flops_s[a] / 1e12 : 0, tera ? "TFLOP/s" : "GFLOP/s");
    table_add(&t, TEXT_PLAIN, "call floor");
    table_add(&t, TEXT_PLAIN, "%.2f", c->call_floor_ns / 1e3);
    add_figure(&t, 0, 0);
    add_figure(&t, 0, 0);
    table_add(&t, TEXT_PLAIN, "us, an empty kernel, cold");
    table_print(&t, color, &text);
    printf("%s\n%s", c->device, buf_str(&text));
    if (hw)
        printf("datasheet: %s\n", hw->source);
    if (c->partial)
        printf("partial: no cuBLASLt was found, so tensor units were not measured\n");
    table_release(&t);
}

static int calibrate_main(struct app *app, const void *options, int argc, char **argv,
                          struct err *err)
{
    const struct calibrate_options *o = options;
    const struct device *device = &device_cpu;
    AUTO(hardware_release) struct hardware_list known = HARDWARE_LIST_INIT;
    struct calibration c;
    int index = 0;

    if (argc > 0)
        return fail(err, ERR_USAGE, "calibrate: unexpected argument '%s'", argv[0]);
    if (o->device && device_find(o->device, &device, &index, err) < 0)
        return -1;
    if (hardware_load(app->places.share, &known, err) < 0 ||
        station_calibrate(&app->places, device, index, &c, err) < 0)
        return -1;

    const struct hardware *hw = hardware_find(&known, c.device);

    if (!o->json) {
        print_text(&c, hw, app->color);
        return 0;
    }

    json_t *j = record_calibration(&c);

    json_object_set_new(j, "device", json_string(c.device));
    json_object_set_new(j, "fingerprint", json_string(c.fingerprint));
    json_object_set_new(j, "datasheet", record_hardware(hw));
    json_dumpf(j, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(j);
    return 0;
}

const struct cmd cmd_calibrate = {
    .name = "calibrate",
    .args = "",
    .summary = "measure what this device reaches: bandwidth, arithmetic, call floor",
    .options = calibrate_table,
    .options_size = sizeof(struct calibrate_options),
    .run = calibrate_main,
};
