/* SPDX-License-Identifier: MIT */
#include "content/layout.h"

#include <stdlib.h>
#include <string.h>

#define ALIGN 256

static size_t align_up(size_t v)
{
    return (v + ALIGN - 1) / ALIGN * ALIGN;
}

static void place(struct layout *l, int i, enum dtype dtype, const struct shape *shape)
{
    l->slots[i] = (struct tensor_slot){.dtype = dtype, .shape = *shape, .offset = l->bytes};
    l->slot_bytes[i] = (size_t)shape_count(shape) * dtype_size(dtype);
    l->bytes = align_up(l->bytes + l->slot_bytes[i]) + GUARD_BYTES;
}

static void layout_init(struct layout *l, int n)
{
    l->n = n;
    l->slots = xcalloc((size_t)n, sizeof(*l->slots));
    l->slot_bytes = xcalloc((size_t)n, sizeof(*l->slot_bytes));
    l->bytes = GUARD_BYTES;
}

void layout_tensors(const struct tensor_slot *tensors, int n, struct layout *ret)
{
    layout_init(ret, n);
    for (int i = 0; i < n; i++)
        place(ret, i, tensors[i].dtype, &tensors[i].shape);
}

void layout_inputs(const struct graph *g, struct layout *ret)
{
    layout_init(ret, g->n_sources);
    for (int i = 0; i < g->n_sources; i++)
        place(ret, i, g->sources[i].dtype, &g->sources[i].shape);
}

void layout_outputs(const struct graph *g, struct layout *ret)
{
    layout_init(ret, g->n_outputs);
    for (int i = 0; i < g->n_outputs; i++) {
        const struct node *node = &g->nodes[g->outputs[i].node];

        place(ret, i, node->dtype, &node->shape);
    }
}

void layout_release(struct layout *l)
{
    free(l->slots);
    free(l->slot_bytes);
    *l = (struct layout){0};
}

/* Zone 2i is the guard before tensor i, zone 2i+1 the tensor, zone 2n the last guard. */
struct zone {
    size_t at, bytes;
};

static struct zone zone_of(const struct layout *l, int z)
{
    int i = z / 2;
    size_t end = i > 0 ? l->slots[i - 1].offset + l->slot_bytes[i - 1] : 0;

    if (z % 2)
        return (struct zone){l->slots[i].offset, l->slot_bytes[i]};
    return (struct zone){end, (i < l->n ? l->slots[i].offset : l->bytes) - end};
}

static uint64_t zone_key(uint64_t key, int z)
{
    return key + (uint64_t)(z + 1) * 0x9E3779B97F4A7C15u;
}

int layout_poison(const struct device_judge_ops *ops, void *ctx, const struct layout *l,
                  struct mem *m, bool guards_only, uint64_t key, struct err *err)
{
    for (int z = 0; z <= 2 * l->n; z += guards_only ? 2 : 1) {
        struct zone zone = zone_of(l, z);

        if (ops->poison(ctx, m, zone.at, zone.bytes, zone_key(key, z), err) < 0)
            return -1;
    }
    return 0;
}

int layout_check_guards(const struct device_judge_ops *ops, void *ctx, const struct layout *l,
                        const struct mem *m, uint64_t key, int *ret_slot, int64_t *ret_distance,
                        struct err *err)
{
    *ret_slot = -1;
    for (int z = 0; z <= 2 * l->n; z += 2) {
        struct zone zone = zone_of(l, z);
        int64_t at = -1;

        if (ops->poison_check(ctx, m, zone.at, zone.bytes, zone_key(key, z), &at, err) < 0)
            return -1;
        if (at < 0)
            continue;

        /* A zone between two tensors: damage in its first half is the left tensor's overrun. */
        bool behind = z > 0 && (z == 2 * l->n || (size_t)at < zone.bytes / 2);

        *ret_slot = behind ? z / 2 - 1 : z / 2;
        *ret_distance = behind ? at : at - (int64_t)zone.bytes;
        return 0;
    }
    return 0;
}

/* The last word of a tensor that is not whole ends in the guard behind it, which nobody writes to
 * either. */
void layout_peeks(const struct layout *l, uint64_t key, struct peeks *ret)
{
    uint64_t first = philox_place(key, DEVICE_PEEKS, (uint64_t)l->n);

    *ret = (struct peeks){.key = key, .n = (uint32_t)MIN(l->n, PEEK_SPANS)};
    for (uint32_t i = 0; i < ret->n; i++) {
        size_t slot = (first + i) % (size_t)l->n;

        ret->spans[i] = (struct peek_span){
            l->slots[slot].offset / sizeof(uint32_t),
            MAX((l->slot_bytes[slot] + sizeof(uint32_t) - 1) / sizeof(uint32_t), 1),
        };
    }
}

bool layout_unwritten(const struct device_judge_ops *ops, void *ctx, const struct layout *l,
                      const struct mem *m, int slot, size_t at, size_t bytes, uint64_t key)
{
    struct zone zone = zone_of(l, 2 * slot + 1);
    AUTO(freep) char *poison = NULL;
    struct err ignored = ERR_INIT;
    char got[16];

    if (bytes > sizeof(got) || at + bytes > zone.bytes ||
        ops->download(ctx, m, zone.at + at, got, bytes, &ignored) < 0)
        return false;
    poison = xmalloc(at + bytes);
    fill_poison(zone_key(key, 2 * slot + 1), poison, at + bytes);
    return !memcmp(poison + at, got, bytes);
}
