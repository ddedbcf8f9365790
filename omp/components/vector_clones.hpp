// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

/// In front of a function: compiled for several vector units, of which the program takes the machine's at its start. clang 14 has
/// this for no templates, and programs under a sanitizer crash in the choice, which comes before the sanitizer is ready.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__SANITIZE_ADDRESS__)
#define SPRUCE_VECTOR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SPRUCE_VECTOR_CLONES
#endif
