// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/executor.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include <cxxabi.h>
#include <sys/mman.h>

#include <spruce/base/name_demangling.hpp>

#include "core/base/allocation_limit.hpp"
#include "core/base/backends.hpp"
#include "core/base/build_config.hpp"
#include "core/base/host_pool.hpp"
#include "core/base/topology.hpp"

namespace spruce {

namespace name_demangling {

std::string get_type_name(const std::type_info& type)
{
    int status{};
    const std::unique_ptr<char, decltype(&std::free)> name(abi::__cxa_demangle(type.name(), nullptr, nullptr, &status),
                                                           &std::free);
    return status == 0 ? name.get() : type.name();
}

}  // namespace name_demangling

namespace detail {

void throw_bad_cast(const std::type_info& found, const std::type_info& requested)
{
    // Names the type of the result, which callers know, instead of the interface of the conversion.
    auto name = name_demangling::get_type_name(requested);
    const std::string interface = "spruce::ConvertibleTo<";
    if (name.compare(0, interface.size(), interface) == 0) {
        name = name.substr(interface.size(), name.rfind('>') - interface.size());
        name.erase(name.find_last_not_of(' ') + 1);
    }
    throw NotSupported(__FILE__, __LINE__, "a conversion to " + name,
                       "an object of type " + name_demangling::get_type_name(found));
}

void throw_null_pointer(const char* function) { throw NotSupported(__FILE__, __LINE__, function, "a null pointer"); }
void throw_null_parameter(const std::type_info& type)
{
    const auto parameter = "a parameter that points to " + name_demangling::get_type_name(type);
    throw_null_pointer(parameter.c_str());
}

void throw_not_implemented(backend which, const char* kernel, const std::type_info& signature)
{
    load_backend(which);  // throws an exception with the reason if the whole backend is missing
    throw NotImplemented(
        __FILE__, __LINE__,
        std::string(kernel) + " for " + to_string(which) + " with " + name_demangling::get_type_name(signature));
}

}  // namespace detail

const char* to_string(backend which)
{
    constexpr const char* names[] = {"reference", "omp", "cuda", "hip"};
    return names[static_cast<int>(which)];
}

Operation::~Operation() = default;

namespace {
[[noreturn]] void throw_missing_form(const Operation& op, const char* executor)
{
    throw NotImplemented(__FILE__, __LINE__, std::string(op.get_name()) + " for " + executor);
}
}  // namespace

void Operation::run(std::shared_ptr<const OmpExecutor>) const { throw_missing_form(*this, "OmpExecutor"); }
void Operation::run(std::shared_ptr<const CudaExecutor>) const { throw_missing_form(*this, "CudaExecutor"); }
void Operation::run(std::shared_ptr<const HipExecutor>) const { throw_missing_form(*this, "HipExecutor"); }
void Operation::run(std::shared_ptr<const DpcppExecutor>) const { throw_missing_form(*this, "DpcppExecutor"); }
void Operation::run(std::shared_ptr<const ReferenceExecutor> exec) const
{
    this->run(std::static_pointer_cast<const OmpExecutor>(std::move(exec)));
}
const char* Operation::get_name() const noexcept
{
    thread_local std::string name;
    name = name_demangling::get_type_name(typeid(*this));
    return name.c_str();
}

// ---- memory -------------------------------------------------------------------------------------

Allocator::~Allocator() = default;
bool CudaAllocatorBase::check_environment(int, CUstream_st*) const { return true; }
bool HipAllocatorBase::check_environment(int, SPRUCE_HIP_STREAM_STRUCT*) const { return true; }

void* CpuAllocator::allocate(size_type num_bytes)
{
    constexpr size_type cache_line = 64;
    const auto is_large = num_bytes >= detail::host_pool::min_bytes;
    const auto alignment = is_large ? detail::host_pool::huge_page : cache_line;
    const auto padded = (num_bytes + cache_line - 1) / cache_line * cache_line;
    if (padded < num_bytes) {
        throw AllocationError(__FILE__, __LINE__, "host", num_bytes);
    }
    auto& pool = detail::host_pool::get();
    void* result = pool.try_allocate(padded);
    if (result) {
        return result;
    }
    if (posix_memalign(&result, alignment, padded) != 0) {
        pool.release();
        if (posix_memalign(&result, alignment, padded) != 0) {
            throw AllocationError(__FILE__, __LINE__, "host", num_bytes);
        }
    }
#ifdef MADV_HUGEPAGE
    if (is_large) {
        // This is only advice. Without huge pages, streaming through memory spends much time on
        // address translation (doc/tuning/cpu.md).
        madvise(result, padded, MADV_HUGEPAGE);
    }
#endif
    return result;
}
void CpuAllocator::deallocate(void* ptr) { detail::host_pool::get().deallocate(ptr); }

#define SPRUCE_DEFINE_DEVICE_ALLOCATOR(_class, _backend, _kind, _stream, ...)     \
    void* _class::allocate(size_type num_bytes)                                   \
    {                                                                             \
        const auto runtime = detail::load_backend(_backend);                      \
        __VA_ARGS__                                                               \
        return runtime->allocate(detail::memory_kind::_kind, num_bytes, _stream); \
    }                                                                             \
    void _class::deallocate(void* ptr)                                            \
    {                                                                             \
        const auto runtime = detail::load_backend(_backend);                      \
        __VA_ARGS__                                                               \
        runtime->deallocate(detail::memory_kind::_kind, ptr, _stream);            \
    }
#define SPRUCE_ON_DEVICE const scoped_device_id_guard guard(runtime, device_id_);
SPRUCE_DEFINE_DEVICE_ALLOCATOR(CudaAllocator, backend::cuda, device, nullptr)
SPRUCE_DEFINE_DEVICE_ALLOCATOR(CudaAsyncAllocator, backend::cuda, pooled, stream_)
SPRUCE_DEFINE_DEVICE_ALLOCATOR(CudaUnifiedAllocator, backend::cuda, unified, nullptr, SPRUCE_ON_DEVICE)
SPRUCE_DEFINE_DEVICE_ALLOCATOR(CudaHostAllocator, backend::cuda, pinned_host, nullptr, SPRUCE_ON_DEVICE)
SPRUCE_DEFINE_DEVICE_ALLOCATOR(HipAllocator, backend::hip, device, nullptr)
SPRUCE_DEFINE_DEVICE_ALLOCATOR(HipAsyncAllocator, backend::hip, pooled, stream_)
SPRUCE_DEFINE_DEVICE_ALLOCATOR(HipUnifiedAllocator, backend::hip, unified, nullptr, SPRUCE_ON_DEVICE)
SPRUCE_DEFINE_DEVICE_ALLOCATOR(HipHostAllocator, backend::hip, pinned_host, nullptr, SPRUCE_ON_DEVICE)

bool CudaAsyncAllocator::check_environment(int, CUstream_st* stream) const { return stream == stream_; }
bool HipAsyncAllocator::check_environment(int, SPRUCE_HIP_STREAM_STRUCT* stream) const { return stream == stream_; }

// ---- devices ------------------------------------------------------------------------------------

scoped_device_id_guard::scoped_device_id_guard(detail::DeviceRuntime* runtime, int device_id)
    : runtime_{runtime}, device_id_{device_id}, previous_{runtime ? runtime->exchange_device(device_id) : 0}
{}
scoped_device_id_guard::scoped_device_id_guard(const CudaExecutor*, int device_id)
    : scoped_device_id_guard(detail::load_backend(backend::cuda), device_id)
{}
scoped_device_id_guard::scoped_device_id_guard(const HipExecutor*, int device_id)
    : scoped_device_id_guard(detail::load_backend(backend::hip), device_id)
{}
scoped_device_id_guard::scoped_device_id_guard(scoped_device_id_guard&& other) noexcept
    : runtime_{std::exchange(other.runtime_, nullptr)}, device_id_{other.device_id_}, previous_{other.previous_}
{}
scoped_device_id_guard& scoped_device_id_guard::operator=(scoped_device_id_guard&& other) noexcept
{
    if (this == &other) {
        return *this;
    }
    // The other guard was created during the lifetime of this one if its previous device is that of
    // this guard.
    const auto is_nested = runtime_ && runtime_ == other.runtime_ && other.previous_ == device_id_;
    const auto outermost = is_nested ? previous_ : other.previous_;
    if (runtime_) {
        runtime_->exchange_device(previous_);
    }
    runtime_ = std::exchange(other.runtime_, nullptr);
    device_id_ = other.device_id_;
    previous_ = outermost;
    if (runtime_) {
        runtime_->exchange_device(device_id_);
    }
    return *this;
}
scoped_device_id_guard::~scoped_device_id_guard()
{
    if (runtime_) {
        runtime_->exchange_device(previous_);
    }
}

// ---- Executor -----------------------------------------------------------------------------------

Executor::~Executor() = default;

void Executor::add_logger(std::shared_ptr<const log::Logger> logger)
{
    log::EnableLogging<Executor>::add_logger(std::move(logger));
}
void Executor::remove_logger(const log::Logger* logger) { log::EnableLogging<Executor>::remove_logger(logger); }

executor_counters Executor::get_counters() const noexcept
{
    executor_counters result;
    result.allocations = counters_.allocations.load();
    result.allocated_bytes = counters_.allocated_bytes.load();
    result.frees = counters_.frees.load();
    result.copies = counters_.copies.load();
    result.copied_bytes = counters_.copied_bytes.load();
    result.kernels = counters_.kernels.load();
    result.launches = counters_.launches.load();
    result.replays = counters_.replays.load();
    result.waits = counters_.waits.load();
    return result;
}

void* Executor::alloc_bytes(size_type num_bytes) const
{
    if (num_bytes == 0) {
        return nullptr;
    }
    detail::allocation_limit::count(num_bytes);
    this->log<log::Logger::allocation_started>(this, num_bytes);
    const auto result = this->raw_alloc(num_bytes);
    counters_.allocations.fetch_add(1, std::memory_order_relaxed);
    counters_.allocated_bytes.fetch_add(num_bytes, std::memory_order_relaxed);
    try {
        this->log<log::Logger::allocation_completed>(this, num_bytes, reinterpret_cast<uintptr>(result));
    } catch (...) {
        this->free(result);
        throw;
    }
    return result;
}

void Executor::free(void* ptr) const noexcept
{
    if (!ptr) {
        return;
    }
    this->log_without_exceptions<log::Logger::free_started>(this, reinterpret_cast<uintptr>(ptr));
    this->raw_free(ptr);
    counters_.frees.fetch_add(1, std::memory_order_relaxed);
    this->log_without_exceptions<log::Logger::free_completed>(this, reinterpret_cast<uintptr>(ptr));
}

namespace {
const detail::GpuExecutor* as_gpu(const Executor* exec)
{
    const auto is_gpu = exec->get_backend() == backend::cuda || exec->get_backend() == backend::hip;
    return is_gpu ? static_cast<const detail::GpuExecutor*>(exec) : nullptr;
}

void copy_on_host([[maybe_unused]] backend which, size_type num_bytes, const void* from, void* to)
{
#if SPRUCE_WITH_OMP
    if (which == backend::omp) {
        kernels::omp::copy_bytes(num_bytes, from, to);
        return;
    }
#endif
    std::memcpy(to, from, num_bytes);
}
}  // namespace

void Executor::copy_bytes_from(const Executor* source, size_type num_bytes, const void* from, void* to) const
{
    detail::require_pointers("Executor::copy_from (the source executor)", source);
    if (num_bytes == 0) {
        return;
    }
    detail::require_pointers("Executor::copy_from", from, to);
    const auto from_location = reinterpret_cast<uintptr>(from);
    const auto to_location = reinterpret_cast<uintptr>(to);
    source->log<log::Logger::copy_started>(source, this, from_location, to_location, num_bytes);
    if (source != this) {
        this->log<log::Logger::copy_started>(source, this, from_location, to_location, num_bytes);
    }
    const auto here = as_gpu(this);
    const auto there = as_gpu(source);
    if (!here && !there) {
        copy_on_host(this->get_backend(), num_bytes, from, to);
    } else if (here && there && this->get_backend() != source->get_backend()) {
        // Runtimes of different vendors cannot access each other's memory, so the copy goes through
        // the host.
        const auto buffer = std::make_unique<char[]>(num_bytes);
        source->get_master()->copy_bytes_from(source, num_bytes, from, buffer.get());
        this->copy_bytes_from(this->get_master().get(), num_bytes, buffer.get(), to);
    } else {
        const auto gpu = here ? here : there;
        const auto guard = gpu->get_scoped_device_id_guard();
        const auto is_in_order = here && there && this->is_equivalent_to(source);
        if (here && there && !is_in_order) {
            // The data must be complete on the stream of the source.
            source->synchronize();
        }
        gpu->get_runtime().copy(to, from, num_bytes, gpu->get_raw_stream());
        if (!is_in_order) {
            // The source and the target may be used, overwritten or freed as soon as this function
            // returns.
            gpu->synchronize();
        }
    }
    counters_.copies.fetch_add(1, std::memory_order_relaxed);
    counters_.copied_bytes.fetch_add(num_bytes, std::memory_order_relaxed);
    source->log<log::Logger::copy_completed>(source, this, from_location, to_location, num_bytes);
    if (source != this) {
        this->log<log::Logger::copy_completed>(source, this, from_location, to_location, num_bytes);
    }
}

bool Executor::memory_accessible(const std::shared_ptr<const Executor>& other) const
{
    if (!other || other->get_backend() != backend_) {
        return false;
    }
    const auto gpu = as_gpu(this);
    return !gpu || gpu->get_device_id() == as_gpu(other.get())->get_device_id();
}

bool Executor::is_equivalent_to(const Executor* other) const noexcept
{
    if (!other || other->get_backend() != backend_) {
        return false;
    }
    const auto gpu = as_gpu(this);
    const auto other_gpu = as_gpu(other);
    return !gpu ||
           (gpu->get_device_id() == other_gpu->get_device_id() && gpu->get_raw_stream() == other_gpu->get_raw_stream());
}

namespace {
thread_local const Operation* current_operation{};
}

const char* Executor::get_current_operation_name() noexcept
{
    return current_operation ? current_operation->get_name() : "";
}

Executor::operation_scope::operation_scope(const Executor& exec, const Operation& op, opened)
    : exec_{exec}, op_{op}, outer_{std::exchange(current_operation, &op)}, guard_{exec.get_scoped_device_id_guard()}
{}
Executor::operation_scope::operation_scope(const Executor& exec, const Operation& op)
    : operation_scope(exec, op, opened{})
{
    // The object is complete from here on, so its destructor runs even if a logger throws.
    exec.counters_.kernels.fetch_add(1, std::memory_order_relaxed);
    exec.log<log::Logger::operation_launched>(&exec, &op);
}
Executor::operation_scope::~operation_scope()
{
    exec_.log_without_exceptions<log::Logger::operation_completed>(&exec_, &op_);
    current_operation = outer_;
}

// ---- host executors -----------------------------------------------------------------------------

OmpExecutor::OmpExecutor(backend which, std::shared_ptr<CpuAllocatorBase> allocator)
    : Executor{which}, allocator_{std::move(allocator)}
{
    if (!allocator_) {
        detail::throw_null_pointer("Executor::create (the allocator)");
    }
}

void* OmpExecutor::raw_alloc(size_type num_bytes) const { return allocator_->allocate(num_bytes); }
void OmpExecutor::raw_free(void* ptr) const noexcept { allocator_->deallocate(ptr); }

std::shared_ptr<OmpExecutor> OmpExecutor::create(std::shared_ptr<CpuAllocatorBase> allocator)
{
    // Host memory works without the kernels. A call of a kernel reports the reason of a failure.
    detail::try_load_backend(backend::omp);
    return std::shared_ptr<OmpExecutor>(new OmpExecutor(backend::omp, std::move(allocator)));
}
std::shared_ptr<ReferenceExecutor> ReferenceExecutor::create(std::shared_ptr<CpuAllocatorBase> allocator)
{
    detail::load_backend(backend::reference);
    return std::shared_ptr<ReferenceExecutor>(new ReferenceExecutor(backend::reference, std::move(allocator)));
}

void OmpExecutor::run(const Operation& op) const
{
    const operation_scope scope{*this, op};
    op.run(this->self<OmpExecutor>());
}
void ReferenceExecutor::run(const Operation& op) const
{
    const operation_scope scope{*this, op};
    op.run(this->self<ReferenceExecutor>());
}

int OmpExecutor::get_num_omp_threads()
{
#if SPRUCE_WITH_OMP
    return kernels::omp::get_max_threads();
#else
    return 1;
#endif
}
int OmpExecutor::get_num_cores() const { return detail::count_cores().num_cores; }
int OmpExecutor::get_num_threads_per_core() const { return detail::count_cores().num_threads_per_core; }
std::string OmpExecutor::get_description() const
{
    return "OmpExecutor with " + std::to_string(get_num_omp_threads()) + " threads";
}

// ---- device executors ---------------------------------------------------------------------------

namespace detail {

GpuExecutor::GpuExecutor(backend which, int device_id, std::shared_ptr<Executor> master,
                         std::shared_ptr<Allocator> allocator, void* stream)
    : Executor{which},
      runtime_{load_backend(which)},
      device_id_{device_id},
      master_{std::move(master)},
      allocator_{std::move(allocator)},
      stream_{stream}
{
    const auto num_devices = runtime_->get_num_devices();
    if (device_id < 0 || device_id >= num_devices) {
        const auto message = "device " + std::to_string(device_id) + " was asked for, but there are " +
                             std::to_string(num_devices) + " devices";
        constexpr int no_such_device = 101;
        if (which == backend::cuda) {
            throw CudaError(__FILE__, __LINE__, "CudaExecutor::create", no_such_device, message);
        }
        throw HipError(__FILE__, __LINE__, "HipExecutor::create", no_such_device, message);
    }
    if (!master_) {
        throw_null_pointer("Executor::create (the master)");
    }
    properties_ = runtime_->get_properties(device_id);
}

GpuExecutor::~GpuExecutor()
{
    const auto destroy = [&](const std::atomic<void*>& handle, destroy_function function) {
        if (const auto present = handle.load()) {
            const scoped_device_id_guard guard{runtime_, device_id_};
            (runtime_->*function)(present);
        }
    };
    destroy(sparselib_handle_, &DeviceRuntime::destroy_sparselib_handle);
    destroy(blas_handle_, &DeviceRuntime::destroy_blas_handle);
    destroy(block_counter_, &DeviceRuntime::destroy_block_counter);
    for (const auto memory : scratch_) {
        this->free(memory);
    }
}

void GpuExecutor::synchronize() const
{
    const scoped_device_id_guard guard{runtime_, device_id_};
    this->count_wait();
    runtime_->synchronize(this->get_raw_stream());
}

std::string GpuExecutor::get_description() const
{
    return std::string(this->get_backend() == backend::cuda ? "CudaExecutor" : "HipExecutor") + " on device " +
           std::to_string(device_id_) + " (" + properties_.name + ", " + properties_.architecture + ")";
}

std::vector<int> GpuExecutor::get_closest_pus() const { return processing_units_of_numa_node(properties_.numa_node); }

void* GpuExecutor::get_or_create(std::atomic<void*>& handle, create_function create, destroy_function destroy) const
{
    if (const auto present = handle.load()) {
        return present;
    }
    const scoped_device_id_guard guard{runtime_, device_id_};
    const auto created = (runtime_->*create)(stream_);
    void* expected{};
    if (!handle.compare_exchange_strong(expected, created)) {
        (runtime_->*destroy)(created);  // another thread has created the handle first
        return expected;
    }
    return created;
}

void* GpuExecutor::get_raw_sparselib_handle() const
{
    return this->get_or_create(sparselib_handle_, &DeviceRuntime::create_sparselib_handle,
                               &DeviceRuntime::destroy_sparselib_handle);
}

void* GpuExecutor::get_raw_blas_handle() const
{
    return this->get_or_create(blas_handle_, &DeviceRuntime::create_blas_handle, &DeviceRuntime::destroy_blas_handle);
}

unsigned* GpuExecutor::get_block_counter() const
{
    return static_cast<unsigned*>(this->get_or_create(block_counter_, &DeviceRuntime::create_block_counter,
                                                      &DeviceRuntime::destroy_block_counter));
}

scratch_guard GpuExecutor::acquire_scratch(size_type num_bytes) const
{
    std::unique_lock<std::mutex> in_use{scratch_in_use_};
    if (num_bytes > scratch_size_) {
        const auto size = std::max(num_bytes, 2 * scratch_size_);
        scratch_.reserve(scratch_.size() + 1);
        scratch_.push_back(this->alloc<char>(size));
        scratch_size_ = size;
    }
    return {std::move(in_use), scratch_.empty() ? nullptr : scratch_.back()};
}

void* GpuExecutor::raw_alloc(size_type num_bytes) const
{
    const scoped_device_id_guard guard{runtime_, device_id_};
    return allocator_ ? allocator_->allocate(num_bytes) : runtime_->allocate(memory_kind::pooled, num_bytes, stream_);
}
void GpuExecutor::raw_free(void* ptr) const noexcept
{
    const scoped_device_id_guard guard{runtime_, device_id_};
    if (allocator_) {
        allocator_->deallocate(ptr);
    } else {
        runtime_->deallocate(memory_kind::pooled, ptr, stream_);
    }
}

namespace {
int count_devices(backend which) noexcept
{
    const auto runtime = try_load_backend(which);
    return runtime ? runtime->get_num_devices() : 0;
}
template <typename Allocator, typename Unified, typename Host>
std::shared_ptr<Allocator> allocator_for(allocation_mode mode, int device_id)
{
    switch (mode) {
    case allocation_mode::unified_global:
        return std::make_shared<Unified>(device_id);
    case allocation_mode::unified_host:
        return std::make_shared<Host>(device_id);
    default:
        return nullptr;
    }
}
}  // namespace
}  // namespace detail

std::shared_ptr<CudaExecutor> CudaExecutor::create(int device_id, std::shared_ptr<Executor> master,
                                                   std::shared_ptr<CudaAllocatorBase> allocator, CUstream_st* stream)
{
    if (allocator && !allocator->check_environment(device_id, stream)) {
        throw InvalidStateError(__FILE__, __LINE__, "CudaExecutor::create",
                                "the allocator does not serve this device and stream");
    }
    return std::shared_ptr<CudaExecutor>(
        new CudaExecutor(backend::cuda, device_id, std::move(master), std::move(allocator), stream));
}
std::shared_ptr<CudaExecutor> CudaExecutor::create(int device_id, std::shared_ptr<Executor> master, bool,
                                                   allocation_mode mode, CUstream_st* stream)
{
    return create(device_id, std::move(master),
                  detail::allocator_for<CudaAllocatorBase, CudaUnifiedAllocator, CudaHostAllocator>(mode, device_id),
                  stream);
}
int CudaExecutor::get_num_devices() noexcept { return detail::count_devices(backend::cuda); }
void CudaExecutor::run(const Operation& op) const
{
    const operation_scope scope{*this, op};
    op.run(this->self<CudaExecutor>());
}

std::shared_ptr<HipExecutor> HipExecutor::create(int device_id, std::shared_ptr<Executor> master,
                                                 std::shared_ptr<HipAllocatorBase> allocator,
                                                 SPRUCE_HIP_STREAM_STRUCT* stream)
{
    if (allocator && !allocator->check_environment(device_id, stream)) {
        throw InvalidStateError(__FILE__, __LINE__, "HipExecutor::create",
                                "the allocator does not serve this device and stream");
    }
    return std::shared_ptr<HipExecutor>(
        new HipExecutor(backend::hip, device_id, std::move(master), std::move(allocator), stream));
}
std::shared_ptr<HipExecutor> HipExecutor::create(int device_id, std::shared_ptr<Executor> master, bool,
                                                 allocation_mode mode, SPRUCE_HIP_STREAM_STRUCT* stream)
{
    return create(device_id, std::move(master),
                  detail::allocator_for<HipAllocatorBase, HipUnifiedAllocator, HipHostAllocator>(mode, device_id),
                  stream);
}
int HipExecutor::get_num_devices() noexcept { return detail::count_devices(backend::hip); }
void HipExecutor::run(const Operation& op) const
{
    const operation_scope scope{*this, op};
    op.run(this->self<HipExecutor>());
}

std::shared_ptr<DpcppExecutor> DpcppExecutor::create(int, std::shared_ptr<Executor>, std::string, dpcpp_queue_property)
{
    throw NotCompiled(__FILE__, __LINE__, "DpcppExecutor::create", "dpcpp");
}
int DpcppExecutor::get_num_devices(std::string) noexcept { return 0; }

}  // namespace spruce
