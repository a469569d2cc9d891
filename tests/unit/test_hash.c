/* SPDX-License-Identifier: MIT */
/* Hashes of texts and of fields. */
#include "testing.h"

#include "base/hash.h"

static void hash_is_blake2b_and_fields_do_not_run_together(void **state)
{
    char a[HASH_HEX], b[HASH_HEX];
    struct hash h;

    (void)state;
    /* BLAKE2b-256 of "abc" */
    hash_of("abc", 3, a);
    assert_string_equal(a, "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
    hash_init(&h);
    hash_adds(&h, "ab");
    hash_adds(&h, "c");
    hash_final(&h, a);
    hash_init(&h);
    hash_adds(&h, "a");
    hash_adds(&h, "bc");
    hash_final(&h, b);
    assert_string_not_equal(a, b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hash_is_blake2b_and_fields_do_not_run_together),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
