// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/polymorphic_object.hpp>

namespace spruce {

using log::Logger;

PolymorphicObject::PolymorphicObject(std::shared_ptr<const Executor> exec) : exec_{std::move(exec)}
{
    if (!exec_) {
        detail::throw_null_pointer("an object without an executor");
    }
}

PolymorphicObject::PolymorphicObject(const PolymorphicObject& other) : exec_{other.exec_} {}

PolymorphicObject::~PolymorphicObject()
{
    this->log_without_exceptions<Logger::polymorphic_object_deleted>(exec_.get(), this);
    exec_->log_without_exceptions<Logger::polymorphic_object_deleted>(exec_.get(), this);
}

std::unique_ptr<PolymorphicObject> PolymorphicObject::create_default(std::shared_ptr<const Executor> exec) const
{
    const auto exec_ptr = exec.get();
    detail::require_pointers("create_default (the executor)", exec_ptr);
    exec_ptr->log<Logger::polymorphic_object_create_started>(exec_ptr, this);
    this->log<Logger::polymorphic_object_create_started>(exec_ptr, this);
    auto created = this->create_default_impl(std::move(exec));
    this->log<Logger::polymorphic_object_create_completed>(exec_ptr, this, created.get());
    exec_ptr->log<Logger::polymorphic_object_create_completed>(exec_ptr, this, created.get());
    return created;
}

std::unique_ptr<PolymorphicObject> PolymorphicObject::clone(std::shared_ptr<const Executor> exec) const
{
    auto copy = this->create_default(std::move(exec));
    copy->copy_from(this);
    return copy;
}

PolymorphicObject* PolymorphicObject::copy_from(const PolymorphicObject* other)
{
    detail::require_pointers("copy_from", other);
    exec_->log<Logger::polymorphic_object_copy_started>(exec_.get(), other, this);
    this->log<Logger::polymorphic_object_copy_started>(exec_.get(), other, this);
    const auto result = this->copy_from_impl(other);
    this->log<Logger::polymorphic_object_copy_completed>(exec_.get(), other, this);
    exec_->log<Logger::polymorphic_object_copy_completed>(exec_.get(), other, this);
    return result;
}

PolymorphicObject* PolymorphicObject::move_from(ptr_param<PolymorphicObject> other)
{
    detail::require_pointers("move_from", other);
    exec_->log<Logger::polymorphic_object_move_started>(exec_.get(), other.get(), this);
    this->log<Logger::polymorphic_object_move_started>(exec_.get(), other.get(), this);
    const auto result = this->move_from_impl(other.get());
    this->log<Logger::polymorphic_object_move_completed>(exec_.get(), other.get(), this);
    exec_->log<Logger::polymorphic_object_move_completed>(exec_.get(), other.get(), this);
    return result;
}

}  // namespace spruce
