/* SPDX-License-Identifier: MIT */
#include "device/cuda/cuda_library.h"

#include "base/fs.h"

#include <stdlib.h>

static char *library_in(const char *dir, const char *stem)
{
    static const char *const suffixes[] = {".so.13", ".so.12", ".so"};

    for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
        AUTO(freep) char *path = xasprintf("%s/%s%s", dir, stem, suffixes[i]);
        char *real = realpath(path, NULL);

        if (real)
            return real;
    }
    return NULL;
}

char *cuda_library_find(const char *variable, const char *stem)
{
    const char *chosen = getenv(variable), *home = getenv("CUDA_HOME");
    AUTO(freep) char *home_lib = home && *home ? fs_join(home, "lib64") : NULL;
    AUTO(freep) char *program_dir = fs_program_dir();
    AUTO(freep) char *own_lib = fs_join(program_dir, "../lib");
    const char *const folders[] = {home_lib, own_lib, "/usr/local/cuda/lib64",
                                   "/usr/lib/x86_64-linux-gnu", "/usr/lib64"};
    char *found = NULL;

    if (chosen && *chosen)
        return realpath(chosen, NULL);
    for (size_t i = 0; !found && i < ARRAY_SIZE(folders); i++)
        if (folders[i])
            found = library_in(folders[i], stem);
    return found;
}
