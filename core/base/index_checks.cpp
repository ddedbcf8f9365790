// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/base/index_checks.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/index_set_kernels.hpp"
#include "core/base/instantiate.hpp"

namespace spruce::detail {
namespace {

template <typename IndexType>
void throw_if_outside(const char* function, const std::vector<IndexType>& indices, size_type bound)
{
    const auto found = std::find_if(indices.begin(), indices.end(), [&](IndexType index) {
        return index < 0 || static_cast<size_type>(index) >= bound;
    });
    if (found != indices.end()) {
        throw OutOfBoundsError(__FILE__, __LINE__,
                               std::string(function) + ": index " + std::to_string(*found) + " at position " +
                                   std::to_string(found - indices.begin()) +
                                   ", but indices have to be at least 0 and below " + std::to_string(bound));
    }
}

template <typename IndexType>
[[noreturn]] void throw_repeated(const char* function, const std::vector<IndexType>& indices)
{
    std::vector<size_type> order(indices.size());
    std::iota(order.begin(), order.end(), size_type{});
    std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return indices[i] < indices[j]; });
    const auto are_equal = [&](auto i, auto j) { return indices[i] == indices[j]; };
    const auto first = std::adjacent_find(order.begin(), order.end(), are_equal);
    const auto text = "index " + std::to_string(indices[first[0]]) + " is at the positions " +
                      std::to_string(first[0]) + " and " + std::to_string(first[1]);
    const auto num_distinct = std::unique(order.begin(), order.end(), are_equal) - order.begin();
    throw ValueMismatch(__FILE__, __LINE__, std::string(function) + " (numbers of distinct and of all indices)",
                        static_cast<size_type>(num_distinct), indices.size(), text + "; each may occur once");
}

}  // namespace

template <typename IndexType>
void require_indices_below(const char* function, const array<IndexType>& indices, size_type bound)
{
    if (indices.get_size() == 0) {
        return;
    }
    constexpr auto max = static_cast<size_type>(std::numeric_limits<IndexType>::max());
    bool has_invalid{};
    bool is_sorted{};
    kernels::index_set::inspect<IndexType>(*indices.get_executor(), indices.get_const_data(), indices.get_size(),
                                           static_cast<IndexType>(std::min(bound, max)), has_invalid, is_sorted);
    if (has_invalid) {
        throw_if_outside(function, indices.copy_to_host(), bound);
    }
}

template <typename IndexType>
void require_distinct_indices(const char* function, const array<IndexType>& indices, size_type bound)
{
    require_indices_below(function, indices, bound);
    if (indices.get_size() < 2) {
        return;
    }
    const auto exec = indices.get_executor();
    array<IndexType> positions{exec, bound};
    bool has_repeated{};
    kernels::index_set::find_repeated<IndexType>(*exec, indices.get_const_data(), indices.get_size(),
                                                 positions.get_data(), has_repeated);
    if (has_repeated) {
        throw_repeated(function, indices.copy_to_host());
    }
}

void require_permutation_size(const char* function, size_type num_elements, size_type num_permuted)
{
    if (num_elements != num_permuted) {
        throw DimensionMismatch(__FILE__, __LINE__, function, "the permutation", num_elements, num_elements,
                                "what it permutes", num_permuted, num_permuted,
                                "it needs an element for each row or column that it permutes");
    }
}

#define SPRUCE_REQUIRE_INDICES_BELOW(_index) \
    void require_indices_below<_index>(const char*, const array<_index>&, size_type)
SPRUCE_INSTANTIATE_FOR_EACH_INDEX_TYPE(SPRUCE_REQUIRE_INDICES_BELOW);
#define SPRUCE_REQUIRE_DISTINCT_INDICES(_index) \
    void require_distinct_indices<_index>(const char*, const array<_index>&, size_type)
SPRUCE_INSTANTIATE_FOR_EACH_INDEX_TYPE(SPRUCE_REQUIRE_DISTINCT_INDICES);

}  // namespace spruce::detail
