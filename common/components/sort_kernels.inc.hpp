// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

namespace components {

/// Records of the radix sort: keys that are an index each, and their positions.
template <typename I>
struct keys_with_positions {
    using index_type = std::remove_const_t<I>;
    using key_type = index_type;
    using payload_type = index_type;
    using digit_type = radix_digit;

    static __device__ __forceinline__ uint32 value_of(key_type key, radix_digit digit)
    {
        return radix_sort::bits_of(key, digit);
    }
    __device__ __forceinline__ uint32 get_value(size_type i, radix_digit digit) const
    {
        return radix_sort::bits_of(keys[i], digit);
    }
    __device__ __forceinline__ key_type get_key(size_type i) const { return keys[i]; }
    __device__ __forceinline__ payload_type get_payload(size_type i) const
    {
        return positions ? positions[i] : static_cast<index_type>(i);
    }
    __device__ __forceinline__ void set_key(index_type i, key_type key) const { keys[i] = key; }
    __device__ __forceinline__ void set_payload(index_type i, payload_type position) const { positions[i] = position; }
    keys_with_positions<const index_type> as_source() const { return {keys, positions}; }

    I* keys;
    I* positions;  // or nullptr for 0, 1, ...
};

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
    radix_sort::sort(exec, digits, keys_with_positions<const I>{keys, positions}, size,
                     keys_with_positions<I>{new_keys, new_positions},
                     keys_with_positions<I>{other_keys.get_data(), other_positions.get_data()});
}

}  // namespace components

void register_sort()
{
    spruce::detail::for_each_type(spruce::detail::type_list<int32, int64>{}, [](auto tag) {
        using I = typename decltype(tag)::type;
        kernels::components::sort_keys<I>.template set<DeviceExecutor>(&components::sort_keys<I>);
    });
}
