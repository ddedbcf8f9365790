/* SPDX-FileCopyrightText: 2026 The Spruce authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Contains a library that is no backend and prints a message when it is loaded. */

#include <stdio.h>
#include <unistd.h>

__attribute__((constructor)) static void leave_trace(void)
{
    fprintf(stderr, "loaded with effective user %ld\n", (long)geteuid());
}
