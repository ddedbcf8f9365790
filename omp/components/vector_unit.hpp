// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

/// Code for the vector unit of the machine that the program happens to run on.
namespace spruce::kernels::omp {

enum class vector_unit { baseline, avx2, avx512 };

/// The widest one that processor and operating system have.
vector_unit machine_vector_unit();

/// Whether loading a vector from places anywhere in memory is faster than loading its parts one by one: on Intel's processors with
/// AVX-512 that need no repair of such loads in microcode (gather data sampling), as far as Linux says so.
bool has_fast_gathers();

#if defined(__x86_64__)
#define SPRUCE_HAS_VECTOR_UNITS 1

// What a body calls becomes part of these functions, and so is compiled for their vector unit: gcc's flatten takes all of it, clang's
// the outermost calls. (The attribute target_clones does not do that; nor has clang 14 it for templates, nor does it work in
// programs under a sanitizer.)
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

/// In front of a function, or behind the parameters of a lambda, that a body calls and that has to be compiled for the vector unit.
#define SPRUCE_FORCE_INLINE __attribute__((always_inline))

/// Calls body(), compiled for the machine's vector unit. The choice takes no time beside a thread's share of a product.
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
