/* SPDX-License-Identifier: MIT */
#include "report/json_text.h"

#include "base/util.h"

#include <math.h>
#include <string.h>

json_t *json_text(const char *s, size_t len)
{
    json_t *j = memchr(s, '\0', len) ? NULL : json_stringn(s, len);

    if (j)
        return j;

    AUTO(freep) char *copy = xmalloc(len + 1);

    for (size_t i = 0; i < len; i++)
        copy[i] = (unsigned char)s[i] >= 0x80 || !s[i] ? '?' : s[i];
    return json_stringn(copy, len);
}

json_t *json_text_or_null(const char *s)
{
    return s && *s ? json_text(s, strlen(s)) : json_null();
}

json_t *json_figure(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

json_t *json_copy_of(const json_t *object, const char *key)
{
    json_t *v = json_object_get(object, key);

    return v ? json_incref(v) : json_null();
}
