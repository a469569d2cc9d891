/* SPDX-License-Identifier: MIT */
#include "base/hash.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>
#include <sys/random.h>

#define HASH_BYTES 32

static crypto_generichash_state *state_of(struct hash *h)
{
    static_assert(sizeof(crypto_generichash_state) <= sizeof(h->state), "hash state too small");
    return (crypto_generichash_state *)(void *)h->state;
}

void hash_init(struct hash *h)
{
    crypto_generichash_init(state_of(h), NULL, 0, HASH_BYTES);
}

void hash_add(struct hash *h, const void *data, size_t len)
{
    crypto_generichash_update(state_of(h), data, len);
}

void hash_add_u64(struct hash *h, uint64_t v)
{
    hash_add(h, &v, sizeof(v));
}

void hash_adds(struct hash *h, const char *s)
{
    size_t len = strlen(s);

    hash_add_u64(h, len);
    hash_add(h, s, len);
}

void hash_final(struct hash *h, char out[HASH_HEX])
{
    unsigned char digest[HASH_BYTES];

    crypto_generichash_final(state_of(h), digest, sizeof(digest));
    sodium_bin2hex(out, HASH_HEX, digest, sizeof(digest));
}

void hash_of(const void *data, size_t len, char out[HASH_HEX])
{
    struct hash h;

    hash_init(&h);
    hash_add(&h, data, len);
    hash_final(&h, out);
}

uint64_t hash_key(const uint64_t *words, size_t n)
{
    unsigned char digest[HASH_BYTES];
    uint64_t first;

    crypto_generichash(digest, sizeof(digest), (const unsigned char *)words, n * sizeof(*words),
                       NULL, 0);
    memcpy(&first, digest, sizeof(first));
    return first;
}

uint64_t secret_u64(void)
{
    uint64_t v = 0;

    while (getrandom(&v, sizeof(v), 0) != (ssize_t)sizeof(v))
        continue;
    return v;
}
