// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/log/record.hpp>

#include "core/log/event_unifier.hpp"
#include "core/log/reentrancy_guard.hpp"

namespace spruce::log {
namespace {

/// Copies an object only if the event is recorded.
template <typename T>
struct copy_of {
    const T* object;

    operator std::unique_ptr<T>() const { return object ? object->clone() : nullptr; }
};
template <typename T>
struct copy_of<array<T>> {
    const array<T>* object;

    operator std::unique_ptr<array<T>>() const { return object ? std::make_unique<array<T>>(*object) : nullptr; }
};
template <typename T>
copy_of(const T*) -> copy_of<T>;

class Recorder final : public EventUnifier<Record> {
public:
    Recorder(const mask_type& enabled_events, size_type max_storage)
        : EventUnifier<Record>{enabled_events}, max_storage_{max_storage}
    {}

    void on_allocation_started(const Executor* exec, const size_type& num_bytes) const override
    {
        this->append(data_.allocation_started, exec, num_bytes, uintptr{});
    }
    void on_allocation_completed(const Executor* exec, const size_type& num_bytes,
                                 const uintptr& location) const override
    {
        this->append(data_.allocation_completed, exec, num_bytes, location);
    }
    void on_free_started(const Executor* exec, const uintptr& location) const override
    {
        this->append(data_.free_started, exec, size_type{}, location);
    }
    void on_free_completed(const Executor* exec, const uintptr& location) const override
    {
        this->append(data_.free_completed, exec, size_type{}, location);
    }
    void on_copy_started(const Executor* from, const Executor* to, const uintptr& location_from,
                         const uintptr& location_to, const size_type& num_bytes) const override
    {
        this->append(data_.copy_started, executor_data{from, num_bytes, location_from},
                     executor_data{to, num_bytes, location_to});
    }
    void on_copy_completed(const Executor* from, const Executor* to, const uintptr& location_from,
                           const uintptr& location_to, const size_type& num_bytes) const override
    {
        this->append(data_.copy_completed, executor_data{from, num_bytes, location_from},
                     executor_data{to, num_bytes, location_to});
    }
    void on_operation_launched(const Executor* exec, const Operation* op) const override
    {
        this->append(data_.operation_launched, exec, op);
    }
    void on_operation_completed(const Executor* exec, const Operation* op) const override
    {
        this->append(data_.operation_completed, exec, op);
    }
    void on_polymorphic_object_create_started(const Executor* exec, const PolymorphicObject* object) const override
    {
        this->append(data_.polymorphic_object_create_started, exec, copy_of{object}, nullptr, object, nullptr);
    }
    void on_polymorphic_object_deleted(const Executor* exec, const PolymorphicObject* object) const override
    {
        this->append(data_.polymorphic_object_deleted, exec, nullptr, nullptr, object, nullptr);
    }
    void on_linop_apply_started(const LinOp* A, const LinOp* b, const LinOp* x) const override
    {
        this->append(data_.linop_apply_started, copy_of{A}, nullptr, copy_of{b}, nullptr, copy_of{x});
    }
    void on_linop_apply_completed(const LinOp* A, const LinOp* b, const LinOp* x) const override
    {
        this->append(data_.linop_apply_completed, copy_of{A}, nullptr, copy_of{b}, nullptr, copy_of{x});
    }
    void on_linop_advanced_apply_started(const LinOp* A, const LinOp* alpha, const LinOp* b, const LinOp* beta,
                                         const LinOp* x) const override
    {
        this->append(data_.linop_advanced_apply_started, copy_of{A}, copy_of{alpha}, copy_of{b}, copy_of{beta},
                     copy_of{x});
    }
    void on_linop_advanced_apply_completed(const LinOp* A, const LinOp* alpha, const LinOp* b, const LinOp* beta,
                                           const LinOp* x) const override
    {
        this->append(data_.linop_advanced_apply_completed, copy_of{A}, copy_of{alpha}, copy_of{b}, copy_of{beta},
                     copy_of{x});
    }
    void on_linop_factory_generate_started(const LinOpFactory* factory, const LinOp* input) const override
    {
        this->append(data_.linop_factory_generate_started, factory, copy_of{input}, nullptr);
    }
    void on_linop_factory_generate_completed(const LinOpFactory* factory, const LinOp* input,
                                             const LinOp* output) const override
    {
        this->append(data_.linop_factory_generate_completed, factory, copy_of{input}, copy_of{output});
    }
    void on_criterion_check_started(const stop::Criterion* criterion, const size_type& it, const LinOp* r,
                                    const LinOp* tau, const LinOp* x, const uint8& id,
                                    const bool& finalized) const override
    {
        this->append(data_.criterion_check_started, criterion, it, copy_of{r}, copy_of{tau}, nullptr, copy_of{x}, id,
                     finalized, nullptr, false, false);
    }
    void on_criterion_check_completed(const stop::Criterion* criterion, const size_type& it, const LinOp* r,
                                      const LinOp* tau, const LinOp* implicit_tau_sq, const LinOp* x, const uint8& id,
                                      const bool& finalized, const array<stopping_status>* status,
                                      const bool& one_changed, const bool& all_stopped) const override
    {
        this->append(data_.criterion_check_completed, criterion, it, copy_of{r}, copy_of{tau}, copy_of{implicit_tau_sq},
                     copy_of{x}, id, finalized, copy_of{status}, one_changed, all_stopped);
    }
    void on_iteration_complete(const LinOp* solver, const LinOp* b, const LinOp* x, const size_type& it, const LinOp* r,
                               const LinOp* tau, const LinOp* implicit_tau_sq, const array<stopping_status>* status,
                               bool stopped) const override
    {
        this->append(data_.iteration_completed, copy_of{solver}, copy_of{b}, copy_of{x}, it, copy_of{r}, copy_of{tau},
                     copy_of{implicit_tau_sq}, copy_of{status}, stopped);
    }

#define SPRUCE_RECORD_OBJECT_EVENT(_event)                                                                  \
    void on_##_event(const Executor* exec, const PolymorphicObject* input, const PolymorphicObject* output) \
        const override                                                                                      \
    {                                                                                                       \
        this->append(data_._event, exec, copy_of{input}, copy_of{output}, input, output);                   \
    }
    SPRUCE_RECORD_OBJECT_EVENT(polymorphic_object_create_completed)
    SPRUCE_RECORD_OBJECT_EVENT(polymorphic_object_copy_started)
    SPRUCE_RECORD_OBJECT_EVENT(polymorphic_object_copy_completed)
    SPRUCE_RECORD_OBJECT_EVENT(polymorphic_object_move_started)
    SPRUCE_RECORD_OBJECT_EVENT(polymorphic_object_move_completed)
#undef SPRUCE_RECORD_OBJECT_EVENT

private:
    template <typename Data, typename... Members>
    void append(history<Data>& events, Members&&... members) const
    {
        const reentrancy_guard work;
        if (work.is_nested()) {
            return;
        }
        auto data = std::unique_ptr<Data>(new Data{std::forward<Members>(members)...});
        if (max_storage_ > 0 && events.size() == max_storage_) {
            events.pop_front();
        }
        events.push_back(std::move(data));
    }

    size_type max_storage_;
};

}  // namespace

std::unique_ptr<Record> Record::create(const mask_type& enabled_events, size_type max_storage)
{
    return std::make_unique<Recorder>(enabled_events, max_storage);
}
std::unique_ptr<Record> Record::create(std::shared_ptr<const Executor>, const mask_type& enabled_events,
                                       size_type max_storage)
{
    return create(enabled_events, max_storage);
}

}  // namespace spruce::log
