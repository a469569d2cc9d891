/* SPDX-License-Identifier: MIT */
/* BLAKE2b-256 (libsodium), in hex: names cache entries, sources, problems. hash_key() gives 64 bits
 * of it: keys that are made from a secret and shown to strangers. */
#ifndef ASSAY_BASE_HASH_H
#define ASSAY_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_HEX 65 /* 64 digits and NUL */

struct hash {
    _Alignas(64) unsigned char state[384]; /* crypto_generichash_state, kept out of this header */
};

void hash_init(struct hash *h);
void hash_add(struct hash *h, const void *data, size_t len);
/* Adds the text's length, then the text: two fields never run together. */
void hash_adds(struct hash *h, const char *s);
void hash_add_u64(struct hash *h, uint64_t v);
void hash_final(struct hash *h, char out[HASH_HEX]);

void hash_of(const void *data, size_t len, char out[HASH_HEX]);
/* The first 64 bits of the hash of n words. Suppose that one word is 64 secret bits: whoever knows
 * the result and all other words can find neither the secret nor the result for other words. */
uint64_t hash_key(const uint64_t *words, size_t n);
/* 64 random bits from the kernel's generator: seeds are secrets. */
uint64_t secret_u64(void);

#endif
