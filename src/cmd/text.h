/* SPDX-License-Identifier: MIT */
/* Text for people: aligned columns, human numbers, colour on a terminal. */
#ifndef ASSAY_CMD_TEXT_H
#define ASSAY_CMD_TEXT_H

#include "base/buf.h"

enum text_color { TEXT_PLAIN, TEXT_GREEN, TEXT_RED, TEXT_YELLOW, TEXT_DIM, TEXT_BOLD };

/* A table is filled cell by cell, row by row; columns are as wide as their widest cell. */
struct table {
    int n_columns;
    const char *align; /* one letter per column: 'l' or 'r' */
    struct table_cell {
        char *text;
        enum text_color color;
    } * cells;
    int n_cells, cap_cells;
};

void table_init(struct table *t, const char *align, const char *const *heads);
void table_add(struct table *t, enum text_color color, const char *fmt, ...) PRINTF_LIKE(3, 4);
void table_print(const struct table *t, bool color, struct buf *out);
void table_release(struct table *t);

/* 1234567 -> "1.23 M"; bytes and FLOPs. */
void text_count(double v, struct buf *out);
/* Microseconds with two decimals, one from 100 on, none from 1000 on. */
void text_us(double us, struct buf *out);
void text_colored(struct buf *out, bool color, enum text_color c, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

#endif
