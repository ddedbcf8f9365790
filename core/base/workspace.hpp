// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>

#include <spruce/base/array.hpp>
#include <spruce/base/workspace.hpp>
#include <spruce/matrix/dense.hpp>

namespace spruce::detail {

/// Identifies one object of a workspace. The index distinguishes the objects of a family, such as
/// the vectors of a basis.
struct workspace_key {
    // NOLINTNEXTLINE(google-explicit-constructor): names stand for keys
    workspace_key(const char* name, size_type index = 0) : name{name}, index{index} {}

    std::string_view name;
    size_type index;
};

/// Finds objects by name. A function that needs an object of another type, size or executor
/// replaces the stored object.
class Workspace::Impl {
public:
    /// Returns the stored object if it is a T and fits(object) is true. Otherwise stores and
    /// returns the result of make(), a pointer to T. An object is stored only after its
    /// construction: an exception leaves the name without an object.
    template <typename T, typename Fits, typename Make>
    T* get(const workspace_key& key, Fits fits, Make make)
    {
        auto& entry = this->find(key);
        if (entry.object && *entry.type == typeid(T) && fits(*static_cast<T*>(entry.object.get()))) {
            return static_cast<T*>(entry.object.get());
        }
        entry.object = nullptr;  // frees the old object first, because memory may not suffice for both
        const auto created = std::shared_ptr<T>(make());
        entry = {created, &typeid(T)};
        return created.get();
    }

    /// Returns a vector of the dynamic type, size and stride of prototype. Its values are not set.
    template <typename ValueType>
    matrix::Dense<ValueType>* vector(const workspace_key& key, const matrix::Dense<ValueType>* prototype)
    {
        using Vector = matrix::Dense<ValueType>;
        return this->get<Vector>(
            key,
            [&](const Vector& vector) {
                return typeid(vector) == typeid(*prototype) && vector.get_size() == prototype->get_size() &&
                       vector.get_executor() == prototype->get_executor();
            },
            [&] { return Vector::create_with_config_of(prototype); });
    }

    /// Returns a matrix of this size. Its values are not set.
    template <typename ValueType>
    matrix::Dense<ValueType>* dense(const workspace_key& key, const std::shared_ptr<const Executor>& exec,
                                    const dim<2>& size)
    {
        using Matrix = matrix::Dense<ValueType>;
        return this->get<Matrix>(
            key, [&](const Matrix& stored) { return stored.get_size() == size && stored.get_executor() == exec; },
            [&] { return Matrix::create(exec, size); });
    }

    /// Returns a matrix with at least this many rows. If it has to grow, the existing rows keep
    /// their values.
    template <typename ValueType>
    matrix::Dense<ValueType>* rows(const workspace_key& key, const std::shared_ptr<const Executor>& exec,
                                   const dim<2>& size)
    {
        using Matrix = matrix::Dense<ValueType>;
        auto& entry = this->find(key);
        const auto stored =
            entry.object && *entry.type == typeid(Matrix) ? static_cast<Matrix*>(entry.object.get()) : nullptr;
        const auto can_grow = stored && stored->get_size()[1] == size[1] && stored->get_executor() == exec;
        if (can_grow && stored->get_size()[0] >= size[0]) {
            return stored;
        }
        const auto created = std::shared_ptr<Matrix>(Matrix::create(exec, size));
        if (can_grow) {
            created->create_submatrix(span{0, stored->get_size()[0]}, span{0, size[1]})->copy_from(stored);
        }
        entry = {created, &typeid(Matrix)};
        return created.get();
    }

    /// Returns a scalar that has this value.
    template <typename ValueType>
    const matrix::Dense<ValueType>* constant(const workspace_key& key, const std::shared_ptr<const Executor>& exec,
                                             ValueType value)
    {
        using Scalar = matrix::Dense<ValueType>;
        return this->get<Scalar>(
            key, [&](const Scalar& stored) { return stored.get_executor() == exec; },
            [&] {
                auto created = Scalar::create(exec, dim<2>{1, 1});
                created->fill(value);
                return created;
            });
    }

    /// Returns an array of this size. Its values are not set.
    template <typename T>
    array<T>& array_of(const workspace_key& key, const std::shared_ptr<const Executor>& exec, size_type size)
    {
        const auto result = this->get<array<T>>(
            key, [&](const array<T>& stored) { return stored.get_executor() == exec; },
            [&] { return std::make_shared<array<T>>(exec); });
        result->resize_and_reset(size);
        return *result;
    }

    /// Returns an array whose size is set by its users.
    template <typename T>
    array<T>& buffer(const workspace_key& key, const std::shared_ptr<const Executor>& exec)
    {
        return *this->get<array<T>>(
            key, [&](const array<T>& stored) { return stored.get_executor() == exec; },
            [&] { return std::make_shared<array<T>>(exec); });
    }

    /// Returns a T that can be shared. The first call creates it.
    template <typename T>
    std::shared_ptr<T> shared(const workspace_key& key)
    {
        this->get<T>(
            key, [](const T&) { return true; }, [] { return std::make_shared<T>(); });
        return std::static_pointer_cast<T>(this->find(key).object);
    }

private:
    struct entry {
        std::shared_ptr<void> object;
        const std::type_info* type{};
    };

    entry& find(const workspace_key& key)
    {
        const auto found = entries_.find(key);
        if (found != entries_.end()) {
            return found->second;
        }
        return entries_[{std::string(key.name), key.index}];
    }

    struct less {
        using is_transparent = void;
        template <typename A, typename B>
        bool operator()(const A& a, const B& b) const
        {
            return name_of(a) != name_of(b) ? name_of(a) < name_of(b) : index_of(a) < index_of(b);
        }
        static std::string_view name_of(const std::pair<std::string, size_type>& key) { return key.first; }
        static std::string_view name_of(const workspace_key& key) { return key.name; }
        static size_type index_of(const std::pair<std::string, size_type>& key) { return key.second; }
        static size_type index_of(const workspace_key& key) { return key.index; }
    };

    std::map<std::pair<std::string, size_type>, entry, less> entries_;
};

}  // namespace spruce::detail
