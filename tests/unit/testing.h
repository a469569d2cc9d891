/* SPDX-License-Identifier: MIT */
/* cmocka wants these headers before its own. */
#ifndef ASSAY_TESTS_TESTING_H
#define ASSAY_TESTS_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#undef fail /* ours is a function (base/err.h); fail_msg() remains */

#endif
