// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/generators/generators.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <spruce/base/exception.hpp>

#include "benchmark/generators/delaunay.hpp"

namespace {

using spruce::int32;
using spruce::int64;
using spruce::bench::families;
using spruce::bench::generate;
using spruce::bench::generated_matrix;

/// At least one small matrix of each family.
const std::vector<std::string> samples{
    "poisson2d-5pt:9",
    "poisson2d-5pt:1",
    "poisson2d-5pt:9x4,aniso=1e-3",
    "poisson2d-9pt:7,jump=1e4",
    "poisson3d-7pt:5x4x3,convection=10",
    "poisson3d-27pt:4,shift=0.5",
    "poisson3d-27pt:4x2x1,neumann",
    "fem-block:4x3x5,3",
    "fem-block:4,2,spd,decades=6",
    "fem-block:16,1,tail,seed=7",
    "fem-delaunay:100,2",
    "rmat:8,8",
    "rmat:0,1",
    "rmat:8,8,undirected,diagonal,shuffle",
    "rmat:8,8,undirected,degree-falling",
    "rmat:8,8,a=0.45,b=0.22,c=0.22,degree-rising",
    "circuit:1000,2,500",
    "circuit:1,0,0",
    "circuit:2,1,2",
    "circuit:100,0,0,mean=8",
    "circuit:100,3,50,others=20",
    "one-dense-row:20",
    "one-dense-row:1",
    "one-dense-column:20",
    "one-dense-column:1",
    "arrow:20",
    "arrow:1",
    "bimodal:1200",
    "bimodal:5",
    "nearly-dense:700",
    "nearly-dense:1",
    "wide:30x700",
    "wide:1x1",
    "empty-rows:200",
    "empty-row-runs:2000",
    "empty:0",
    "empty:5x0",
    "empty:0x5",
    "empty:1000",
    "full-row:100",
    "full-row:100,7",
    "full-column:100",
    "full-column:100,7",
    "one-entry:33,row",
    "one-entry:33,column",
    "band:50,6",
    "band:1,0",
    "random-band:300,16",
    "random-band:300,5.5,width=20,unsymmetric",
    "tridiagonal:30",
    "tridiagonal:1",
    "tridiagonal:10,singular",
    "block-tridiagonal:50",
    "block-tridiagonal:50,7",
    "block-diagonal:300",
    "saddle-point:4",
    "skew:5",
    "hermitian:11",
    "helmholtz:5",
    "mesh2d:3",
    "mesh2d:500,order=x",
    "mesh2d:500,order=morton,spd",
    "mesh3d:4",
    "mesh3d:300,order=rcm",
    "road:300",
};

std::string family_of(const std::string& spec) { return spec.substr(0, spec.find(':')); }

int64 num_entries(const std::string& spec) { return generate(spec).row_ptrs.back(); }

/// Returns the row lengths in ascending order.
std::vector<int64> row_lengths(const generated_matrix& m)
{
    std::vector<int64> lengths;
    for (int64 row = 0; row < m.rows; ++row) {
        lengths.push_back(m.row_ptrs[row + 1] - m.row_ptrs[row]);
    }
    std::sort(lengths.begin(), lengths.end());
    return lengths;
}

int64 half_bandwidth(const generated_matrix& m)
{
    int64 result = 0;
    for (int64 row = 0; row < m.rows; ++row) {
        for (auto nz = m.row_ptrs[row]; nz < m.row_ptrs[row + 1]; ++nz) {
            result = std::max(result, std::abs(m.col_idxs[nz] - row));
        }
    }
    return result;
}

/// Finds the position of (row, col) among the nonzeros; -1 if it is not stored.
int64 find(const generated_matrix& m, int64 row, int64 col)
{
    const auto begin = m.col_idxs.begin() + m.row_ptrs[row];
    const auto end = m.col_idxs.begin() + m.row_ptrs[row + 1];
    const auto found = std::lower_bound(begin, end, static_cast<int32>(col));
    return found != end && *found == col ? found - m.col_idxs.begin() : -1;
}

/// Returns true if each entry (i, j) with value v has a partner (j, i) with sign * v, conjugated if
/// conjugate is true.
bool is_symmetric(const generated_matrix& m, double sign = 1, bool conjugate = false)
{
    for (int64 row = 0; row < m.rows; ++row) {
        for (auto nz = m.row_ptrs[row]; nz < m.row_ptrs[row + 1]; ++nz) {
            const auto other = find(m, m.col_idxs[nz], row);
            if (other < 0 || m.values[other] != sign * m.values[nz]) {
                return false;
            }
            if (!m.imag.empty() && m.imag[other] != (conjugate ? -m.imag[nz] : m.imag[nz])) {
                return false;
            }
        }
    }
    return true;
}

/// Computes for each row the diagonal entry minus the sum of the other magnitudes.
std::vector<double> dominance(const generated_matrix& m)
{
    std::vector<double> result(m.rows);
    for (int64 row = 0; row < m.rows; ++row) {
        for (auto nz = m.row_ptrs[row]; nz < m.row_ptrs[row + 1]; ++nz) {
            const auto magnitude = m.imag.empty() ? std::abs(m.values[nz]) : std::hypot(m.values[nz], m.imag[nz]);
            result[row] += m.col_idxs[nz] == row ? m.values[nz] : -magnitude;
        }
    }
    return result;
}

double min_of(const std::vector<double>& values) { return *std::min_element(values.begin(), values.end()); }
double max_of(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }

void expect_same(const generated_matrix& a, const generated_matrix& b)
{
    EXPECT_EQ(a.rows, b.rows);
    EXPECT_EQ(a.cols, b.cols);
    EXPECT_EQ(a.row_ptrs, b.row_ptrs);
    EXPECT_EQ(a.col_idxs, b.col_idxs);
    EXPECT_EQ(a.values, b.values);
    EXPECT_EQ(a.imag, b.imag);
}

std::string error_of(const std::string& spec)
{
    try {
        generate(spec);
    } catch (const spruce::InvalidStateError& error) {
        return error.what();
    }
    return "";
}

void expect_error(const std::string& spec, const std::string& part)
{
    EXPECT_NE(error_of(spec).find(part), std::string::npos) << spec << " said: " << error_of(spec);
}

TEST(Generators, HaveASampleOfEachFamily)
{
    for (const auto& family : families()) {
        EXPECT_TRUE(std::any_of(samples.begin(), samples.end(), [&](const std::string& spec) {
            return family_of(spec) == family.name;
        })) << family.name;
    }
}

TEST(Generators, AreValidCsrWithSortedDistinctColumns)
{
    for (const auto& spec : samples) {
        SCOPED_TRACE(spec);

        const auto m = generate(spec);

        ASSERT_EQ(static_cast<int64>(m.row_ptrs.size()), m.rows + 1);
        ASSERT_EQ(m.row_ptrs[0], 0);
        ASSERT_TRUE(std::is_sorted(m.row_ptrs.begin(), m.row_ptrs.end()));
        ASSERT_EQ(m.row_ptrs.back(), static_cast<int64>(m.col_idxs.size()));
        ASSERT_EQ(m.values.size(), m.col_idxs.size());
        ASSERT_TRUE(m.imag.empty() || m.imag.size() == m.values.size());
        for (int64 row = 0; row < m.rows; ++row) {
            for (auto nz = m.row_ptrs[row]; nz < m.row_ptrs[row + 1]; ++nz) {
                ASSERT_GE(m.col_idxs[nz], nz == m.row_ptrs[row] ? 0 : m.col_idxs[nz - 1] + 1);
                ASSERT_LT(m.col_idxs[nz], m.cols);
                ASSERT_TRUE(std::isfinite(m.values[nz]));
            }
        }
    }
}

TEST(Generators, AreDeterministic)
{
    for (const auto& spec : samples) {
        SCOPED_TRACE(spec);

        expect_same(generate(spec), generate(spec));
    }
}

TEST(Generators, GiveTheSameNumbersOnEveryMachine)
{
    // The constants are hashes of the columns, recorded on x86-64 with GCC 12. A change here
    // changes all recorded benchmarks.
    const auto checksum = [](const std::string& spec) {
        const auto m = generate(spec);
        spruce::uint64 sum = 0;
        for (const auto col : m.col_idxs) {
            sum = 31 * sum + static_cast<spruce::uint64>(col);
        }
        return sum;
    };

    EXPECT_EQ(checksum("rmat:8,8"), 14391268576998454438u);
    EXPECT_EQ(checksum("random-band:300,16"), 7556561992061241777u);
    EXPECT_EQ(checksum("wide:30x700"), 15087623936596477230u);
    EXPECT_EQ(checksum("mesh3d:300,order=rcm"), 9177814875281138158u);
}

TEST(Generators, SeedPicksAnotherSample)
{
    for (const std::string spec :
         {"fem-block:3,2", "fem-delaunay:100,2", "rmat:8,8", "circuit:100,1,50", "bimodal:1200", "nearly-dense:300",
          "wide:30x700", "empty-rows:200", "empty-row-runs:2000", "full-row:100,7", "random-band:300,16",
          "block-tridiagonal:50", "block-diagonal:300", "mesh2d:100", "mesh3d:100", "road:100"}) {
        const auto a = generate(spec);
        const auto b = generate(spec + ",seed=7");

        EXPECT_TRUE(a.col_idxs != b.col_idxs || a.values != b.values) << spec;
        expect_same(a, generate(spec + ",seed=42"));
    }
}

TEST(Generators, HaveTheEntriesOfTheirFormulas)
{
    EXPECT_EQ(num_entries("poisson2d-5pt:256"), 326656);
    EXPECT_EQ(num_entries("poisson2d-5pt:1000"), 4996000);
    EXPECT_EQ(num_entries("poisson2d-9pt:100"), 298 * 298);
    EXPECT_EQ(num_entries("poisson3d-7pt:32"), 223232);
    EXPECT_EQ(num_entries("poisson3d-7pt:64"), 1810432);
    EXPECT_EQ(num_entries("poisson3d-27pt:32"), 830584);
    EXPECT_EQ(num_entries("poisson3d-27pt:5x3x2"), 13 * 7 * 4);
    EXPECT_EQ(num_entries("fem-block:9x9x257,3"), 4325625);
    EXPECT_EQ(num_entries("one-dense-row:1000000"), 3999996);
    EXPECT_EQ(num_entries("one-dense-column:1000000"), 3999996);
    EXPECT_EQ(num_entries("arrow:1000000"), 2999998);
    EXPECT_EQ(num_entries("band:10000,32"), 65 * 10000 - 32 * 33);
    EXPECT_EQ(num_entries("tridiagonal:1000000"), 2999998);
    EXPECT_EQ(num_entries("block-tridiagonal:100000,8"), 64 * (3 * 12500 - 2));
    EXPECT_EQ(num_entries("saddle-point:16"), 46 * 46 * 46 + 2 * (7 * 4096 - 6 * 256));
    EXPECT_EQ(num_entries("skew:20"), 4 * 20 * 19);
    EXPECT_EQ(num_entries("hermitian:20"), 5 * 400 - 80);
    EXPECT_EQ(num_entries("helmholtz:10"), 6400);
    EXPECT_EQ(num_entries("full-row:1000"), 1000);
    EXPECT_EQ(num_entries("full-row:1000000,1000"), 1000);
    EXPECT_EQ(num_entries("full-column:1000000,1000"), 1000);
    EXPECT_EQ(num_entries("road:1000"), 2 * (999 + 400));
}

TEST(Generators, RandomFamiliesHaveAboutTheTabulatedEntries)
{
    // The tolerances are some standard deviations of a sample, or the spread that the table states.
    EXPECT_NEAR(num_entries("rmat:16,16"), 955184, 2e3);
    EXPECT_NEAR(num_entries("rmat:16,5,a=0.45,b=0.22,c=0.22"), 5 * 65536, 2e3);
    EXPECT_NEAR(num_entries("bimodal:3812"), 1.60e6, 9e4);
    EXPECT_NEAR(num_entries("empty-rows:100000"), 2.34e5, 3e3);
    EXPECT_NEAR(num_entries("empty-row-runs:100000"), 3e5, 3e3);
    EXPECT_NEAR(num_entries("random-band:100000,20.2,width=32"), 2.02e6, 1e4);
    EXPECT_NEAR(num_entries("random-band:100000,16"), 1.6e6, 1e4);
    EXPECT_NEAR(num_entries("circuit:116835,2,80000"), 0.58e6 + 4 * 80000, 2e4);
    EXPECT_NEAR(num_entries("circuit:116835,2,114190,others=47000"), 0.58e6 + 2 * (114190 + 47000), 2e4);
    EXPECT_NEAR(num_entries("wide:428x109689"), 1.1e6, 5e4);
}

TEST(Generators, RmatHasTheTabulatedRows)
{
    const auto lengths = row_lengths(generate("rmat:16,16"));

    EXPECT_NEAR(std::count(lengths.begin(), lengths.end(), 0), 25030, 300);
    EXPECT_EQ(lengths[lengths.size() / 2], 1);
    EXPECT_NEAR(lengths.back(), 6291, 300);
}

TEST(Generators, RmatOrdersItsVertices)
{
    const auto plain = row_lengths(generate("rmat:10,8"));
    const auto first_length = [](const std::string& order) { return generate("rmat:10,8," + order).row_ptrs[1]; };

    EXPECT_EQ(row_lengths(generate("rmat:10,8,shuffle")), plain);
    EXPECT_EQ(row_lengths(generate("rmat:10,8,degree-falling")), plain);
    EXPECT_EQ(first_length("degree-falling"), plain.back());
    EXPECT_EQ(first_length("degree-rising"), plain.front());
}

TEST(Generators, UndirectedRmatHasNoLoops)
{
    const auto m = generate("rmat:8,8,undirected");

    for (int64 row = 0; row < m.rows; ++row) {
        EXPECT_EQ(find(m, row, row), -1);
    }
}

TEST(Generators, SymmetricFamiliesAreSymmetric)
{
    for (const auto spec : {"poisson2d-5pt:9x4,aniso=1e-3",
                            "poisson2d-9pt:17,jump=1e4",
                            "poisson3d-27pt:4,neumann",
                            "fem-block:4x3x5,3",
                            "fem-block:16,1,tail,seed=7",
                            "fem-block:4,2,spd,decades=6",
                            "fem-delaunay:100,2",
                            "rmat:8,8,undirected,diagonal,shuffle",
                            "rmat:8,8,undirected,degree-falling",
                            "arrow:20",
                            "nearly-dense:700",
                            "band:50,6",
                            "random-band:300,16",
                            "block-tridiagonal:50,7",
                            "block-diagonal:300",
                            "saddle-point:4",
                            "helmholtz:5",
                            "mesh2d:500,order=x",
                            "mesh3d:300,order=rcm",
                            "road:300"}) {
        EXPECT_TRUE(is_symmetric(generate(spec))) << spec;
    }
    EXPECT_TRUE(is_symmetric(generate("skew:5"), -1));
    EXPECT_TRUE(is_symmetric(generate("hermitian:11"), 1, true));
    EXPECT_FALSE(is_symmetric(generate("poisson2d-5pt:4,convection=1")));
    EXPECT_FALSE(is_symmetric(generate("random-band:300,16,unsymmetric")));
}

TEST(Generators, SpdStencilsAreDiagonallyDominant)
{
    // The matrices are weakly dominant everywhere, strictly dominant at the border, and
    // irreducible, hence definite. Their entries are binary fractions, so sums are exact.
    for (const auto spec : {"poisson2d-5pt:9", "poisson2d-9pt:8", "poisson3d-7pt:5", "poisson3d-27pt:4x5x6",
                            "poisson2d-5pt:9,aniso=0.0009765625", "poisson3d-7pt:5,convection=0.5", "hermitian:3",
                            "tridiagonal:10", "band:20,3", "arrow:9"}) {
        const auto margin = dominance(generate(spec));

        EXPECT_GE(min_of(margin), 0) << spec;
        EXPECT_GT(max_of(margin), 0) << spec;
    }
    EXPECT_GT(min_of(dominance(generate("poisson2d-9pt:16,jump=1e4"))), -1e-8);
    for (const auto spec :
         {"fem-block:4,3,spd,decades=6", "fem-delaunay:50,5,spd", "nearly-dense:300", "random-band:300,16",
          "block-tridiagonal:50", "block-diagonal:100", "rmat:8,8,diagonal", "mesh2d:100,spd", "mesh3d:100,spd"}) {
        EXPECT_GT(min_of(dominance(generate(spec))), 0) << spec;
    }
}

TEST(Generators, StencilsHaveTheirValues)
{
    const auto row = [](const std::string& spec, int64 row) {
        const auto m = generate(spec);
        std::vector<std::pair<int32, double>> result;
        for (auto nz = m.row_ptrs[row]; nz < m.row_ptrs[row + 1]; ++nz) {
            result.emplace_back(m.col_idxs[nz], m.values[nz]);
        }
        return result;
    };
    using entries = std::vector<std::pair<int32, double>>;

    EXPECT_EQ(row("poisson2d-5pt:3", 4), (entries{{1, -1}, {3, -1}, {4, 4}, {5, -1}, {7, -1}}));
    EXPECT_EQ(row("poisson2d-5pt:3", 0), (entries{{0, 4}, {1, -1}, {3, -1}}));
    EXPECT_EQ(row("poisson2d-5pt:3,neumann", 0), (entries{{0, 2}, {1, -1}, {3, -1}}));
    EXPECT_EQ(row("poisson2d-5pt:3,shift=0.5", 0), (entries{{0, 3.5}, {1, -1}, {3, -1}}));
    EXPECT_EQ(row("poisson2d-5pt:3,aniso=0.25", 4), (entries{{1, -1}, {3, -0.25}, {4, 2.5}, {5, -0.25}, {7, -1}}));
    EXPECT_EQ(row("poisson2d-5pt:3,convection=10", 4), (entries{{1, -11}, {3, -11}, {4, 24}, {5, -1}, {7, -1}}));
    // Blocks of one point. The harmonic mean of 1 and 3 is 1.5.
    EXPECT_EQ(row("poisson2d-5pt:8,jump=3", 0), (entries{{0, 5}, {1, -1.5}, {8, -1.5}}));
    EXPECT_EQ(row("poisson3d-7pt:2", 0), (entries{{0, 6}, {1, -1}, {2, -1}, {4, -1}}));
    EXPECT_EQ(row("poisson3d-27pt:1x1x2", 1), (entries{{0, -1}, {1, 26}}));
}

TEST(Generators, NeumannRowsAddUpToZero)
{
    for (const auto spec :
         {"poisson2d-5pt:6,neumann", "poisson3d-27pt:4,neumann", "poisson3d-7pt:4,neumann,convection=1"}) {
        const auto m = generate(spec);
        for (int64 row = 0; row < m.rows; ++row) {
            double sum = 0;
            for (auto nz = m.row_ptrs[row]; nz < m.row_ptrs[row + 1]; ++nz) {
                sum += m.values[nz];
            }
            EXPECT_EQ(sum, 0) << spec;
        }
    }
}

TEST(Generators, SingularTridiagonalHasATinyEigenvalue)
{
    const auto m = generate("tridiagonal:10,singular");

    // The last pivot of the factorization is that eigenvalue, 4e-14, times the squared length of
    // (1, ..., 10) / 10.
    double pivot = m.values[0];
    for (int64 row = 1; row < 10; ++row) {
        pivot = m.values[find(m, row, row)] - 1 / pivot;
    }
    EXPECT_NEAR(pivot, 4e-14 * 3.85, 2e-15);
}

TEST(Generators, FemTailHasLongRows)
{
    const auto lengths = row_lengths(generate("fem-block:24,1,tail"));

    EXPECT_GE(lengths.back(), 27 + 53);  // some of the 80 may already be neighbours
    EXPECT_LE(lengths.back(), 27 + 2 * 280);
    EXPECT_EQ(lengths[lengths.size() / 2], 27);
}

TEST(Generators, CircuitHasZerosDiagonalAndDenseRows)
{
    const auto m = generate("circuit:10000,2,6000");
    const auto lengths = row_lengths(m);

    EXPECT_NEAR(std::count(m.values.begin(), m.values.end(), 0), 0.2 * m.row_ptrs.back(), 1000);
    EXPECT_GE(lengths[m.rows - 2], 6000);
    EXPECT_LE(lengths[m.rows - 3], 11);
    for (int64 row = 0; row < m.rows; ++row) {
        ASSERT_GT(m.values[find(m, row, row)], 0);
        for (auto nz = m.row_ptrs[row]; nz < m.row_ptrs[row + 1]; ++nz) {
            ASSERT_GE(find(m, m.col_idxs[nz], row), 0);
            ASSERT_LE(std::abs(m.values[nz]), 1e6);
        }
    }
}

TEST(Generators, OneDenseColumnIsTheTransposeOfOneDenseRow)
{
    const auto row = generate("one-dense-row:50");
    const auto column = generate("one-dense-column:50");

    ASSERT_EQ(row.row_ptrs.back(), column.row_ptrs.back());
    for (int64 i = 0; i < row.rows; ++i) {
        for (auto nz = row.row_ptrs[i]; nz < row.row_ptrs[i + 1]; ++nz) {
            const auto other = find(column, row.col_idxs[nz], i);
            ASSERT_GE(other, 0);
            EXPECT_EQ(row.values[nz], column.values[other]);
        }
    }
}

TEST(Generators, ExtremeRowsHaveTheirLengths)
{
    const auto nearly_dense = generate("nearly-dense:30000");
    const auto dense_lengths = row_lengths(nearly_dense);
    EXPECT_GE(dense_lengths.front(), 50);
    EXPECT_LE(dense_lengths.back(), 27 * 21);
    EXPECT_NEAR(nearly_dense.row_ptrs.back() / 30000.0, 390, 30);

    const auto bimodal = row_lengths(generate("bimodal:3000"));
    EXPECT_EQ(bimodal.front(), 6);
    EXPECT_EQ(bimodal[1500], 6);
    EXPECT_GE(bimodal[1900], 983);
    EXPECT_LE(bimodal.back(), 1000);

    const auto runs = generate("empty-row-runs:2000");
    for (const int64 row : {0, 199, 224, 255, 1800, 1999}) {
        EXPECT_EQ(runs.row_ptrs[row], runs.row_ptrs[row + 1]) << row;
    }
    for (const int64 row : {200, 223, 256, 287}) {
        EXPECT_LT(runs.row_ptrs[row], runs.row_ptrs[row + 1]) << row;
    }
}

TEST(Generators, OneEntryIsInTheLastRowOrColumn)
{
    for (const int64 n : {1, 31, 32, 33, 63, 64, 65, 1023, 1025}) {
        const auto row = generate("one-entry:" + std::to_string(n) + ",row");
        const auto column = generate("one-entry:" + std::to_string(n) + ",column");

        EXPECT_EQ(row.row_ptrs.back(), 1);
        EXPECT_EQ(row.row_ptrs[n - 1], 0);
        EXPECT_EQ(column.row_ptrs.back(), 1);
        EXPECT_EQ(column.col_idxs[0], n - 1);
    }
}

/// Computes the determinant of an n x n matrix by elimination with pivoting.
template <typename Rows>
double determinant(Rows a, int n)
{
    double result = 1;
    for (int k = 0; k < n; ++k) {
        int pivot = k;
        for (int i = k + 1; i < n; ++i) {
            pivot = std::abs(a[i][k]) > std::abs(a[pivot][k]) ? i : pivot;
        }
        result *= pivot == k ? a[k][k] : -a[pivot][k];
        std::swap(a[k], a[pivot]);
        for (int i = k + 1; i < n && a[k][k] != 0; ++i) {
            for (int j = n - 1; j >= k; --j) {
                a[i][j] -= a[i][k] / a[k][k] * a[k][j];
            }
        }
    }
    return result;
}

/// Returns the edges of the Delaunay triangulation by its definition. D + 1 points are joined if
/// their circumsphere contains no other point, and all choices are tested.
template <int D>
std::set<std::pair<int, int>> delaunay_by_definition(const std::vector<spruce::bench::point<D>>& points)
{
    const auto n = static_cast<int>(points.size());
    std::set<std::pair<int, int>> result;
    std::vector<int> chosen(D + 1);
    const auto check = [&] {
        // Points lifted to a paraboloid are joined if they span a facet of the lower hull.
        const auto lifted = [&](int i, int origin) {
            std::array<double, D + 1> row{};
            for (int d = 0; d < D; ++d) {
                row[d] = static_cast<double>(points[i][d] - points[origin][d]);
                row[D] += row[d] * row[d];
            }
            return row;
        };
        std::array<std::array<double, D + 1>, D + 1> rows{};
        for (int i = 1; i <= D; ++i) {
            rows[i - 1] = lifted(chosen[i], chosen[0]);
        }
        const auto volume = determinant(rows, D);
        for (int other = 0; other < n; ++other) {
            rows[D] = lifted(other, chosen[0]);
            if (std::find(chosen.begin(), chosen.end(), other) == chosen.end() &&
                determinant(rows, D + 1) * volume < 0) {
                return;
            }
        }
        for (int i = 0; i <= D; ++i) {
            for (int j = i + 1; j <= D; ++j) {
                result.emplace(chosen[i], chosen[j]);
            }
        }
    };
    const auto choose = [&](auto& self, int position, int first) -> void {
        if (position > D) {
            check();
            return;
        }
        for (int i = first; i < n; ++i) {
            chosen[position] = i;
            self(self, position + 1, i + 1);
        }
    };
    choose(choose, 0, 0);
    return result;
}

template <int D>
std::set<std::pair<int, int>> delaunay(std::vector<spruce::bench::point<D>> points)
{
    std::set<std::pair<int, int>> result;
    for (const auto& e : spruce::bench::delaunay_edges<D>(points)) {
        result.emplace(std::min(e.row, e.col), std::max(e.row, e.col));
    }
    return result;
}

TEST(Generators, DelaunayEdgesAreThoseOfTheDefinition)
{
    for (const spruce::uint64 seed : {1, 2, 3}) {
        const auto plane = spruce::bench::random_points<2>(40, seed);
        const auto space = spruce::bench::random_points<3>(20, seed);

        EXPECT_EQ(delaunay<2>(plane), delaunay_by_definition<2>(plane)) << "seed " << seed;
        EXPECT_EQ(delaunay<3>(space), delaunay_by_definition<3>(space)) << "seed " << seed;
    }
}

TEST(Generators, DelaunayCopesWithPointsInSpecialPosition)
{
    std::vector<spruce::bench::point<2>> plane;
    std::vector<spruce::bench::point<3>> space;
    for (int64 i = 0; i < 300; ++i) {  // lattices, each point at least twice
        plane.push_back({64 * (i % 12), 64 * (i / 12 % 12)});
        space.push_back({64 * (i % 5), 64 * (i / 5 % 5), 64 * (i / 25 % 5)});
    }

    const auto num_edges = static_cast<int64>(delaunay<2>(plane).size());

    EXPECT_GT(num_edges, 3 * 300 - 3 - 100);
    EXPECT_LE(num_edges, 3 * 300 - 3 - 3);
    EXPECT_GT(delaunay<3>(space).size(), 3u * 300);
}

TEST(Generators, MeshesAreDelaunayGraphs)
{
    // A planar triangulation with h points on the hull has 3 n - 3 - h edges. The 3D figure is the
    // sample of the table.
    const auto edges = (num_entries("mesh2d:65536") - 65536) / 2;
    EXPECT_GE(edges, 3 * 65536 - 3 - 60);
    EXPECT_LE(edges, 3 * 65536 - 3 - 3);
    EXPECT_NEAR(num_entries("mesh3d:20000"), 327114, 1500);
    EXPECT_EQ(num_entries("mesh2d:3"), 9);
    EXPECT_EQ(num_entries("mesh3d:4"), 16);
}

TEST(Generators, MeshOrdersKeepTheRowsAndNarrowTheBand)
{
    for (const std::string mesh : {"mesh2d:4000", "mesh3d:4000"}) {
        const auto plain = generate(mesh);
        for (const std::string order : {"random", "x", "morton", "rcm"}) {
            EXPECT_EQ(row_lengths(generate(mesh + ",order=" + order)), row_lengths(plain)) << mesh << order;
        }
        EXPECT_GT(half_bandwidth(plain), 3800);
        EXPECT_LT(half_bandwidth(generate(mesh + ",order=rcm")), mesh == "mesh2d:4000" ? 500 : 2000);
    }
}

TEST(Generators, RoadIsConnected)
{
    const auto m = generate("road:2000");

    std::vector<bool> reached(m.rows);
    std::vector<int64> stack{0};
    reached[0] = true;
    int64 num_reached = 0;
    while (!stack.empty()) {
        const auto row = stack.back();
        stack.pop_back();
        ++num_reached;
        for (auto nz = m.row_ptrs[row]; nz < m.row_ptrs[row + 1]; ++nz) {
            if (!reached[m.col_idxs[nz]]) {
                reached[m.col_idxs[nz]] = true;
                stack.push_back(m.col_idxs[nz]);
            }
        }
    }

    EXPECT_EQ(num_reached, m.rows);
}

TEST(Generators, UnknownFamilyNamesTheNearestAndAll)
{
    expect_error("poison3d-7pt:4", "did you mean 'poisson3d-7pt'");
    expect_error("poison3d-7pt:4", "helmholtz");
    expect_error("rmatt", "did you mean 'rmat'");
    expect_error("", "unknown family ''");
}

TEST(Generators, MalformedParametersSayWhatIsExpected)
{
    expect_error("poisson3d-7pt", "the grid is missing; expected poisson3d-7pt:N or NxMxK");
    expect_error("poisson3d-7pt:", "is missing");
    expect_error("poisson3d-7pt:4x4", "one size or 3");
    expect_error("poisson3d-7pt:4x4x", "''");
    expect_error("poisson3d-7pt:0", "from 1");
    expect_error("poisson3d-7pt:-3", "from 1");
    expect_error("poisson2d-5pt:3.5", "an integer");
    expect_error("poisson2d-5pt:3,aniso=abc", "a number");
    expect_error("poisson2d-5pt:3,aniso=nan", "a number");
    expect_error("poisson2d-5pt:3,aniso=1x", "a number");
    expect_error("poisson2d-5pt:3,aniso=", "has no value");
    expect_error("poisson2d-5pt:3,aniso", "a number");
    expect_error("poisson2d-5pt:3,,neumann", "empty");
    expect_error("poisson2d-5pt:3,neumann=1", "takes no value");
    expect_error("poisson2d-5pt:3,jump=2,jump=3", "given twice");
    expect_error("poisson2d-5pt:3,4", "too many");
    expect_error("rmat:4", "EDGEFACTOR is missing");
    expect_error("rmat:4,2,a=0.9,b=0.1,c=0.1", "exceeds 1");
    expect_error("rmat:4,2,shuffle,degree-rising", "exclude each other");
    expect_error("rmat:4,2,seed=-1", "nonnegative");
    expect_error("mesh2d:100,order=up", "random x morton rcm");
    expect_error("mesh3d:3", "from 4");
    expect_error("one-entry:4", "row or column");
    expect_error("random-band:100,16,width=4", "exceeds the width");
    expect_error("band:10,10", "from 0 to 9");
}

TEST(Generators, EveryFamilyRejectsWhatItDoesNotKnow)
{
    for (const auto& spec : samples) {
        expect_error(spec + ",bogus", "'bogus' is not an option");
    }
}

TEST(Generators, TooLargeMatricesAreErrors)
{
    expect_error("poisson3d-27pt:99999999999999999999", "an integer");
    expect_error("poisson3d-27pt:2147483647", "exceeds the limit");
    expect_error("poisson3d-27pt:1000", "entries exceeds the limit");
    expect_error("poisson2d-5pt:50000", "rows and columns");
    expect_error("fem-block:2147483647,1024", "exceeds the limit");
    expect_error("rmat:30,2147483647", "exceeds the limit");
    expect_error("rmat:31,1", "from 0 to 30");
    expect_error("band:2147483647,2147483646", "exceeds the limit");
    expect_error("random-band:2147483647,2147483647", "exceeds the limit");
    expect_error("block-tridiagonal:2147483647,2147483647", "exceeds the limit");
    expect_error("circuit:2147483647,2147483647,2147483647", "exceeds the limit");
    expect_error("wide:2147483647x2147483647", "exceeds the limit");
    expect_error("saddle-point:1200", "exceeds the limit");
    expect_error("bimodal:2147483647", "exceeds the limit");
    expect_error("one-dense-row:2147483648", "an integer");
}

}  // namespace
