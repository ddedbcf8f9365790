// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "common/numeric/merge_rows.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::size_type;

template <typename Types>
class MergeRows : public kernel_test<Types> {
protected:
    using I = typename Types::index_type;
    using entry = std::tuple<I, int, I, I>;  // column, row, position, next column of the row

    /// Compares with sorting for the rows 1, ..., num_rows of a random matrix.
    template <int num_rows>
    void expect_in_order(const host_matrix& data) const
    {
        const auto csr = make_csr<typename Types::value_type, I>(this->ref, data);
        const auto row_ptrs = csr->get_const_row_ptrs() + 1;
        const auto offset = row_ptrs[0];
        // The arrays contain only the entries that may be read.
        const std::vector<I> cols(csr->get_const_col_idxs() + offset, csr->get_const_col_idxs() + row_ptrs[num_rows]);
        std::vector<entry> expected;
        for (int row = 0; row < num_rows; ++row) {
            for (auto nz = row_ptrs[row] - offset; nz < row_ptrs[row + 1] - offset; ++nz) {
                const auto has_next = nz + 1 < row_ptrs[row + 1] - offset;
                expected.emplace_back(cols[nz], row, nz, has_next ? cols[nz + 1] : spruce::kernels::no_col<I>);
            }
        }
        std::sort(expected.begin(), expected.end());
        std::vector<entry> visited;

        spruce::kernels::merge_rows<num_rows, I>(row_ptrs, offset, cols.data(), [&](int row, I nz, I col, I next_col) {
            visited.emplace_back(col, row, nz, next_col);
        });

        EXPECT_EQ(visited, expected);
    }
};
TYPED_TEST_SUITE(MergeRows, value_and_index_types, type_names);

TYPED_TEST(MergeRows, GoesThroughEntriesByColumnAndRow)
{
    for (const auto& lengths :
         {std::vector<size_type>{3, 5, 0, 20, 7}, {0, 0, 0, 0, 0}, {1, 0, 0, 1, 2}, {0, 30, 30, 30, 30}}) {
        auto data = random_sparse(this->engine, lengths, 30);
        data.nonzeros.insert(data.nonzeros.end(), data.nonzeros.begin(), data.nonzeros.end());  // duplicate columns
        std::stable_sort(data.nonzeros.begin(), data.nonzeros.end(), [](const auto& a, const auto& b) {
            return std::tie(a.row, a.column) < std::tie(b.row, b.column);
        });
        this->template expect_in_order<1>(data);
        this->template expect_in_order<2>(data);
        this->template expect_in_order<3>(data);
        this->template expect_in_order<4>(data);
    }
}

}  // namespace
