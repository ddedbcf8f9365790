// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

namespace device_matrix_data {

/// A digit of a key that is a row and a column: the lower bits are the column's.
struct place_digit {
    radix_digit col;
    radix_digit row;
    int num_bits;
};

/// Digits of the row's bits above the column's.
inline std::vector<place_digit> split_into_place_digits(dim<2> size)
{
    const auto num_col_bits = num_bits_below(size[1]);
    std::vector<place_digit> result;
    for (const auto [shift, num_bits] :
         split_into_digits(num_col_bits + num_bits_below(size[0]), radix_sort::max_digit_bits)) {
        const auto from_col = std::clamp(num_col_bits - shift, 0, num_bits);
        result.push_back(
            {{from_col > 0 ? shift : 0, from_col}, {std::max(shift - num_col_bits, 0), num_bits - from_col}, num_bits});
    }
    return result;
}

template <typename I>
struct place {
    I row;
    I col;
};

/// Records of the radix sort.
template <typename V, typename I>
struct triples {
    using index_type = std::remove_const_t<I>;
    using key_type = place<index_type>;
    using payload_type = std::remove_const_t<V>;
    using digit_type = place_digit;

    static __device__ __forceinline__ uint32 value_of(const key_type& key, const place_digit& digit)
    {
        return radix_sort::bits_of(key.col, digit.col) | radix_sort::bits_of(key.row, digit.row) << digit.col.num_bits;
    }
    __device__ __forceinline__ uint32 get_value(size_type i, const place_digit& digit) const
    {
        return value_of({digit.row.num_bits > 0 ? rows[i] : 0, digit.col.num_bits > 0 ? cols[i] : 0}, digit);
    }
    __device__ __forceinline__ key_type get_key(size_type i) const { return {rows[i], cols[i]}; }
    __device__ __forceinline__ payload_type get_payload(size_type i) const { return values[i]; }
    __device__ __forceinline__ void set_key(index_type i, const key_type& key) const
    {
        rows[i] = key.row;
        cols[i] = key.col;
    }
    __device__ __forceinline__ void set_payload(index_type i, const payload_type& value) const { values[i] = value; }
    triples<const payload_type, const index_type> as_source() const { return {rows, cols, values}; }

    I* rows;
    I* cols;
    V* values;
};

/// All that a triple has moves in each pass: gathering the values, or rows by columns sorted before, from places all over memory
/// takes longer than the passes that it would save.
template <typename V, typename I>
void sort_row_major(const DeviceExecutor& exec, dim<2> size, array<I>& row_idxs, array<I>& col_idxs, array<V>& values)
{
    const auto digits = split_into_place_digits(size);
    if (digits.empty()) {
        return;  // all are at the same place
    }
    const auto shared_exec = exec.shared_from_this();
    const auto num = values.get_size();
    const auto make_own = [](auto& data) {
        if (!data.is_owning()) {  // somebody else's memory stays as it is
            data = std::decay_t<decltype(data)>{data};
        }
    };
    make_own(row_idxs);
    make_own(col_idxs);
    make_own(values);
    array<I> new_rows{shared_exec, num};
    array<I> new_cols{shared_exec, num};
    array<V> new_values{shared_exec, num};
    // By turns here and there, so that no third copy is needed.
    const triples<device_type<V>, I> here{row_idxs.get_data(), col_idxs.get_data(), as_device(values.get_data())};
    const triples<device_type<V>, I> there{new_rows.get_data(), new_cols.get_data(), as_device(new_values.get_data())};
    const auto is_odd = digits.size() % 2 == 1;
    radix_sort::sort(exec, digits, here.as_source(), num, is_odd ? there : here, is_odd ? here : there);
    if (is_odd) {
        row_idxs = std::move(new_rows);
        col_idxs = std::move(new_cols);
        values = std::move(new_values);
    }
}

}  // namespace device_matrix_data
