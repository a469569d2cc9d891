/* SPDX-License-Identifier: MIT */
/* Names of device faults and of signals in a verdict. A fault's text stands on the page that the
 * candidate shares, so it may be the candidate's own. A name is never taken from it, only found in
 * a list. To add one: a line in fault_name.c. */
#ifndef ASSAY_TERMS_FAULT_NAME_H
#define ASSAY_TERMS_FAULT_NAME_H

#include <stddef.h>

/* The fault's name in a text "NAME: more" or "NAME", as the list has it. "fault" for any other
 * text. */
const char *fault_name(const char *text);

/* The name of a signal, such as "SIGSEGV"; "SIG?" for a number without a name. */
const char *signal_name(int number);

/* The fault or signal that the first len bytes of text name, as the list has it; NULL: none. */
const char *fault_find(const char *text, size_t len);
const char *signal_find(const char *text, size_t len);

#endif
