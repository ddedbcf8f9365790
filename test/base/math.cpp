// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/math.hpp>

#include <complex>

#include <gtest/gtest.h>

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>

namespace {

using complex = std::complex<double>;
using spruce::int64;

TEST(Math, MapsTypesToRealAndComplex)
{
    static_assert(std::is_same_v<spruce::remove_complex<complex>, double>);
    static_assert(std::is_same_v<spruce::remove_complex<float>, float>);
    static_assert(std::is_same_v<spruce::to_complex<float>, std::complex<float>>);
    static_assert(std::is_same_v<spruce::to_complex<complex>, complex>);
    static_assert(spruce::is_complex<complex>() && !spruce::is_complex<double>());
    static_assert(spruce::is_complex_s<std::complex<float>>::value);
}

TEST(Math, MapsMatrixTypesByTheirValues)
{
    using namespace spruce::matrix;
    static_assert(std::is_same_v<spruce::remove_complex<Dense<complex>>, Dense<double>>);
    static_assert(std::is_same_v<spruce::to_complex<Dense<double>>, Dense<complex>>);
    static_assert(std::is_same_v<spruce::remove_complex<Csr<complex, int64>>, Csr<double, int64>>);
    static_assert(std::is_same_v<spruce::to_complex<Csr<float, int64>>, Csr<std::complex<float>, int64>>);
}

TEST(Math, NamesTheOtherPrecision)
{
    static_assert(std::is_same_v<spruce::next_precision<float>, double>);
    static_assert(std::is_same_v<spruce::next_precision<double>, float>);
    static_assert(std::is_same_v<spruce::next_precision<complex>, std::complex<float>>);
    static_assert(std::is_same_v<spruce::previous_precision<float>, double>);
    static_assert(std::is_same_v<spruce::next_precision<float, 2>, float>);
    static_assert(std::is_same_v<spruce::next_precision<complex, 3>, std::complex<float>>);
    static_assert(std::is_same_v<spruce::previous_precision<double, 3>, float>);
}

TEST(Math, NamesLowerAndHigherPrecisions)
{
    using low_complex = std::complex<float>;
    static_assert(std::is_same_v<spruce::reduce_precision<double>, float>);
    static_assert(std::is_same_v<spruce::reduce_precision<float>, float>);
    static_assert(std::is_same_v<spruce::reduce_precision<complex>, low_complex>);
    static_assert(std::is_same_v<spruce::increase_precision<float>, double>);
    static_assert(std::is_same_v<spruce::increase_precision<double>, double>);
    static_assert(std::is_same_v<spruce::increase_precision<low_complex>, complex>);
    static_assert(std::is_same_v<spruce::highest_precision<float>, float>);
    static_assert(std::is_same_v<spruce::highest_precision<float, double, float>, double>);
    static_assert(std::is_same_v<spruce::highest_precision<low_complex, complex>, complex>);
}

TEST(Math, RoundsToLowerAndHigherPrecision)
{
    const auto third = spruce::round_down(1.0 / 3.0);
    static_assert(std::is_same_v<decltype(third), const float>);

    EXPECT_EQ(third, 1.0f / 3.0f);
    EXPECT_EQ(spruce::round_up(third), static_cast<double>(1.0f / 3.0f));
    EXPECT_EQ(spruce::round_down(complex(1.0 / 3.0, 2.0)), std::complex<float>(1.0f / 3.0f, 2.0f));
    EXPECT_EQ(spruce::round_up(std::complex<float>(0.5f, 2.0f)), complex(0.5, 2.0));
}

TEST(Math, KnowsZeroAndOne)
{
    static_assert(spruce::zero<double>() == 0.0 && spruce::one<float>() == 1.0f);
    EXPECT_EQ(spruce::one(complex(5, 5)), complex(1, 0));
    EXPECT_EQ(spruce::zero(complex(5, 5)), complex(0, 0));
    EXPECT_TRUE(spruce::is_zero(-0.0));
    EXPECT_TRUE(spruce::is_nonzero(complex(0, 1e-300)));
}

TEST(Math, TakesPartsOfNumbers)
{
    EXPECT_EQ(spruce::real(complex(1, 2)), 1);
    EXPECT_EQ(spruce::imag(complex(1, 2)), 2);
    EXPECT_EQ(spruce::imag(3.0), 0);
    EXPECT_EQ(spruce::conj(complex(1, 2)), complex(1, -2));
    EXPECT_EQ(spruce::conj(3.0f), 3.0f);
    EXPECT_EQ(spruce::squared_norm(complex(3, -4)), 25);
    EXPECT_EQ(spruce::squared_norm(-3.0), 9);
    EXPECT_EQ(spruce::abs(complex(3, -4)), 5);
}

TEST(Math, RecognizesNanAndInfinityInEitherPart)
{
    const auto inf = std::numeric_limits<double>::infinity();
    EXPECT_TRUE(spruce::is_nan(spruce::nan<double>()));
    EXPECT_TRUE(spruce::is_nan(spruce::nan<complex>()));
    EXPECT_TRUE(spruce::is_nan(complex(0, spruce::nan<double>())));
    EXPECT_FALSE(spruce::is_nan(inf));
    EXPECT_FALSE(spruce::is_finite(complex(inf, 0)));
    EXPECT_FALSE(spruce::is_finite(complex(0, inf)));
    EXPECT_TRUE(spruce::is_finite(complex(1, 1)));
}

TEST(Math, DividesRoundingUp)
{
    static_assert(spruce::ceildiv(0, 4) == 0);
    static_assert(spruce::ceildiv(1, 4) == 1);
    static_assert(spruce::ceildiv(4, 4) == 1);
    static_assert(spruce::ceildiv(5, 4) == 2);
}

TEST(Math, DividesByZeroOnlyWhereAsked)
{
    static_assert(spruce::safe_divide(6.0, 3.0) == 2.0);
    static_assert(spruce::safe_divide(6, 0) == 0);
    EXPECT_EQ(spruce::safe_divide(std::complex<float>(2, 4), std::complex<float>(2, 0)), std::complex<float>(1, 2));
    EXPECT_EQ(spruce::safe_divide(std::complex<float>(2, 4), {}), (std::complex<float>{}));
}

TEST(Math, FindsPowersAndBits)
{
    static_assert(spruce::get_superior_power(2, 0) == 1);
    static_assert(spruce::get_superior_power(2, 1) == 1);
    static_assert(spruce::get_superior_power(2, 33) == 64);
    static_assert(spruce::get_superior_power(2, 33, 16) == 64);
    static_assert(spruce::get_superior_power(2, 3, 16) == 16);
    static_assert(spruce::get_superior_power(3, 27) == 27);
    static_assert(spruce::get_superior_power(spruce::size_type{2}, spruce::size_type{1} << 63) == spruce::size_type{1}
                                                                                                      << 63);
    static_assert(spruce::get_significant_bit(0) == 0);
    static_assert(spruce::get_significant_bit(1) == 0);
    static_assert(spruce::get_significant_bit(32) == 5);
    static_assert(spruce::get_significant_bit(63u) == 5);
    static_assert(spruce::get_significant_bit(63u, 3) == 5);
    static_assert(spruce::get_significant_bit(~spruce::uint64{}) == 63);
}

TEST(Math, FindsSmallerAndLarger)
{
    EXPECT_EQ(spruce::min(2, 3), 2);
    EXPECT_EQ(spruce::max(2.0, 3.0), 3.0);
}

TEST(Math, ComputesRootsOfUnity)
{
    EXPECT_NEAR(std::abs(spruce::unit_root<double>(4) - complex(0, 1)), 0, 1e-15);
    EXPECT_NEAR(std::abs(spruce::unit_root<double>(8, 4) - complex(-1, 0)), 0, 1e-15);
    EXPECT_NEAR(std::abs(spruce::unit_root<complex>(3, 3) - complex(1, 0)), 0, 1e-15);
}

}  // namespace
