// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/array.hpp>

#include <cstring>

#include <spruce/stop/stopping_status.hpp>

#include "core/components/array_kernels.hpp"

namespace spruce::detail {

template <typename ValueType>
void fill_array(const Executor& exec, ValueType* data, size_type size, ValueType value)
{
    if constexpr (sizeof(ValueType) == 1) {  // all types of one byte use the same kernel
        unsigned char byte{};
        std::memcpy(&byte, &value, 1);
        kernels::components::fill_array<unsigned char>(exec, reinterpret_cast<unsigned char*>(data), size, byte);
    } else {
        kernels::components::fill_array<ValueType>(exec, data, size, value);
    }
}

template <typename ValueType>
void reduce_add_array(const array<ValueType>& values, array<ValueType>& result)
{
    const auto exec = values.get_executor();
    if (!exec->memory_accessible(result.get_executor())) {
        array<ValueType> local{exec, result};
        reduce_add_array(values, local);
        result = local;
        return;
    }
    array<char> tmp{exec};
    kernels::components::reduce_add<ValueType>(*exec, values.get_const_data(), values.get_size(), result.get_data(),
                                               tmp);
}

template <typename From, typename To>
void convert_array(const Executor& exec, const From* from, To* to, size_type size)
{
    kernels::components::convert_array<From, To>(exec, from, to, size);
}

#define SPRUCE_FILL(_type) SPRUCE_EXPORT void fill_array(const Executor&, _type*, size_type, _type)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_FILL);
SPRUCE_INSTANTIATE_FOR_EACH_INDEX_TYPE(SPRUCE_FILL);
template SPRUCE_FILL(bool);
template SPRUCE_FILL(char);
template SPRUCE_FILL(unsigned char);
template SPRUCE_FILL(stopping_status);
template SPRUCE_FILL(size_type);

#define SPRUCE_REDUCE(_type) SPRUCE_EXPORT void reduce_add_array(const array<_type>&, array<_type>&)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_REDUCE);
SPRUCE_INSTANTIATE_FOR_EACH_INDEX_TYPE(SPRUCE_REDUCE);
template SPRUCE_REDUCE(size_type);

#define SPRUCE_CONVERT(_from, _to) \
    template SPRUCE_EXPORT void convert_array(const Executor&, const _from*, _to*, size_type)
SPRUCE_CONVERT(float, double);
SPRUCE_CONVERT(double, float);
SPRUCE_CONVERT(std::complex<float>, std::complex<double>);
SPRUCE_CONVERT(std::complex<double>, std::complex<float>);
SPRUCE_CONVERT(int32, int64);
SPRUCE_CONVERT(int64, int32);

}  // namespace spruce::detail
