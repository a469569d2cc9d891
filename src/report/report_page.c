/* SPDX-License-Identifier: MIT */
/* Names, sources and compiler text in the data are hostile. There are three walls. The index is
 * JSON without a single '<', so no tag can end its element. The details are base64. The page's
 * policy allows one script and one style by their hashes, no other, and no address at all to load
 * from. The script itself makes text nodes only. */
#include "report/report_page.h"

#include "base/version.h"
#include "report/page_assets.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void add_json(const json_t *j, struct buf *out)
{
    /* Six digits are more than any figure has here, and a third of the bytes of a double. */
    AUTO(freep) char *text = json_dumps(j, JSON_COMPACT | JSON_REAL_PRECISION(6));

    for (const char *p = text; *p; p++)
        if (*p == '<')
            buf_adds(out, "\\u003c");
        else
            buf_addch(out, *p);
}

static void add_base64(const unsigned char *data, size_t len, struct buf *out)
{
    size_t bytes = sodium_base64_encoded_len(len, sodium_base64_VARIANT_ORIGINAL);

    buf_reserve(out, bytes);
    sodium_bin2base64(out->ptr + out->len, bytes, data, len, sodium_base64_VARIANT_ORIGINAL);
    out->len += bytes - 1; /* bytes includes the NUL */
}

static int add_deflated(const json_t *j, struct buf *out, struct err *err)
{
    AUTO(freep) char *text = json_dumps(j, JSON_COMPACT | JSON_REAL_PRECISION(6));
    uLong len = strlen(text);
    uLongf packed_len = compressBound(len);
    AUTO(freep) unsigned char *packed = try_alloc(packed_len);

    if (!packed || compress2(packed, &packed_len, (const Bytef *)text, len, 9) != Z_OK)
        return fail(err, ERR_SYSTEM, "not enough memory to pack the report");
    add_base64(packed, packed_len, out);
    return 0;
}

static void add_html(const char *s, struct buf *out)
{
    for (; *s; s++) {
        static const char special[] = "&<>\"'";

        if (strchr(special, *s))
            buf_addf(out, "&#%d;", *s);
        else
            buf_addch(out, *s);
    }
}

static void add_hash(const char *text, struct buf *out)
{
    unsigned char hash[crypto_hash_sha256_BYTES];

    crypto_hash_sha256(hash, (const unsigned char *)text, strlen(text));
    buf_adds(out, "sha256-");
    add_base64(hash, sizeof(hash), out);
}

struct report_text {
    const char *title;
    const json_t *index, *details;
};

static int add_part(const struct report_text *p, const char *name, size_t len, struct buf *out,
                    struct err *err)
{
#define IS(word) (len == strlen(word) && !memcmp(name, word, len))
    if (IS("title"))
        add_html(p->title, out);
    else if (IS("generator"))
        buf_addf(out, "assay %s", assay_version);
    else if (IS("style"))
        buf_adds(out, page_style);
    else if (IS("script"))
        buf_adds(out, page_script);
    else if (IS("style-hash"))
        add_hash(page_style, out);
    else if (IS("script-hash"))
        add_hash(page_script, out);
    else if (IS("data"))
        add_json(p->index, out);
    else if (IS("details"))
        return add_deflated(p->details, out, err);
    else
        abort(); /* page.html names a part that is not there: our bug */
    return 0;
#undef IS
}

int report_page_write(const char *title, const json_t *index, const json_t *details,
                      struct buf *out, struct err *err)
{
    struct report_text page = {title, index, details};
    const char *at = page_html, *open;

    /* One pass over our own text: inserted text is not searched again. */
    while ((open = strstr(at, "{{"))) {
        const char *close = strstr(open, "}}");

        buf_add(out, at, (size_t)(open - at));
        if (add_part(&page, open + 2, (size_t)(close - open - 2), out, err) < 0)
            return -1;
        at = close + 2;
    }
    buf_adds(out, at);
    return 0;
}
