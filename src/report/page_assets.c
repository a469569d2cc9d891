/* SPDX-License-Identifier: MIT */
/* The page's parts as bytes of the program; the scripts are one text in this order. Paths are
 * relative to the top of the tree, where make runs. */
#include "report/page_assets.h"

__asm__(".pushsection .rodata, \"a\"\n"
        ".globl page_html, page_style, page_script\n"
        ".hidden page_html, page_style, page_script\n"
        "page_html:\n"
        ".incbin \"src/report/page/page.html\"\n"
        ".byte 0\n"
        "page_style:\n"
        ".incbin \"src/report/page/page.css\"\n"
        ".byte 0\n"
        "page_script:\n"
        ".incbin \"src/report/page/dom.js\"\n"
        ".incbin \"src/report/page/data.js\"\n"
        ".incbin \"src/report/page/charts.js\"\n"
        ".incbin \"src/report/page/highlight.js\"\n"
        ".incbin \"src/report/page/board.js\"\n"
        ".incbin \"src/report/page/overview.js\"\n"
        ".incbin \"src/report/page/cellpage.js\"\n"
        ".incbin \"src/report/page/main.js\"\n"
        ".byte 0\n"
        ".popsection\n");
