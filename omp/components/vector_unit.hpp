// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

/// Runs code that is compiled for the vector unit of the machine, which is determined at run time.
namespace spruce::kernels::omp {

enum class vector_unit { baseline, avx2, avx512 };

/// Returns the widest vector unit that both the processor and the operating system support.
vector_unit machine_vector_unit();

/// Returns true if gathering the elements of a vector is faster than loading them one by one.
///
/// This holds for processors of Intel with AVX-512 that need no microcode mitigation of gather data
/// sampling, according to Linux.
bool has_fast_gathers();

#if defined(__x86_64__)
#define SPRUCE_HAS_VECTOR_UNITS 1

// Functions that a body calls are inlined into these functions and so compiled for their vector
// unit. The attribute flatten inlines all calls in gcc and the outermost calls in clang. The
// attribute target_clones does not do that. In addition, clang 14 does not support it for
// templates, and it fails in programs under a sanitizer.
template <typename Body>
__attribute__((target("avx2,fma"), flatten, noinline)) void on_avx2(const Body& body)
{
    body();
}
template <typename Body>
__attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma"), flatten, noinline)) void on_avx512(const Body& body)
{
    body();
}
#endif

/// Makes the compiler inline a function into each caller, so that it is compiled for the caller's
/// vector unit. It is written before a function, or after the parameters of a lambda.
#define SPRUCE_FORCE_INLINE __attribute__((always_inline))

/// Calls body(), compiled for the machine's vector unit. The cost of the choice is negligible in
/// comparison with a thread's part of a product.
template <typename Body>
void on_vector_unit(const Body& body)
{
#ifdef SPRUCE_HAS_VECTOR_UNITS
    switch (machine_vector_unit()) {
    case vector_unit::avx512:
        return on_avx512(body);
    case vector_unit::avx2:
        return on_avx2(body);
    case vector_unit::baseline:
        break;
    }
#endif
    body();
}

}  // namespace spruce::kernels::omp
