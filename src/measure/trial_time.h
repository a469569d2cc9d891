/* SPDX-License-Identifier: MIT */
/* The timed part of a trial: warm-ups, scored calls, hot calls, and what the audit says of them. */
#ifndef ASSAY_MEASURE_TRIAL_TIME_H
#define ASSAY_MEASURE_TRIAL_TIME_H

#include "measure/trial_call.h"

/* Times the judge's own work on the device while no runner is there. */
int trial_own_work(struct trial *t, struct own_work *ret, struct err *err);
/* Times the candidate, and once more in fresh processes if there is a doubt. */
int trial_time(struct trial *t, struct verdict *v, struct err *err);

#endif
