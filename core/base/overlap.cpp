// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/base/overlap.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include <spruce/base/exception.hpp>
#include <spruce/base/name_demangling.hpp>

namespace spruce::detail {
namespace {

/// Returns the number of bytes from the first to the last one.
int64 length_of(const memory_extent& m) { return static_cast<int64>((m.num_rows - 1) * m.stride_bytes + m.row_bytes); }

/// Returns the extent with adjacent rows merged into one row.
memory_extent merge_contiguous_rows(memory_extent m)
{
    if (m.num_rows > 1 && m.row_bytes == m.stride_bytes) {
        m.row_bytes *= m.num_rows;
        m.num_rows = 1;
    }
    return m;
}

int64 floor_div(int64 a, int64 b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/// Returns true if a row of a and a row of b share a byte. Consecutive rows of both begin `stride`
/// bytes apart, and b begins `distance` bytes after a. With k = j - i, row j of b begins distance +
/// k stride bytes after row i of a. They share a byte if row j begins before the end of row i and
/// ends after its beginning.
bool share_rows(const memory_extent& a, const memory_extent& b, int64 distance, int64 stride)
{
    const auto smallest = floor_div(-static_cast<int64>(b.row_bytes) - distance, stride) + 1;
    const auto largest = floor_div(static_cast<int64>(a.row_bytes) - distance - 1, stride);
    return std::max(smallest, -static_cast<int64>(a.num_rows) + 1) <=
           std::min(largest, static_cast<int64>(b.num_rows) - 1);
}

}  // namespace

overlap find_overlap(const memory_extent& first, const memory_extent& second) noexcept
{
    if (first.num_rows == 0 || second.num_rows == 0 || first.row_bytes == 0 || second.row_bytes == 0) {
        return overlap::none;
    }
    const auto distance = static_cast<int64>(reinterpret_cast<std::uintptr_t>(second.begin) -
                                             reinterpret_cast<std::uintptr_t>(first.begin));
    if (distance >= length_of(first) || -distance >= length_of(second)) {
        return overlap::none;
    }
    const auto a = merge_contiguous_rows(first);
    const auto b = merge_contiguous_rows(second);
    const auto are_single = a.num_rows == 1 && b.num_rows == 1;
    const auto have_common_stride = a.num_rows == 1 || b.num_rows == 1 || a.stride_bytes == b.stride_bytes;
    if (distance == 0 && a.row_bytes == b.row_bytes && a.num_rows == b.num_rows && have_common_stride) {
        return overlap::same;
    }
    const auto stride = static_cast<int64>(a.num_rows == 1 ? b.stride_bytes : a.stride_bytes);
    const auto may_be_apart = !are_single && have_common_stride && stride > 0;
    return may_be_apart && !share_rows(a, b, distance, stride) ? overlap::none : overlap::partial;
}

void result_memory::throw_partial_overlap(const char* name) const
{
    auto function = std::string(function_);
    if (const auto op = op_) {
        const auto& object = *op;
        function = name_demangling::get_type_name(typeid(object)) + "::" + function;
    }
    throw NotSupported(__FILE__, __LINE__, function,
                       std::string("operands that share a part of their memory: ") + name + " and " + name_ +
                           " overlap, but may only lie in exactly the same memory or apart");
}

}  // namespace spruce::detail
