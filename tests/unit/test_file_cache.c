/* SPDX-License-Identifier: MIT */
/* What is kept by key, and what makes room for it. */
#include "build_rig.h"

#include "build/file_cache.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SHARE 4096 /* of a folder, of 1 MB in all */

static int set_up(void **state)
{
    (void)state;
    setenv("ASSAY_CACHE_MB", "1", 1);
    return rig_open("");
}

static int tear_down(void **state)
{
    (void)state;
    unsetenv("ASSAY_CACHE_MB");
    return rig_close();
}

/* So many bytes, under a key of the folder ab. */
static void store(int key, size_t bytes)
{
    AUTO(freep) char *name = xasprintf("ab%04d", key), *data = xcalloc(bytes + 1, 1);
    struct err err = ERR_INIT;

    must(file_cache_store(cache, "things", name, memset(data, key, bytes), bytes, &err), &err);
}

static bool is_kept(int key)
{
    AUTO(freep) char *path = xasprintf("%s/things/ab/ab%04d", cache, key);

    return access(path, F_OK) == 0;
}

static bool load(int key, struct buf *ret)
{
    AUTO(freep) char *name = xasprintf("ab%04d", key);

    return file_cache_load(cache, "things", name, 1 << 20, ret);
}

/* As if it had last been used so long ago. */
static void age(int key, int seconds)
{
    AUTO(freep) char *path = xasprintf("%s/things/ab/ab%04d", cache, key);
    struct timespec then[2];

    clock_gettime(CLOCK_REALTIME, &then[0]);
    then[0].tv_sec -= seconds;
    then[1] = then[0];
    assert_int_equal(utimensat(AT_FDCWD, path, then, 0), 0);
}

static void test_what_is_stored_is_there(void **state)
{
    AUTO(buf_release) struct buf text = BUF_INIT;

    (void)state;
    assert_false(load(1, &text));
    store(1, 100);
    assert_true(load(1, &text));
    assert_int_equal(text.len, 100);
    assert_int_equal(text.ptr[99], 1);
    store(1, 50); /* in its place */
    buf_reset(&text);
    assert_true(load(1, &text));
    assert_int_equal(text.len, 50);
}

static void test_the_longest_unused_makes_room(void **state)
{
    AUTO(buf_release) struct buf text = BUF_INIT;

    (void)state;
    for (int key = 1; key <= 8; key++) {
        store(key, SHARE / 8);
        age(key, 1000 - key);
    }
    for (int key = 1; key <= 8; key++)
        assert_true(is_kept(key)); /* just full */
    assert_true(load(1, &text));   /* the oldest was used */
    store(9, SHARE / 8);
    assert_true(is_kept(1) && is_kept(9));
    assert_false(is_kept(2) || is_kept(3) || is_kept(4));
    for (int key = 5; key <= 8; key++)
        assert_true(is_kept(key));
    store(10, SHARE / 8); /* there is room now */
    assert_true(is_kept(5));
}

/* What is larger than the share of a folder is kept all the same, alone, until the next one comes.
 */
static void test_what_is_large_is_kept_alone(void **state)
{
    (void)state;
    store(1, 100);
    store(2, 3 * SHARE);
    assert_false(is_kept(1));
    assert_true(is_kept(2));
    store(2, 3 * SHARE);
    assert_true(is_kept(2));
    store(3, 100);
    assert_false(is_kept(2));
    assert_true(is_kept(3));
}

/* Another kind, another folder, and what is no file. */
static void test_others_stay(void **state)
{
    AUTO(freep) char *dir = fs_join(cache, "things/ab/dir");
    AUTO(freep) char *link = fs_join(cache, "things/ab/link");
    AUTO(freep) char *kind = fs_join(cache, "others/ab/ab");
    AUTO(freep) char *folder = fs_join(cache, "things/ac/ac");
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(file_cache_store(cache, "others", "ab", "x", 1, &err), 0);
    assert_int_equal(file_cache_store(cache, "things", "ac", "x", 1, &err), 0);
    assert_int_equal(fs_mkdirs(dir, &err), 0);
    assert_int_equal(symlink(include, link), 0);
    for (int key = 1; key <= 5; key++)
        store(key, SHARE);
    assert_true(fs_exists(kind) && fs_exists(folder) && fs_exists(dir) && fs_exists(link));
    assert_true(is_kept(5));
    assert_false(is_kept(4));
}

static void test_limits_that_are_none(void **state)
{
    static const char *const words[] = {"0", "-1", "ten", "1G", "99999999999999999999"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        struct err err = ERR_INIT;

        setenv("ASSAY_CACHE_MB", words[i], 1);
        assert_int_equal(file_cache_store(cache, "things", "ab", "x", 1, &err), -1);
        assert_int_equal(err.kind, ERR_USAGE);
        assert_non_null(strstr(err.text, "ASSAY_CACHE_MB="));
    }
    setenv("ASSAY_CACHE_MB", "", 1);
    store(1, 100);
    assert_true(is_kept(1));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_what_is_stored_is_there),     TEST(test_the_longest_unused_makes_room),
        TEST(test_what_is_large_is_kept_alone), TEST(test_others_stay),
        TEST(test_limits_that_are_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
