// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/csr_lookup.hpp"

#include <limits>
#include <utility>

#include "core/matrix/csr_lookup_kernels.hpp"
#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::int32;
using spruce::size_type;
using spruce::matrix::csr::lookup_type;

template <typename Types>
class CsrLookup : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Csr;
    using lookup = spruce::matrix::csr::lookup<I>;

    lookup lookup_of(const std::unique_ptr<Csr>& a) const
    {
        return lookup{this->exec, a->get_const_row_ptrs(), a->get_const_col_idxs(), a->get_size()[0]};
    }

    std::vector<int32> types_of(const lookup& tables) const { return tables.get_types().copy_to_host(); }

    /// Searches for every column of some rows, and columns before the first and after the last one.
    void expect_finds_all(const host_matrix& data)
    {
        const auto a = make_csr<V, I>(this->exec, data);
        const auto num_rows = static_cast<I>(data.size[0]);
        const auto num_cols = static_cast<I>(data.size[1]);
        const I row_step = std::max<I>(1, num_rows / 40);
        std::vector<std::vector<I>> expected_rows(num_rows);
        std::vector<I> lengths(num_rows);
        for (auto& row : expected_rows) {
            row.assign(num_cols, -1);
        }
        for (const auto& entry : data.nonzeros) {
            expected_rows[entry.row][entry.column] = lengths[entry.row]++;
        }
        std::vector<I> rows;
        std::vector<I> cols;
        std::vector<I> expected;
        for (I row = 0; row < num_rows; row += row_step) {
            for (I col = 0; col < num_cols; ++col) {
                rows.push_back(row);
                cols.push_back(col);
                expected.push_back(expected_rows[row][col]);
            }
        }
        const array<I> device_rows{this->exec, rows.begin(), rows.end()};
        const array<I> device_cols{this->exec, cols.begin(), cols.end()};
        array<I> places{this->exec, rows.size()};

        const auto tables = lookup_of(a);
        spruce::kernels::csr::find_entries<I>(*this->exec, tables.get_view(), device_rows.get_const_data(),
                                              device_cols.get_const_data(), rows.size(), places.get_data());

        EXPECT_EQ(places.copy_to_host(), expected);
    }
};
TYPED_TEST_SUITE(CsrLookup, index_types, type_names);

TYPED_TEST(CsrLookup, ChoosesTheSmallestTable)
{
    const auto full = static_cast<int32>(lookup_type::full);
    EXPECT_EQ(this->types_of(this->lookup_of(this->random_csr(2, 5, nnz_per_row(5, 5)))),
              (std::vector<int32>{full, full}));

    host_matrix far_apart{spruce::dim<2>{3, 5000}};
    for (const auto col : {0, 2, 4}) {
        far_apart.nonzeros.emplace_back(0, col, 1.0);
    }
    for (const auto col : {0, 2500, 4999}) {
        far_apart.nonzeros.emplace_back(1, col, 1.0);
    }
    far_apart.nonzeros.emplace_back(2, 1, 1.0);
    far_apart.nonzeros.emplace_back(2, 0, 1.0);  // out of order
    const auto a = make_csr<typename TestFixture::V, typename TestFixture::I>(this->exec, far_apart);
    const auto types = this->types_of(this->lookup_of(a));

    EXPECT_EQ(types[0], static_cast<int32>(lookup_type::bitmap));
    EXPECT_EQ(types[1], static_cast<int32>(lookup_type::hash));
    EXPECT_EQ(types[2], static_cast<int32>(lookup_type::hash));
}

TYPED_TEST(CsrLookup, PlansLongRowsWithoutOverflow)
{
    using I = typename TestFixture::I;
    using view = spruce::matrix::csr::lookup_view<I>;
    const auto plan = [](I size, bool is_sorted, I range) {
        int32 type{};
        const auto table_size = view::plan(size, is_sorted, range, type);
        return std::make_pair(static_cast<lookup_type>(type), table_size);
    };
    constexpr auto largest = std::numeric_limits<I>::max();
    constexpr auto longest_hashed = largest / 4 + 1;  // half of the largest power of two

    EXPECT_EQ(plan(3, false, 0), std::make_pair(lookup_type::hash, I{8}));
    EXPECT_EQ(plan(longest_hashed, false, 0), std::make_pair(lookup_type::hash, 2 * longest_hashed));
    EXPECT_EQ(plan(longest_hashed + 1, false, 0), std::make_pair(lookup_type::hash, view::too_large));
    EXPECT_EQ(plan(largest, false, 0), std::make_pair(lookup_type::hash, view::too_large));
    EXPECT_EQ(plan(largest - 1, true, largest), std::make_pair(lookup_type::bitmap, largest / 16 + 1));
    EXPECT_EQ(plan(largest, true, largest), std::make_pair(lookup_type::full, I{}));
}

TYPED_TEST(CsrLookup, FindsAllEntriesAndNoOthers)
{
    for (const auto& one : sparse_cases(this->engine)) {
        SCOPED_TRACE(one.name);
        this->expect_finds_all(one.data);
    }
}

}  // namespace
