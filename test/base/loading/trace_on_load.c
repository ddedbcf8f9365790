/* SPDX-FileCopyrightText: 2026 The Spruce authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A library that is no backend and leaves a trace where it is loaded. */

#include <stdio.h>
#include <unistd.h>

__attribute__((constructor)) static void leave_trace(void)
{
    fprintf(stderr, "loaded with effective user %ld\n", (long)geteuid());
}
