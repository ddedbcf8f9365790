/* SPDX-FileCopyrightText: 2026 The Spruce authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Contains a library with the symbol names of a backend. The symbol of the entry is a function that
 * returns an object of another type. */

#include <stddef.h>

static void* no_functions[64];
static void* object[8];

void* spruce_hip_entry(const void* probe)
{
    (void)probe;
    object[0] = no_functions;
    return object;
}

void spruce_hip_register(void) {}
