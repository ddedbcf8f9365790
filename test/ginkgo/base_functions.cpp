// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Uses small functions, types and macros of the base.

#include <ginkgo/ginkgo.hpp>

#include "check.hpp"

GKO_DEPRECATED("use current()")
int outdated();
int outdated() { return 1; }

GKO_BEGIN_DISABLE_DEPRECATION_WARNINGS
int call_outdated() { return outdated(); }
GKO_END_DISABLE_DEPRECATION_WARNINGS

template <typename T, typename U>
constexpr bool same = std::is_same<T, U>::value;

static_assert(gko::invalid_index<int>() == -1, "the index of padding");
static_assert(gko::invalid_index<gko::int64>() == -1, "the index of padding");
static_assert(same<gko::next_precision_base<float>, double>, "after single comes double precision");
static_assert(same<gko::next_precision_base<double>, float>, "after double comes single precision");
static_assert(same<gko::next_precision_base<std::complex<double>>, std::complex<float>>, "complex stays complex");
static_assert(same<gko::previous_precision_base<float>, double>, "before single is double precision");
static_assert(same<gko::next_precision<float>, gko::next_precision_base<float>>, "there are two precisions");
static_assert(same<gko::reduce_precision<double>, float> && same<gko::increase_precision<float>, double>, "precisions");
static_assert(same<gko::highest_precision<float, double>, double>, "the higher of two precisions");
static_assert(same<gko::remove_complex<std::complex<float>>, float> &&
                  same<gko::to_complex<float>, std::complex<float>>,
              "real and complex types of a precision");
static_assert(same<gko::to_real<std::complex<float>>, float>, "the real type of a precision");
static_assert(gko::is_complex<std::complex<float>>() && !gko::is_complex<float>(), "complex types");
static_assert(gko::is_complex_or_scalar<std::complex<float>>() && gko::is_complex_or_scalar<int>() &&
                  !gko::is_complex_or_scalar<std::string>(),
              "numbers");
static_assert(same<gko::xstd::void_t<int>, void>, "names that the standard library has");
static_assert(gko::get_superior_power(2, 1) == 1, "2^0 is the smallest power of 2 that is at least 1");
static_assert(gko::get_superior_power(2, 33) == 64, "2^6 is the smallest power of 2 that is at least 33");
static_assert(gko::get_superior_power(3, 9) == 9, "a power is its own");
static_assert(gko::get_superior_power(2, 33, 16) == 64, "the search may begin at a power");
static_assert(gko::get_significant_bit(1) == 0, "the place of the highest bit");
static_assert(gko::get_significant_bit(40u) == 5, "the place of the highest bit");
static_assert(gko::get_significant_bit(~gko::uint64{}) == 63, "the place of the highest bit");
static_assert(gko::safe_divide(6.0, 3.0) == 2.0 && gko::safe_divide(6.0, 0.0) == 0.0, "zero for a division by zero");
static_assert(gko::ceildiv(7, 3) == 3 && gko::ceildiv(6, 3) == 2, "rounds up");
static_assert(gko::zero<double>() == 0.0 && gko::one<float>() == 1.0f, "neutral elements");
static_assert(gko::max(1, 2) == 2 && gko::min(1, 2) == 1, "larger and smaller");

static_assert(same<gko::device_matrix_data<>, gko::device_matrix_data<double, int>> &&
                  same<gko::matrix_data<>, gko::matrix_data<double, int>> &&
                  same<gko::matrix_assembly_data<>, gko::matrix_assembly_data<double, int>>,
              "types of data have the types of matrices by default");

int main()
{
    using complex = std::complex<double>;
    print("a deprecated function, called without a warning", call_outdated());
    print("the index of padding", gko::invalid_index<int>(), gko::invalid_index<gko::int64>());
    check(gko::conj(complex{1.0, 2.0}) == complex{1.0, -2.0} && gko::conj(2.0) == 2.0, "the conjugate");
    check(gko::real(complex{1.0, 2.0}) == 1.0 && gko::imag(complex{1.0, 2.0}) == 2.0, "parts of a complex number");
    check(gko::squared_norm(complex{3.0, 4.0}) == 25.0 && gko::abs(complex{3.0, 4.0}) == 5.0, "the absolute value");
    check(gko::is_zero(0.0) && gko::is_nonzero(complex{0.0, 1.0}), "zero");
    check(gko::is_nan(std::nan("")) && !gko::is_finite(std::nan("")) && gko::is_finite(1.0), "numbers that are none");
    check(gko::round_down(1.0 + 1e-12) == 1.0f, "the next lower precision");
    const auto fourth_root = gko::unit_root<double>(4);
    check(std::abs(fourth_root - complex{0.0, 1.0}) < 1e-15, "a fourth root of one is i, but for rounding of pi");
    const gko::dim<2> size{2, 3};
    std::ostringstream text;
    text << size;
    check(text.str() == "(2, 3)" && gko::transpose(size) == gko::dim<2>(3, 2), "sizes");
    check(gko::span(3).length() == 1 && gko::span(1, 3) < gko::span(4, 5), "spans");
    check(gko::version_info::get().core_version == gko::version_info::get().header_version, "versions");
    return exit_status();
}
