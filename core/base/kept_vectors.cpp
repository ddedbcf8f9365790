// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/kept_vectors.hpp>

#include <spruce/matrix/dense.hpp>

namespace spruce::detail {

kept_vectors::~kept_vectors() = default;

template <typename ValueType>
matrix::Dense<ValueType>* kept_vectors::get(size_type id, std::shared_ptr<const Executor> exec, const dim<2>& size)
{
    auto& slot = this->slot(id);
    const auto kept = dynamic_cast<matrix::Dense<ValueType>*>(slot.get());
    if (kept && kept->get_size() == size && kept->get_executor() == exec) {
        return kept;
    }
    slot.reset();  // before the new ones are made: there may be no memory for both
    auto made = matrix::Dense<ValueType>::create(std::move(exec), size);
    const auto result = made.get();
    slot = std::move(made);
    return result;
}

template <typename ValueType>
const matrix::Dense<ValueType>* kept_vectors::get_constant(size_type id, std::shared_ptr<const Executor> exec,
                                                           ValueType value)
{
    const auto kept = this->slot(id).get();
    const auto result = this->get<ValueType>(id, std::move(exec), dim<2>{1, 1});
    if (result != kept) {
        result->fill(value);
    }
    return result;
}

#define SPRUCE_GET(_value) \
    matrix::Dense<_value>* kept_vectors::get(size_type, std::shared_ptr<const Executor>, const dim<2>&)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_GET);
#define SPRUCE_GET_CONSTANT(_value) \
    const matrix::Dense<_value>* kept_vectors::get_constant(size_type, std::shared_ptr<const Executor>, _value)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_GET_CONSTANT);

}  // namespace spruce::detail
