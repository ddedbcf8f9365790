// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/kept_vectors.hpp>

#include <spruce/base/exception.hpp>
#include <spruce/matrix/dense.hpp>

namespace spruce::detail {

kept_vectors::~kept_vectors() = default;

#ifdef NDEBUG
constexpr auto checks_exclusive_use = false;
#else
constexpr auto checks_exclusive_use = true;
#endif

kept_vectors::exclusive_use::exclusive_use(kept_vectors& vectors, const char* function) : vectors_{vectors}
{
    if (checks_exclusive_use && vectors.is_in_use_.exchange(true, std::memory_order_acquire)) {
        throw InvalidStateError(
            __FILE__, __LINE__, function,
            "another thread is in apply() of this object; one thread at a time can apply it (a clone for each "
            "thread has vectors of its own)");
    }
}

kept_vectors::exclusive_use::~exclusive_use()
{
    if (checks_exclusive_use) {
        vectors_.is_in_use_.store(false, std::memory_order_release);
    }
}

bool kept_vectors::exclusive_use::is_checked() noexcept { return checks_exclusive_use; }

template <typename ValueType>
matrix::Dense<ValueType>* kept_vectors::find(size_type id, const std::shared_ptr<const Executor>& exec,
                                             const dim<2>& size)
{
    const auto kept = dynamic_cast<matrix::Dense<ValueType>*>(this->slot(id).get());
    return kept && kept->get_size() == size && kept->get_executor() == exec ? kept : nullptr;
}

template <typename ValueType>
matrix::Dense<ValueType>* kept_vectors::get(size_type id, std::shared_ptr<const Executor> exec, const dim<2>& size)
{
    if (const auto kept = this->find<ValueType>(id, exec, size)) {
        return kept;
    }
    auto& slot = this->slot(id);
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
    if (const auto kept = this->find<ValueType>(id, exec, dim<2>{1, 1})) {
        return kept;
    }
    auto made = matrix::Dense<ValueType>::create(std::move(exec), dim<2>{1, 1});
    made->fill(value);
    const auto result = made.get();
    this->slot(id) = std::move(made);  // after fill(): a failure must not leave another value
    return result;
}

#define SPRUCE_GET(_value) \
    matrix::Dense<_value>* kept_vectors::get(size_type, std::shared_ptr<const Executor>, const dim<2>&)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_GET);
#define SPRUCE_GET_CONSTANT(_value) \
    const matrix::Dense<_value>* kept_vectors::get_constant(size_type, std::shared_ptr<const Executor>, _value)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_GET_CONSTANT);

}  // namespace spruce::detail
