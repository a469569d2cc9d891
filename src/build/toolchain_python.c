/* SPDX-License-Identifier: MIT */
/* .py files: a runner imports the text. The judge adds the versions of Python and torch. */
#include "build/recipe.h"

static int build(const struct build_request *req, struct build_result *ret, struct err *err)
{
    return recipe_take_text("python", req, ret, err);
}

const struct toolchain toolchain_python = {".py", build};
