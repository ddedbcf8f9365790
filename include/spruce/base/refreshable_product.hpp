// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <spruce/base/composition.hpp>
#include <spruce/base/refreshable.hpp>

namespace spruce {
namespace detail {

/// Represents a product of operators and holds the data by which refresh() recomputes them. An
/// object that was created empty or moved from is of size 0 x 0, and applying it has no effect.
/// @tparam Data  may be an incomplete type
template <typename ValueType, typename Data>
class SPRUCE_EXPORT RefreshableProduct : public Composition<ValueType>, public Refreshable {
public:
    /// Copies share operators and data if they are on the same executor: refresh() of one changes
    /// all. Other copies have no data, so that they cannot be refreshed.
    RefreshableProduct(const RefreshableProduct& other) : RefreshableProduct(other.get_executor(), other.name_)
    {
        *this = other;
    }
    RefreshableProduct(RefreshableProduct&& other) : RefreshableProduct(other.get_executor(), other.name_)
    {
        *this = std::move(other);
    }
    RefreshableProduct& operator=(const RefreshableProduct& other)
    {
        if (this != &other) {
            Composition<ValueType>::operator=(other);
            data_ = this->get_executor() == other.get_executor() ? other.data_ : nullptr;
            name_ = other.name_;
        }
        return *this;
    }
    RefreshableProduct& operator=(RefreshableProduct&& other)
    {
        if (this != &other) {
            Composition<ValueType>::operator=(std::move(other));
            data_ = this->get_executor() == other.get_executor() ? other.data_ : nullptr;
            name_ = other.name_;
            other.data_ = nullptr;
        }
        return *this;
    }
    ~RefreshableProduct() override = default;

protected:
    /// Creates an empty product.
    /// @param name  of the operator in messages: a literal
    RefreshableProduct(std::shared_ptr<const Executor> exec, const char* name)
        : Composition<ValueType>(std::move(exec)), name_{name}
    {}

    /// Takes operators and the data by which they were computed.
    void set_product(const char* name, std::shared_ptr<Data> data, std::vector<std::shared_ptr<const LinOp>> operators)
    {
        Composition<ValueType>::operator=(std::move(*Composition<ValueType>::create(std::move(operators))));
        data_ = std::move(data);
        name_ = name;
    }

    const char* get_name() const { return name_; }
    const std::shared_ptr<Data>& get_data() const { return data_; }

    /// Returns the data, with which refresh() recomputes the operators.
    /// @throws NotSupported  if a refresh is not possible, or the matrix is null
    Data& require_data(const LinOp* matrix) const
    {
        const auto method = name_ + std::string("::refresh");
        require_pointers(method.c_str(), matrix);
        if (!data_) {
            throw NotSupported(__FILE__, __LINE__, method,
                               "an operator that is empty or was copied from another executor");
        }
        return *data_;
    }

    void apply_impl(const LinOp* b, LinOp* x) const override
    {
        if (!this->get_operators().empty()) {
            Composition<ValueType>::apply_impl(b, x);
        }
    }
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override
    {
        if (!this->get_operators().empty()) {
            Composition<ValueType>::apply_impl(alpha, b, beta, x);
        }
    }

private:
    std::shared_ptr<Data> data_;  ///< null if there are no operators, or if they came from another executor
    const char* name_;
};

}  // namespace detail
}  // namespace spruce
