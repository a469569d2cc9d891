/* SPDX-License-Identifier: MIT */
/* What a device's fault and a signal are called in a verdict. A fault's text stands on the page
 * that the candidate shares, so it may be the candidate's own; a name is never taken from it, only
 * found in a list. To add one: a line in fault_name.c. */
#ifndef ASSAY_TERMS_FAULT_NAME_H
#define ASSAY_TERMS_FAULT_NAME_H

#include <stddef.h>

/* Of a text "NAME: more" or "NAME": the name as the list has it. "fault" for any other text. */
const char *fault_name(const char *text);

/* "SIGSEGV" of SIGSEGV; "SIG?" for a number without a name. */
const char *signal_name(int number);

/* The name as the list has it if the first len bytes of text are one, else NULL. */
const char *fault_find(const char *text, size_t len);
const char *signal_find(const char *text, size_t len);

#endif
