// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/base/executor.hpp>
#include <spruce/log/logger.hpp>

namespace spruce {

/// Represents an object on an executor. It can be copied, moved and cleared through this base
/// class.
class SPRUCE_EXPORT PolymorphicObject : public log::EnableLogging<PolymorphicObject> {
public:
    ~PolymorphicObject() override;
    PolymorphicObject& operator=(const PolymorphicObject&) { return *this; }

    /// Creates an empty object of the same dynamic type on exec, or on the executor of this object.
    std::unique_ptr<PolymorphicObject> create_default(std::shared_ptr<const Executor> exec) const;
    std::unique_ptr<PolymorphicObject> create_default() const { return this->create_default(exec_); }

    /// Copies the object, with its dynamic type, to exec or to the executor of this object.
    std::unique_ptr<PolymorphicObject> clone(std::shared_ptr<const Executor> exec) const;
    std::unique_ptr<PolymorphicObject> clone() const { return this->clone(exec_); }

    /// Copies other to this object, and converts it if needed. The executor of this object does not
    /// change.
    /// @throws NotSupported  if other cannot be converted to this type
    PolymorphicObject* copy_from(const PolymorphicObject* other);
    template <typename Derived, typename Deleter>
    PolymorphicObject* copy_from(std::unique_ptr<Derived, Deleter>&& other)
    {
        return this->move_from(other.get());
    }
    template <typename Derived, typename Deleter>
    PolymorphicObject* copy_from(const std::unique_ptr<Derived, Deleter>& other)
    {
        return this->copy_from(other.get());
    }
    PolymorphicObject* copy_from(const std::shared_ptr<const PolymorphicObject>& other)
    {
        return this->copy_from(other.get());
    }

    /// Moves or copies other to this object, and converts it if needed. The storage of other may be
    /// reused. other is empty afterwards.
    PolymorphicObject* move_from(ptr_param<PolymorphicObject> other);

    /// Resets the object to the state of a new one.
    PolymorphicObject* clear() { return this->clear_impl(); }

    std::shared_ptr<const Executor> get_executor() const noexcept { return exec_; }

protected:
    explicit PolymorphicObject(std::shared_ptr<const Executor> exec);
    PolymorphicObject(const PolymorphicObject& other);

    virtual std::unique_ptr<PolymorphicObject> create_default_impl(std::shared_ptr<const Executor> exec) const = 0;
    virtual PolymorphicObject* copy_from_impl(const PolymorphicObject* other) = 0;
    virtual PolymorphicObject* move_from_impl(PolymorphicObject* other) = 0;
    virtual PolymorphicObject* clear_impl() = 0;

private:
    std::shared_ptr<const Executor> exec_;
};

/// Converts an object to ResultType. PolymorphicObject::copy_from() uses it for objects of other
/// types.
template <typename ResultType>
class ConvertibleTo {
public:
    using result_type = ResultType;
    virtual ~ConvertibleTo() = default;
    /// Overwrites result, whose executor does not change.
    /// @throws NotSupported  for a null pointer
    virtual void convert_to(result_type* result) const = 0;
    void convert_to(ptr_param<result_type> result) const { this->convert_to(result.get()); }
    /// Overwrites result, whose executor does not change. An implementation may move the storage of
    /// this object to result; this default copies.
    virtual void move_to(result_type* result) { this->convert_to(result); }
    void move_to(ptr_param<result_type> result) { this->move_to(result.get()); }
};

/// Converts an object to each of several types.
template <typename... ResultTypes>
class ConvertibleToEach : public ConvertibleTo<ResultTypes>... {
public:
    using ConvertibleTo<ResultTypes>::convert_to...;
    using ConvertibleTo<ResultTypes>::move_to...;
};

/// Declares the member functions of PolymorphicObject with the type of an abstract class.
template <typename AbstractObject, typename Base = PolymorphicObject>
class EnableAbstractPolymorphicObject : public Base {
public:
    using Base::Base;

    std::unique_ptr<AbstractObject> create_default(std::shared_ptr<const Executor> exec) const
    {
        return retype(this->Base::create_default(std::move(exec)));
    }
    std::unique_ptr<AbstractObject> create_default() const { return this->create_default(this->get_executor()); }
    std::unique_ptr<AbstractObject> clone(std::shared_ptr<const Executor> exec) const
    {
        return retype(this->Base::clone(std::move(exec)));
    }
    std::unique_ptr<AbstractObject> clone() const { return this->clone(this->get_executor()); }
    template <typename Source>
    AbstractObject* copy_from(Source&& other)
    {
        this->PolymorphicObject::copy_from(std::forward<Source>(other));
        return static_cast<AbstractObject*>(this);
    }
    AbstractObject* move_from(ptr_param<PolymorphicObject> other)
    {
        this->PolymorphicObject::move_from(other);
        return static_cast<AbstractObject*>(this);
    }
    AbstractObject* clear()
    {
        this->PolymorphicObject::clear();
        return static_cast<AbstractObject*>(this);
    }

private:
    template <typename T>
    static std::unique_ptr<AbstractObject> retype(std::unique_ptr<T> object)
    {
        return std::unique_ptr<AbstractObject>(static_cast<AbstractObject*>(object.release()));
    }
};

/// Implements a PolymorphicObject by two functions of Concrete: the constructor from an executor,
/// and the move assignment, which clear() uses. Objects are copied and moved through
/// ConvertibleTo<Concrete>. To copy objects of Concrete itself, derive from
/// EnablePolymorphicAssignment, too.
template <typename Concrete, typename Base = PolymorphicObject>
class EnablePolymorphicObject : public EnableAbstractPolymorphicObject<Concrete, Base> {
public:
    using EnableAbstractPolymorphicObject<Concrete, Base>::EnableAbstractPolymorphicObject;

protected:
    std::unique_ptr<PolymorphicObject> create_default_impl(std::shared_ptr<const Executor> exec) const override
    {
        return std::unique_ptr<Concrete>{new Concrete(std::move(exec))};
    }
    PolymorphicObject* copy_from_impl(const PolymorphicObject* other) override
    {
        as<ConvertibleTo<Concrete>>(other)->convert_to(static_cast<Concrete*>(this));
        return this;
    }
    PolymorphicObject* move_from_impl(PolymorphicObject* other) override
    {
        as<ConvertibleTo<Concrete>>(other)->move_to(static_cast<Concrete*>(this));
        return this;
    }
    PolymorphicObject* clear_impl() override
    {
        *static_cast<Concrete*>(this) = Concrete{this->get_executor()};
        return this;
    }
};

/// Implements the conversion of Concrete to ResultType by assignment.
template <typename Concrete, typename ResultType = Concrete>
class EnablePolymorphicAssignment : public ConvertibleTo<ResultType> {
public:
    using result_type = ResultType;
    using ConvertibleTo<result_type>::convert_to;
    using ConvertibleTo<result_type>::move_to;
    void convert_to(result_type* result) const override
    {
        detail::require_pointers("convert_to", result);
        *result = *static_cast<const Concrete*>(this);
    }
    void move_to(result_type* result) override
    {
        detail::require_pointers("move_to", result);
        *result = std::move(*static_cast<Concrete*>(this));
    }
};

/// Gives a class a static function create(), which forwards its arguments to the constructors.
template <typename Concrete>
class EnableCreateMethod {
public:
    template <typename... Args>
    static std::unique_ptr<Concrete> create(Args&&... args)
    {
        return std::unique_ptr<Concrete>(new Concrete(std::forward<Args>(args)...));
    }
};

}  // namespace spruce
