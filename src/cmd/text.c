/* SPDX-License-Identifier: MIT */
#include "cmd/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const escapes[] = {
    [TEXT_PLAIN] = "",          [TEXT_GREEN] = "\033[32m", [TEXT_RED] = "\033[31m",
    [TEXT_YELLOW] = "\033[33m", [TEXT_DIM] = "\033[2m",    [TEXT_BOLD] = "\033[1m",
};

void table_init(struct table *t, const char *align, const char *const *heads)
{
    *t = (struct table){.n_columns = (int)strlen(align), .align = align};
    for (int i = 0; i < t->n_columns; i++)
        table_add(t, TEXT_DIM, "%s", heads[i]);
}

void table_add(struct table *t, enum text_color color, const char *fmt, ...)
{
    va_list ap;
    char *text = NULL;

    va_start(ap, fmt);
    text = xvasprintf(fmt, ap);
    va_end(ap);
    if (t->n_cells == t->cap_cells) {
        t->cap_cells = MAX(64, 2 * t->cap_cells);
        t->cells = xrealloc(t->cells, (size_t)t->cap_cells * sizeof(*t->cells));
    }
    t->cells[t->n_cells++] = (struct table_cell){text, color};
}

/* Columns on the screen: bytes that do not continue a UTF-8 sequence. */
static int width_of(const char *s)
{
    int n = 0;

    for (; *s; s++)
        n += ((unsigned char)*s & 0xC0) != 0x80;
    return n;
}

static int column_width(const struct table *t, int column)
{
    int width = 0;

    for (int i = column; i < t->n_cells; i += t->n_columns)
        width = MAX(width, width_of(t->cells[i].text));
    return width;
}

void table_print(const struct table *t, bool color, struct buf *out)
{
    AUTO(freep) int *widths = xcalloc((size_t)t->n_columns, sizeof(*widths));

    for (int c = 0; c < t->n_columns; c++)
        widths[c] = column_width(t, c);
    for (int i = 0; i < t->n_cells; i++) {
        const struct table_cell *cell = &t->cells[i];
        int c = i % t->n_columns, pad = widths[c] - width_of(cell->text);
        bool last = c == t->n_columns - 1;

        buf_adds(out, c ? "  " : "");
        buf_fill(out, ' ', t->align[c] == 'r' ? pad : 0);
        text_colored(out, color, cell->color, "%s", cell->text);
        buf_fill(out, ' ', t->align[c] == 'l' && !last ? pad : 0);
        if (last) {
            while (out->len && out->ptr[out->len - 1] == ' ')
                out->ptr[--out->len] = '\0';
            buf_addch(out, '\n');
        }
    }
}

void table_release(struct table *t)
{
    for (int i = 0; i < t->n_cells; i++)
        free(t->cells[i].text);
    free(t->cells);
    *t = (struct table){0};
}

void text_count(double v, struct buf *out)
{
    static const char *const units[] = {"", " k", " M", " G", " T", " P"};
    size_t u = 0;

    while (v >= 1000 && u + 1 < ARRAY_SIZE(units)) {
        v /= 1000;
        u++;
    }
    buf_addf(out,
             u == 0    ? "%.0f%s"
             : v < 10  ? "%.2f%s"
             : v < 100 ? "%.1f%s"
                       : "%.0f%s",
             v, units[u]);
}

void text_us(double us, struct buf *out)
{
    buf_addf(out, us >= 1000 ? "%.0f" : us >= 100 ? "%.1f" : "%.2f", us);
}

void text_colored(struct buf *out, bool color, enum text_color c, const char *fmt, ...)
{
    AUTO(freep) char *text = NULL;
    va_list ap;

    va_start(ap, fmt);
    text = xvasprintf(fmt, ap);
    va_end(ap);
    if (color && c != TEXT_PLAIN)
        buf_addf(out, "%s%s\033[0m", escapes[c], text);
    else
        buf_adds(out, text);
}
