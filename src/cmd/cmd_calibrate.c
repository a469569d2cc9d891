/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

#include <jansson.h>
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

static void print_text(const struct calibration *c)
{
    printf("%s\n"
           "  read        %8.1f GB/s\n"
           "  copy        %8.1f GB/s  (bytes read plus bytes written)\n"
           "  f32         %8.1f GFLOP/s\n"
           "  f64         %8.1f GFLOP/s\n"
           "  call floor  %8.2f us    (an empty kernel, cold)\n",
           c->device, c->read_bytes_s / 1e9, c->copy_bytes_s / 1e9, c->f32_flops_s / 1e9,
           c->f64_flops_s / 1e9, c->call_floor_ns / 1e3);
}

static int calibrate_main(struct app *app, const void *options, int argc, char **argv,
                          struct err *err)
{
    const struct calibrate_options *o = options;
    const struct device *device = &device_cpu;
    struct calibration c;
    int index = 0;

    if (argc > 0)
        return fail(err, ERR_USAGE, "calibrate: unexpected argument '%s'", argv[0]);
    if (o->device && device_find(o->device, &device, &index, err) < 0)
        return -1;
    if (session_calibrate(&app->places, device, index, &c, err) < 0)
        return -1;
    if (!o->json) {
        print_text(&c);
        return 0;
    }

    json_t *j =
        json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:f}", "device", c.device, "fingerprint",
                  c.fingerprint, "created", c.created, "read_gb_s", c.read_bytes_s / 1e9,
                  "copy_gb_s", c.copy_bytes_s / 1e9, "f32_gflops", c.f32_flops_s / 1e9,
                  "f64_gflops", c.f64_flops_s / 1e9, "call_floor_us", c.call_floor_ns / 1e3);

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
