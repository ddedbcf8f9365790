// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "test/utils/matrices.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>

namespace spruce::test {
namespace {

std::complex<double> random_value(random_engine& engine)
{
    std::uniform_real_distribution<double> part{-0.7, 0.7};
    const auto real = part(engine);
    return {real, part(engine)};
}

template <typename ValueType>
ValueType convert(std::complex<double> value)
{
    if constexpr (is_complex<ValueType>()) {
        return static_cast<ValueType>(value);
    } else {
        return static_cast<ValueType>(value.real());
    }
}

constexpr double padding_mark = -77.0;

}  // namespace

host_matrix random_sparse(random_engine& engine, const std::vector<size_type>& lengths, size_type cols)
{
    host_matrix result{dim<2>{lengths.size(), cols}};
    std::vector<int64> all_cols(cols);
    std::iota(all_cols.begin(), all_cols.end(), int64{});
    for (size_type row = 0; row < lengths.size(); ++row) {
        std::vector<int64> chosen;
        std::sample(all_cols.begin(), all_cols.end(), std::back_inserter(chosen), lengths[row], engine);
        for (const auto col : chosen) {
            result.nonzeros.emplace_back(row, col, random_value(engine));
        }
    }
    return result;
}

host_matrix chains_of_rows(size_type num_chains, size_type length)
{
    const auto level_size = num_chains * length;
    const auto size = 2 * level_size;
    host_matrix data{dim<2>{size, size}};
    for (size_type row = 0; row < size; ++row) {
        data.nonzeros.emplace_back(row, row, 5.0);
        for (const auto other : {row % length > 0 ? row - 1 : size, row >= level_size ? row - level_size : size}) {
            if (other < size) {
                data.nonzeros.emplace_back(row, other, -1.0);
                data.nonzeros.emplace_back(other, row, -1.0);
            }
        }
    }
    data.sort_row_major();
    return data;
}

host_matrix random_sparse(random_engine& engine, size_type rows, size_type cols, nnz_per_row lengths)
{
    std::uniform_int_distribution<size_type> length{std::min(lengths.min, cols), std::min(lengths.max, cols)};
    std::vector<size_type> row_lengths(rows);
    std::generate(row_lengths.begin(), row_lengths.end(), [&] { return length(engine); });
    return random_sparse(engine, row_lengths, cols);
}

host_matrix random_full(random_engine& engine, size_type rows, size_type cols)
{
    return random_sparse(engine, rows, cols, nnz_per_row(cols, cols));
}

host_matrix with_unsorted_columns(random_engine& engine, host_matrix data)
{
    auto begin = data.nonzeros.begin();
    while (begin != data.nonzeros.end()) {
        const auto end =
            std::find_if(begin, data.nonzeros.end(), [&](const auto& entry) { return entry.row != begin->row; });
        std::shuffle(begin, end, engine);
        begin = end;
    }
    return data;
}

host_matrix random_positive_definite(random_engine& engine, size_type size, size_type max_nnz_per_row)
{
    const auto half = random_sparse(engine, size, size, nnz_per_row(0, max_nnz_per_row / 2));
    std::map<std::pair<int64, int64>, std::complex<double>> entries;
    std::vector<double> row_sums(size);
    for (const auto& entry : half.nonzeros) {
        if (entry.row != entry.column) {
            entries[{entry.row, entry.column}] += entry.value;
            entries[{entry.column, entry.row}] += std::conj(entry.value);
            row_sums[entry.row] += std::abs(entry.value);
            row_sums[entry.column] += std::abs(entry.value);
        }
    }
    for (size_type i = 0; i < size; ++i) {
        entries[{i, i}] = 1.0 + row_sums[i];
    }
    host_matrix result{dim<2>{size, size}};
    for (const auto& [place, value] : entries) {
        result.nonzeros.emplace_back(place.first, place.second, value);
    }
    return result;
}

host_matrix neumann_problem(size_type width, size_type height)
{
    host_matrix result{dim<2>{width * height, width * height}};
    const auto couple = [&](size_type i, size_type j) {
        result.nonzeros.emplace_back(i, i, 1.0);
        result.nonzeros.emplace_back(j, j, 1.0);
        result.nonzeros.emplace_back(i, j, -1.0);
        result.nonzeros.emplace_back(j, i, -1.0);
    };
    for (size_type i = 0; i < width * height; ++i) {
        if (i % width + 1 < width) {
            couple(i, i + 1);
        }
        if (i + width < width * height) {
            couple(i, i + width);
        }
    }
    result.sum_duplicates();
    return result;
}

host_matrix poisson_2d(size_type width)
{
    host_matrix result{dim<2>{width * width, width * width}};
    const auto num_points = static_cast<int64>(width);
    for (int64 row = 0; row < num_points * num_points; ++row) {
        const auto i = row / num_points;
        const auto j = row % num_points;
        const auto add = [&](bool exists, int64 col, double value) {
            if (exists) {
                result.nonzeros.emplace_back(row, col, value);
            }
        };
        add(i > 0, row - num_points, -1.0);
        add(j > 0, row - 1, -1.0);
        add(true, row, 4.0);
        add(j + 1 < num_points, row + 1, -1.0);
        add(i + 1 < num_points, row + num_points, -1.0);
    }
    return result;
}

std::vector<sparse_case> sparse_cases(random_engine& engine)
{
    const auto empty = [](size_type rows, size_type cols) { return host_matrix{dim<2>{rows, cols}}; };
    const auto random = [&](const std::vector<size_type>& lengths, size_type cols) {
        return random_sparse(engine, lengths, cols);
    };
    // Lengths near the widths of subwarps, warps and blocks. Empty rows lie in between and at both
    // ends.
    const std::vector<size_type> around_widths{0,   1,   0,   0,  2,   3,   4,   5,    7,   8,   9,   15,
                                               16,  17,  31,  32, 33,  63,  64,  65,   127, 128, 129, 0,
                                               255, 256, 257, 1,  511, 512, 513, 1025, 0,   1,   1,   0};
    std::vector<size_type> one_full_row(80, 2);
    one_full_row[35] = 3001;
    std::vector<size_type> full_first_row(90, 0);
    full_first_row.front() = 500;
    std::vector<size_type> full_last_row(90, 0);
    full_last_row.back() = 500;
    std::vector<size_type> power_law(200);
    for (size_type i = 0; i < power_law.size(); ++i) {
        power_law[(i * 83) % power_law.size()] = 600 / (i + 1);
    }
    const auto ragged_rows = [&](size_type rows) { return random_sparse(engine, rows, 50, nnz_per_row(0, 9)); };
    return {
        {"0 x 0", empty(0, 0), 0},
        {"0 x 5", empty(0, 5), 0},
        {"5 x 0", empty(5, 0), 0},
        {"5 x 7 without entries", empty(5, 7), 0},
        {"1 x 1", random({1}, 1), 1},
        {"1 x 9000", random({9000}, 9000), 9000},
        {"2000 x 1", random(std::vector<size_type>(2000, 1), 1), 1},
        {"rows around the widths of warps", random(around_widths, 1100), 1025},
        {"unsorted columns", with_unsorted_columns(engine, random(around_widths, 1100)), 1025},
        {"one full row", random(one_full_row, 3001), 3001},
        {"all in the first row", random(full_first_row, 500), 500},
        {"all in the last row", random(full_last_row, 500), 500},
        {"2-D Poisson", poisson_2d(21), 5},
        {"ragged", random_sparse(engine, 331, 247, nnz_per_row(0, 130)), 130},
        {"lengths by a power law", random(power_law, 600), 600},
        {"a slice less one row", ragged_rows(63), 9},
        {"a slice", ragged_rows(64), 9},
        {"a slice and one row", ragged_rows(65), 9},
    };
}

sparse_case many_tiles_case(random_engine& engine)
{
    std::vector<size_type> lengths(3000, 0);
    lengths[700] = 3;
    lengths[1500] = 70000;
    lengths[1501] = 1;
    lengths[2300] = 2500;
    return {"a row over many tiles", random_sparse(engine, lengths, 70000), 70000};
}

std::string matrix_file(const std::string& name)
{
    const std::filesystem::path sources{SPRUCE_SOURCE_DIR};
    const auto root = std::filesystem::exists(sources) ? sources : std::filesystem::current_path();
    const auto own = root / "test/matrices" / (name + ".mtx.gz");
    return std::filesystem::exists(own) ? own : root / "benchmark/matrices" / (name + ".mtx.gz");
}

template <typename ValueType>
std::unique_ptr<matrix::Dense<ValueType>> make_dense(std::shared_ptr<const Executor> exec, const host_matrix& data,
                                                     size_type stride)
{
    if (stride == 0) {
        stride = data.size[1];
    }
    std::vector<ValueType> values(data.size[0] * stride, convert<ValueType>(padding_mark));
    for (size_type row = 0; row < data.size[0]; ++row) {
        std::fill_n(values.begin() + row * stride, data.size[1], zero<ValueType>());
    }
    for (const auto& entry : data.nonzeros) {
        values[entry.row * stride + entry.column] = convert<ValueType>(entry.value);
    }
    return matrix::Dense<ValueType>::create(exec, data.size, array<ValueType>{exec, values.begin(), values.end()},
                                            stride);
}

template <typename ValueType>
std::unique_ptr<matrix::Dense<ValueType>> make_dense_of_nan(std::shared_ptr<const Executor> exec, dim<2> size,
                                                            size_type stride)
{
    host_matrix data{size};
    for (size_type row = 0; row < size[0]; ++row) {
        for (size_type col = 0; col < size[1]; ++col) {
            data.nonzeros.emplace_back(row, col, nan<std::complex<double>>());
        }
    }
    return make_dense<ValueType>(std::move(exec), data, stride);
}

template <typename ValueType>
bool padding_is_intact(const matrix::Dense<ValueType>& x)
{
    const auto exec = x.get_executor();
    std::vector<ValueType> values(x.get_num_stored_elements());
    if (!values.empty()) {
        exec->get_master()->copy_from(exec, values.size(), x.get_const_values(), values.data());
    }
    for (size_type i = 0; i < values.size(); ++i) {
        if (i % x.get_stride() >= x.get_size()[1] && values[i] != convert<ValueType>(padding_mark)) {
            return false;
        }
    }
    return true;
}

template <typename ValueType, typename IndexType>
std::unique_ptr<matrix::Csr<ValueType, IndexType>> make_csr(
    std::shared_ptr<const Executor> exec, const host_matrix& data,
    std::shared_ptr<typename matrix::Csr<ValueType, IndexType>::strategy_type> strategy)
{
    std::vector<IndexType> row_ptrs(data.size[0] + 1);
    std::vector<IndexType> col_idxs;
    std::vector<ValueType> values;
    for (const auto& entry : data.nonzeros) {
        ++row_ptrs[entry.row + 1];
        col_idxs.push_back(static_cast<IndexType>(entry.column));
        values.push_back(convert<ValueType>(entry.value));
    }
    std::partial_sum(row_ptrs.begin(), row_ptrs.end(), row_ptrs.begin());
    return matrix::Csr<ValueType, IndexType>::create(
        exec, data.size, array<ValueType>{exec, values.begin(), values.end()},
        array<IndexType>{exec, col_idxs.begin(), col_idxs.end()},
        array<IndexType>{exec, row_ptrs.begin(), row_ptrs.end()}, std::move(strategy));
}

template <typename ValueType, typename IndexType>
std::unique_ptr<matrix::Coo<ValueType, IndexType>> make_coo(std::shared_ptr<const Executor> exec,
                                                            const host_matrix& data)
{
    std::vector<IndexType> row_idxs;
    std::vector<IndexType> col_idxs;
    std::vector<ValueType> values;
    for (const auto& entry : data.nonzeros) {
        row_idxs.push_back(static_cast<IndexType>(entry.row));
        col_idxs.push_back(static_cast<IndexType>(entry.column));
        values.push_back(convert<ValueType>(entry.value));
    }
    return matrix::Coo<ValueType, IndexType>::create(exec, data.size,
                                                     array<ValueType>{exec, values.begin(), values.end()},
                                                     array<IndexType>{exec, col_idxs.begin(), col_idxs.end()},
                                                     array<IndexType>{exec, row_idxs.begin(), row_idxs.end()});
}

#define SPRUCE_TEST_DENSE(_value)                                                                                   \
    template std::unique_ptr<matrix::Dense<_value>> make_dense(std::shared_ptr<const Executor>, const host_matrix&, \
                                                               size_type);                                          \
    template std::unique_ptr<matrix::Dense<_value>> make_dense_of_nan(std::shared_ptr<const Executor>, dim<2>,      \
                                                                      size_type);                                   \
    template bool padding_is_intact(const matrix::Dense<_value>&)
#define SPRUCE_TEST_SPARSE(_value, _index)                                     \
    template std::unique_ptr<matrix::Csr<_value, _index>> make_csr(            \
        std::shared_ptr<const Executor>, const host_matrix&,                   \
        std::shared_ptr<typename matrix::Csr<_value, _index>::strategy_type>); \
    template std::unique_ptr<matrix::Coo<_value, _index>> make_coo(std::shared_ptr<const Executor>, const host_matrix&)

SPRUCE_TEST_DENSE(float);
SPRUCE_TEST_DENSE(double);
SPRUCE_TEST_DENSE(std::complex<float>);
SPRUCE_TEST_DENSE(std::complex<double>);
SPRUCE_TEST_SPARSE(float, int32);
SPRUCE_TEST_SPARSE(double, int32);
SPRUCE_TEST_SPARSE(std::complex<float>, int32);
SPRUCE_TEST_SPARSE(std::complex<double>, int32);
SPRUCE_TEST_SPARSE(float, int64);
SPRUCE_TEST_SPARSE(double, int64);
SPRUCE_TEST_SPARSE(std::complex<float>, int64);
SPRUCE_TEST_SPARSE(std::complex<double>, int64);

}  // namespace spruce::test
