// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "test/utils/assertions.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>
#include <sstream>
#include <vector>

#include <spruce/matrix/dense.hpp>

namespace spruce::test {
namespace {

using entries = matrix_data<std::complex<double>, int64>;

template <typename ValueType>
bool add_dense_entries(const LinOp* x, entries& result)
{
    const auto dense = dynamic_cast<const matrix::Dense<ValueType>*>(x);
    if (!dense) {
        return false;
    }
    const auto exec = dense->get_executor();
    std::vector<ValueType> values(dense->get_num_stored_elements());
    if (!values.empty()) {
        exec->get_master()->copy_from(exec, values.size(), dense->get_const_values(), values.data());
    }
    for (size_type row = 0; row < result.size[0]; ++row) {
        for (size_type col = 0; col < result.size[1]; ++col) {
            result.nonzeros.emplace_back(row, col, std::complex<double>(values[row * dense->get_stride() + col]));
        }
    }
    return true;
}

template <typename ValueType, typename IndexType>
bool add_sparse_entries(const LinOp* x, entries& result)
{
    const auto writable = dynamic_cast<const WritableToMatrixData<ValueType, IndexType>*>(x);
    if (!writable) {
        return false;
    }
    matrix_data<ValueType, IndexType> data;
    writable->write(data);
    for (const auto& entry : data.nonzeros) {
        result.nonzeros.emplace_back(entry.row, entry.column, std::complex<double>(entry.value));
    }
    return true;
}

/// Returns the entries that the matrix stores, in their order; nothing if its type is unknown here.
std::optional<entries> entries_of(const LinOp* x)
{
    entries result{x->get_size()};
    // Dense comes first because its write() would use kernels that are themselves under test.
    const auto is_known =
        add_dense_entries<float>(x, result) || add_dense_entries<double>(x, result) ||
        add_dense_entries<std::complex<float>>(x, result) || add_dense_entries<std::complex<double>>(x, result) ||
        add_sparse_entries<float, int32>(x, result) || add_sparse_entries<double, int32>(x, result) ||
        add_sparse_entries<std::complex<float>, int32>(x, result) ||
        add_sparse_entries<std::complex<double>, int32>(x, result) || add_sparse_entries<float, int64>(x, result) ||
        add_sparse_entries<double, int64>(x, result) || add_sparse_entries<std::complex<float>, int64>(x, result) ||
        add_sparse_entries<std::complex<double>, int64>(x, result);
    return is_known ? std::optional<entries>{std::move(result)} : std::nullopt;
}

bool parts_near(double x, double expected, double bound)
{
    if (std::isnan(x) || std::isnan(expected)) {
        return std::isnan(x) && std::isnan(expected);
    }
    return x == expected || std::abs(x - expected) <= bound;
}

bool values_near(std::complex<double> x, std::complex<double> expected, double tolerance)
{
    const auto magnitude = std::abs(expected);
    const auto bound = std::isfinite(magnitude) ? tolerance * std::max(1.0, magnitude) : 0.0;
    // Operations on complex numbers may spread a NaN over both parts, so one part is enough.
    if (is_nan(x) && is_nan(expected)) {
        return true;
    }
    return parts_near(x.real(), expected.real(), bound) && parts_near(x.imag(), expected.imag(), bound);
}

std::string to_text(std::complex<double> value)
{
    std::ostringstream text;
    text.precision(17);
    if (value.imag() == 0.0) {
        text << value.real();
    } else {
        text << value;
    }
    return text.str();
}

constexpr int num_shown = 5;

/// Sorts the entries by row and column and adds up those at the same position.
void normalize(entries& data)
{
    if (!std::is_sorted(data.nonzeros.begin(), data.nonzeros.end())) {
        data.sort_row_major();
    }
    const auto same_place = [](const auto& a, const auto& b) { return a.row == b.row && a.column == b.column; };
    if (std::adjacent_find(data.nonzeros.begin(), data.nonzeros.end(), same_place) != data.nonzeros.end()) {
        data.sum_duplicates();
    }
}

/// Calls function(row, column, value in a, value in b) for each position that a or b stores. The
/// value of a matrix that does not store the position is zero.
template <typename Function>
void for_each_place(const entries& a, const entries& b, Function function)
{
    auto i = a.nonzeros.begin();
    auto j = b.nonzeros.begin();
    while (i != a.nonzeros.end() || j != b.nonzeros.end()) {
        if (j == b.nonzeros.end() || (i != a.nonzeros.end() && *i < *j)) {
            function(i->row, i->column, i->value, 0.0);
            ++i;
        } else if (i == a.nonzeros.end() || *j < *i) {
            function(j->row, j->column, 0.0, j->value);
            ++j;
        } else {
            function(i->row, i->column, i->value, j->value);
            ++i;
            ++j;
        }
    }
}

}  // namespace

::testing::AssertionResult matrices_near(const char* x_text, const char* expected_text, const char* tolerance_text,
                                         ptr_param<const LinOp> x, ptr_param<const LinOp> expected, double tolerance)
{
    if (x->get_size() != expected->get_size()) {
        return ::testing::AssertionFailure()
               << x_text << " is " << x->get_size()[0] << " x " << x->get_size()[1] << ", but " << expected_text
               << " is " << expected->get_size()[0] << " x " << expected->get_size()[1];
    }
    auto x_entries = entries_of(x.get());
    auto expected_entries = entries_of(expected.get());
    if (!x_entries || !expected_entries) {
        return ::testing::AssertionFailure() << (x_entries ? expected_text : x_text) << " has no entries to look at";
    }
    normalize(*x_entries);
    normalize(*expected_entries);
    std::ostringstream differences;
    int num_places = 0;
    int num_differences = 0;
    double largest = 0.0;
    for_each_place(*x_entries, *expected_entries,
                   [&](int64 row, int64 column, std::complex<double> found, std::complex<double> expected_value) {
                       ++num_places;
                       if (!values_near(found, expected_value, tolerance)) {
                           if (num_differences++ < num_shown) {
                               differences << "\n  (" << row << ", " << column << "): " << to_text(found)
                                           << ", expected " << to_text(expected_value);
                           }
                           largest = std::max(
                               largest, std::abs(found - expected_value) / std::max(1.0, std::abs(expected_value)));
                       }
                   });
    if (num_differences == 0) {
        return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure() << x_text << " differs from " << expected_text << " in " << num_differences
                                         << " of " << num_places << " entries, by up to " << largest << " where "
                                         << tolerance_text << " = " << tolerance << " is allowed:" << differences.str();
}

::testing::AssertionResult matrices_stored_alike(const char* x_text, const char* expected_text,
                                                 ptr_param<const LinOp> x, ptr_param<const LinOp> expected)
{
    if (x->get_size() != expected->get_size()) {
        return ::testing::AssertionFailure()
               << x_text << " is " << x->get_size()[0] << " x " << x->get_size()[1] << ", but " << expected_text
               << " is " << expected->get_size()[0] << " x " << expected->get_size()[1];
    }
    const auto found = entries_of(x.get());
    const auto expected_entries = entries_of(expected.get());
    if (!found || !expected_entries) {
        return ::testing::AssertionFailure() << (found ? expected_text : x_text) << " has no entries to look at";
    }
    if (found->nonzeros.size() != expected_entries->nonzeros.size()) {
        return ::testing::AssertionFailure() << x_text << " stores " << found->nonzeros.size() << " entries, but "
                                             << expected_text << " stores " << expected_entries->nonzeros.size();
    }
    for (size_type i = 0; i < found->nonzeros.size(); ++i) {
        const auto& a = found->nonzeros[i];
        const auto& b = expected_entries->nonzeros[i];
        if (a.row != b.row || a.column != b.column || !values_near(a.value, b.value, 0.0)) {
            return ::testing::AssertionFailure()
                   << "entry " << i << " of " << x_text << " is (" << a.row << ", " << a.column << ", "
                   << to_text(a.value) << "), but of " << expected_text << " it is (" << b.row << ", " << b.column
                   << ", " << to_text(b.value) << ")";
        }
    }
    return ::testing::AssertionSuccess();
}

}  // namespace spruce::test
