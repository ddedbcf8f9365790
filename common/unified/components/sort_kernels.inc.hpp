// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

namespace components {

template <typename I>
void sort_keys(const DeviceExecutor& exec, const I* keys, const I* positions, size_type size, size_type bound,
               I* new_keys, I* new_positions)
{
    const auto digits = split_into_digits(num_bits_below(bound), radix_sort::max_digit_bits);
    if (digits.empty() || size == 0) {
        run_for_each(exec, size, [=] SPRUCE_LAMBDA(size_type i) {
            new_keys[i] = keys[i];
            new_positions[i] = positions ? positions[i] : static_cast<I>(i);
        });
        return;
    }
    const auto buffer_size = digits.size() > 1 ? size : 0;
    array<I> other_keys{exec.shared_from_this(), buffer_size};
    array<I> other_positions{exec.shared_from_this(), buffer_size};
    radix_sort::sort(exec, digits, records::keys_with_positions<const I>{keys, positions}, size,
                     records::keys_with_positions<I>{new_keys, new_positions},
                     records::keys_with_positions<I>{other_keys.get_data(), other_positions.get_data()});
}

}  // namespace components

void register_sort()
{
    spruce::detail::for_each_type(spruce::detail::type_list<int32, int64>{}, [](auto tag) {
        using I = typename decltype(tag)::type;
        kernels::components::sort_keys<I>.template set<DeviceExecutor>(&components::sort_keys<I>);
    });
}
