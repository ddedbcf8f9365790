/* SPDX-FileCopyrightText: 2026 The Spruce authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Opens an extension module as interpreters do, and calls it. The symbols of the module and of the
 * core are local, but the core has to share its kernel table with the backends that it opens. */

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv)
{
    void* library;
    int (*multiply)(const char*);
    if (argc < 3) {
        fprintf(stderr, "usage: %s MODULE KIND [FOLDER to change to once the module is open]\n", argv[0]);
        return 3;
    }
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 3;
    }
    if (argc > 3 && chdir(argv[3]) != 0) {
        perror(argv[3]);
        return 3;
    }
    *(void**)&multiply = dlsym(library, "multiply");
    return multiply ? multiply(argv[2]) : 3;
}
