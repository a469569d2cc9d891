/* SPDX-License-Identifier: MIT */
#ifndef ASSAY_TESTS_TESTING_H
#define ASSAY_TESTS_TESTING_H

/* cmocka wants these before its own header. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Ours is a function (base/err.h); cmocka's macro of the same name gives way. */
#undef fail
#undef fail_msg
#define fail_msg(...) (print_error(__VA_ARGS__), print_error("\n"), _fail(__FILE__, __LINE__))

#endif
