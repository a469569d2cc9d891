/* SPDX-License-Identifier: MIT */
/* .fake files: the text is the artifact. */
#include "build/recipe.h"

static int build(const struct build_request *req, struct build_result *ret, struct err *err)
{
    return recipe_take_text("fake", req, ret, err);
}

const struct toolchain toolchain_fake = {".fake", build};
