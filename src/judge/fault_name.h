/* SPDX-License-Identifier: MIT */
/* What a device's fault is called in a verdict. A fault's text stands on the page that the
 * candidate shares, so it may be the candidate's own; a name is never taken from it, only found in
 * a list. To add one: a line in fault_name.c. */
#ifndef ASSAY_JUDGE_FAULT_NAME_H
#define ASSAY_JUDGE_FAULT_NAME_H

/* Of a text "NAME: more" or "NAME": the name as the list has it. "fault" for any other text. */
const char *fault_name(const char *text);

#endif
