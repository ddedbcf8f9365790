// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <spruce/base/exception.hpp>
#include <spruce/base/memory.hpp>
#include <spruce/base/pointers.hpp>
#include <spruce/base/types.hpp>
#include <spruce/log/logger.hpp>

struct cublasContext;
struct cusparseContext;
struct hipblasContext;
struct hipsparseContext;

namespace spruce {

class OmpExecutor;
class ReferenceExecutor;
class CudaExecutor;
class HipExecutor;
class DpcppExecutor;

namespace detail {
class DeviceRuntime;
}

/// Lists the backends for which kernels exist, in the order of the slots in the kernel table.
enum class backend : unsigned char { reference, omp, cuda, hip };

/// Returns "reference", "omp", "cuda" or "hip".
SPRUCE_EXPORT const char* to_string(backend which);

/// Selects how a device allocates memory, for the older form of create(). An allocator replaces it.
enum class allocation_mode { device, unified_global, unified_host };
constexpr allocation_mode default_cuda_alloc_mode = allocation_mode::device;
constexpr allocation_mode default_hip_alloc_mode = allocation_mode::device;

/// Represents work that has one function run() for each kind of executor. Executor::run() selects
/// it. A function that is not overridden throws NotImplemented, except that the one for
/// ReferenceExecutor calls the one for OmpExecutor.
class SPRUCE_EXPORT Operation {
public:
    virtual ~Operation();
    virtual void run(std::shared_ptr<const OmpExecutor>) const;
    virtual void run(std::shared_ptr<const HipExecutor>) const;
    virtual void run(std::shared_ptr<const DpcppExecutor>) const;
    virtual void run(std::shared_ptr<const CudaExecutor>) const;
    virtual void run(std::shared_ptr<const ReferenceExecutor>) const;
    /// Returns the name that loggers receive. The default is the name of the class.
    virtual const char* get_name() const noexcept;
};

/// Contains counters of what an executor has done. The difference of two objects describes the code
/// between them.
struct executor_counters {
    size_type allocations{};
    size_type allocated_bytes{};
    size_type frees{};
    size_type copies{};
    size_type copied_bytes{};
    size_type kernels{};   ///< operations run
    size_type launches{};  ///< kernels launched on a device by operations
    size_type replays{};   ///< replays, each of which launches the kernels of a recording at once
    size_type waits{};     ///< times that the host waited for a device

    friend executor_counters operator-(executor_counters a, const executor_counters& b)
    {
        a.allocations -= b.allocations;
        a.allocated_bytes -= b.allocated_bytes;
        a.frees -= b.frees;
        a.copies -= b.copies;
        a.copied_bytes -= b.copied_bytes;
        a.kernels -= b.kernels;
        a.launches -= b.launches;
        a.replays -= b.replays;
        a.waits -= b.waits;
        return a;
    }
};

/// Makes a device current for this thread while the guard exists. The destructor makes the previous
/// device current again.
class SPRUCE_EXPORT scoped_device_id_guard {
public:
    /// Changes nothing.
    scoped_device_id_guard() = default;
    scoped_device_id_guard(detail::DeviceRuntime* runtime, int device_id);
    scoped_device_id_guard(const OmpExecutor*, int) {}
    scoped_device_id_guard(const ReferenceExecutor*, int) {}
    scoped_device_id_guard(const CudaExecutor*, int device_id);
    scoped_device_id_guard(const HipExecutor*, int device_id);
    scoped_device_id_guard(const DpcppExecutor*, int) {}
    scoped_device_id_guard(scoped_device_id_guard&& other) noexcept;
    scoped_device_id_guard(const scoped_device_id_guard&) = delete;
    /// Ends this guard and takes over the other one, whose device is current afterwards.
    scoped_device_id_guard& operator=(scoped_device_id_guard&& other) noexcept;
    ~scoped_device_id_guard();

private:
    detail::DeviceRuntime* runtime_{};
    int device_id_{};
    int previous_{};
};

/// Represents the place where data are stored and operations on them run. An application chooses
/// the kind of executor once and passes the handle on. Everything else does not depend on the kind.
/// Executors cannot be copied; handles are shared pointers.
class SPRUCE_EXPORT Executor : public log::EnableLogging<Executor>, public std::enable_shared_from_this<Executor> {
public:
    ~Executor() override;
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    backend get_backend() const noexcept { return backend_; }

    /// Returns the host executor that belongs to this one. For reference and omp this is the
    /// executor itself.
    virtual std::shared_ptr<Executor> get_master() noexcept = 0;
    virtual std::shared_ptr<const Executor> get_master() const noexcept = 0;

    /// Waits until all work launched on this executor is completed.
    virtual void synchronize() const = 0;

    /// Returns one line of text: kind, device, cores.
    virtual std::string get_description() const = 0;

    virtual scoped_device_id_guard get_scoped_device_id_guard() const = 0;

    /// Allocates uninitialised memory for num_elems objects of type T.
    /// @throws AllocationError  if the memory cannot be allocated
    /// @throws OverflowError  if size_type cannot count the bytes
    template <typename T>
    T* alloc(size_type num_elems) const
    {
        if (num_elems > static_cast<size_type>(-1) / sizeof(T)) {
            throw OverflowError(__FILE__, __LINE__, "size_type");
        }
        return static_cast<T*>(this->alloc_bytes(num_elems * sizeof(T)));
    }

    /// Releases memory. Never throws, and a null pointer is allowed.
    void free(void* ptr) const noexcept;

    /// Copies num_elems elements from memory of src_exec to memory of this executor.
    /// @throws NotSupported  for null pointers, unless num_elems is 0
    template <typename T>
    void copy_from(ptr_param<const Executor> src_exec, size_type num_elems, const T* src_ptr, T* dest_ptr) const
    {
        this->copy_bytes_from(src_exec.get(), num_elems * sizeof(T), src_ptr, dest_ptr);
    }

    template <typename T>
    void copy(size_type num_elems, const T* src_ptr, T* dest_ptr) const
    {
        this->copy_from(this, num_elems, src_ptr, dest_ptr);
    }

    template <typename T>
    T copy_val_to_host(const T* ptr) const
    {
        T value{};
        this->get_master()->copy_from(this, 1, ptr, &value);
        return value;
    }

    /// Returns true if code that runs on this executor can access memory of the other executor.
    bool memory_accessible(const std::shared_ptr<const Executor>& other) const;

    /// Returns true if other represents the same device and stream, so that no copy and no
    /// synchronization is needed.
    bool is_equivalent_to(const Executor* other) const noexcept;

    /// Runs the operation for this kind of executor.
    virtual void run(const Operation& op) const = 0;

    /// Runs the closure for this kind of executor. Loggers receive the name. The closure for
    /// DpcppExecutor never runs.
    template <typename ClosureReference, typename ClosureOmp, typename ClosureCuda, typename ClosureHip,
              typename ClosureDpcpp>
    void run(std::string name, const ClosureReference& on_reference, const ClosureOmp& on_omp,
             const ClosureCuda& on_cuda, const ClosureHip& on_hip, const ClosureDpcpp&) const
    {
        this->run(LambdaOperation<ClosureReference, ClosureOmp, ClosureCuda, ClosureHip>(std::move(name), on_reference,
                                                                                         on_omp, on_cuda, on_hip));
    }

    /// Runs the closure for this kind of executor. ReferenceExecutor runs the closure for omp. The
    /// closure for DpcppExecutor never runs.
    template <typename ClosureOmp, typename ClosureCuda, typename ClosureHip, typename ClosureDpcpp>
    void run(const ClosureOmp& on_omp, const ClosureCuda& on_cuda, const ClosureHip& on_hip, const ClosureDpcpp&) const
    {
        this->run(LambdaOperation<ClosureOmp, ClosureOmp, ClosureCuda, ClosureHip>("unnamed", on_omp, on_omp, on_cuda,
                                                                                   on_hip));
    }

    void set_log_propagation_mode(log_propagation_mode mode) { log_propagation_mode_ = mode; }
    bool should_propagate_log() const { return log_propagation_mode_ == log_propagation_mode::automatic; }

    void add_logger(std::shared_ptr<const log::Logger> logger) override;
    void remove_logger(const log::Logger* logger) override;
    using log::EnableLogging<Executor>::remove_logger;

    /// Returns the counters since the executor was created.
    executor_counters get_counters() const noexcept;

    /// Counts the launch of one kernel on a device. Kernels call it.
    void count_launch() const noexcept { counters_.launches.fetch_add(1, std::memory_order_relaxed); }
    /// Counts a replay that launched num_launches kernels.
    void count_replay(size_type num_launches) const noexcept
    {
        counters_.launches.fetch_add(num_launches, std::memory_order_relaxed);
        counters_.replays.fetch_add(1, std::memory_order_relaxed);
    }
    /// Counts one wait of the host for the device. Kernels call it.
    void count_wait() const noexcept { counters_.waits.fetch_add(1, std::memory_order_relaxed); }

    /// Returns the name of the operation that this thread runs; "" outside of operations.
    static const char* get_current_operation_name() noexcept;

    /// Begins and ends an operation: sets the device, counts the operation, and calls the loggers.
    class SPRUCE_EXPORT operation_scope {
    public:
        operation_scope(const Executor& exec, const Operation& op);
        ~operation_scope();
        operation_scope(const operation_scope&) = delete;

    private:
        struct opened {};
        operation_scope(const Executor& exec, const Operation& op, opened);

        const Executor& exec_;
        const Operation& op_;
        const Operation* outer_;
        scoped_device_id_guard guard_;
    };

protected:
    explicit Executor(backend which) : backend_{which} {}

    template <typename Concrete>
    std::shared_ptr<const Concrete> self() const
    {
        return std::static_pointer_cast<const Concrete>(this->shared_from_this());
    }

private:
    friend class PolymorphicObject;
    template <typename Concrete, typename Base>
    friend class log::EnableLogging;

    template <typename ClosureReference, typename ClosureOmp, typename ClosureCuda, typename ClosureHip>
    class LambdaOperation : public Operation {
    public:
        LambdaOperation(std::string name, const ClosureReference& on_reference, const ClosureOmp& on_omp,
                        const ClosureCuda& on_cuda, const ClosureHip& on_hip)
            : name_(std::move(name)), reference_(on_reference), omp_(on_omp), cuda_(on_cuda), hip_(on_hip)
        {}
        void run(std::shared_ptr<const OmpExecutor>) const override { omp_(); }
        void run(std::shared_ptr<const ReferenceExecutor>) const override { reference_(); }
        void run(std::shared_ptr<const CudaExecutor>) const override { cuda_(); }
        void run(std::shared_ptr<const HipExecutor>) const override { hip_(); }
        const char* get_name() const noexcept override { return name_.c_str(); }

    private:
        std::string name_;
        const ClosureReference& reference_;
        const ClosureOmp& omp_;
        const ClosureCuda& cuda_;
        const ClosureHip& hip_;
    };

    struct atomic_counters {
        std::atomic<size_type> allocations{}, allocated_bytes{}, frees{}, copies{}, copied_bytes{}, kernels{},
            launches{}, replays{}, waits{};
    };

    void* alloc_bytes(size_type num_bytes) const;
    void copy_bytes_from(const Executor* source, size_type num_bytes, const void* from, void* to) const;
    virtual void* raw_alloc(size_type num_bytes) const = 0;
    virtual void raw_free(void* ptr) const noexcept = 0;

    backend backend_;
    log_propagation_mode log_propagation_mode_{log_propagation_mode::automatic};
    mutable atomic_counters counters_;
};

/// Runs kernels on all cores with OpenMP.
/// After fork() the threads of OpenMP do not exist in the child process, and common run-time
/// libraries of OpenMP do not start others there. So if a process has run a kernel on this
/// executor, a child that fork() creates afterwards hangs when it runs a kernel. Create children
/// before the first kernel, let them call exec(), or let them use ReferenceExecutor.
class SPRUCE_EXPORT OmpExecutor : public Executor {
public:
    /// Creates an executor.
    /// @throws NotSupported  for a null pointer
    static std::shared_ptr<OmpExecutor> create(
        std::shared_ptr<CpuAllocatorBase> allocator = std::make_shared<CpuAllocator>());

    std::shared_ptr<Executor> get_master() noexcept override { return this->shared_from_this(); }
    std::shared_ptr<const Executor> get_master() const noexcept override { return this->shared_from_this(); }
    void synchronize() const override {}
    void run(const Operation& op) const override;
    using Executor::run;
    std::string get_description() const override;
    scoped_device_id_guard get_scoped_device_id_guard() const override { return {this, 0}; }

    /// Returns the number of cores of the machine. A core that runs several threads at a time
    /// counts once.
    int get_num_cores() const;
    /// Returns the largest number of threads that a core runs at a time; 1 if the system does not
    /// report it.
    int get_num_threads_per_core() const;
    /// Returns the number of threads that kernels use.
    static int get_num_omp_threads();

protected:
    OmpExecutor(backend which, std::shared_ptr<CpuAllocatorBase> allocator);

private:
    void* raw_alloc(size_type num_bytes) const override;
    void raw_free(void* ptr) const noexcept override;

    std::shared_ptr<CpuAllocatorBase> allocator_;
};

/// Runs kernels on one core. They are written for clarity and define the correct results.
class SPRUCE_EXPORT ReferenceExecutor : public OmpExecutor {
public:
    static std::shared_ptr<ReferenceExecutor> create(
        std::shared_ptr<CpuAllocatorBase> allocator = std::make_shared<CpuAllocator>());

    void run(const Operation& op) const override;
    using Executor::run;
    std::string get_description() const override { return "ReferenceExecutor on 1 core"; }
    scoped_device_id_guard get_scoped_device_id_guard() const override { return {this, 0}; }

private:
    using OmpExecutor::OmpExecutor;
};

namespace detail {

/// Describes a device.
struct gpu_properties {
    std::string name;
    std::string architecture;  ///< "sm_90", "gfx90a", ...
    int warp_size{};
    int num_multiprocessors{};
    int max_threads_per_multiprocessor{};
    int shared_memory_per_block{};  ///< bytes that a kernel may use
    int major{};
    int minor{};
    int numa_node{-1};         ///< -1: unknown
    size_type total_memory{};  ///< bytes
};

/// Reserves scratch memory on a device for the kernels of one operation until they are launched.
/// Its contents are not kept.
class scratch_guard {
public:
    scratch_guard(std::unique_lock<std::mutex> in_use, void* memory) : in_use_{std::move(in_use)}, memory_{memory} {}
    template <typename T>
    T* as() const
    {
        return static_cast<T*>(memory_);
    }

private:
    std::unique_lock<std::mutex> in_use_;
    void* memory_;
};

/// Implements what CudaExecutor and HipExecutor have in common: a device, a stream, and the runtime
/// of the backend.
class SPRUCE_EXPORT GpuExecutor : public Executor {
public:
    ~GpuExecutor() override;
    std::shared_ptr<Executor> get_master() noexcept override { return master_; }
    std::shared_ptr<const Executor> get_master() const noexcept override { return master_; }
    void synchronize() const override;
    std::string get_description() const override;
    scoped_device_id_guard get_scoped_device_id_guard() const override { return {runtime_, device_id_}; }

    int get_device_id() const noexcept { return device_id_; }
    int get_num_multiprocessor() const noexcept { return properties_.num_multiprocessors; }
    int get_num_warps_per_sm() const noexcept
    {
        return properties_.max_threads_per_multiprocessor / properties_.warp_size;
    }
    int get_num_warps() const noexcept { return this->get_num_warps_per_sm() * properties_.num_multiprocessors; }
    int get_warp_size() const noexcept { return properties_.warp_size; }
    int get_major_version() const noexcept { return properties_.major; }
    int get_minor_version() const noexcept { return properties_.minor; }
    int get_compute_capability() const noexcept { return 10 * properties_.major + properties_.minor; }
    /// Returns the NUMA node closest to the device; -1 if the system does not report it.
    int get_closest_numa() const noexcept { return properties_.numa_node; }
    /// Returns the numbers of the processing units of the host on the closest NUMA node; empty if
    /// the system does not report them.
    std::vector<int> get_closest_pus() const;
    const gpu_properties& get_gpu_properties() const noexcept { return properties_; }

    DeviceRuntime& get_runtime() const noexcept { return *runtime_; }
    /// Returns the stream of the launches of this thread: the stream of the executor, or a stream
    /// that records them.
    void* get_raw_stream() const noexcept;
    /// Returns the handle of the vendor's sparse library for this device and stream. The first call
    /// creates it.
    void* get_raw_sparselib_handle() const;
    /// Returns the handle of the vendor's library for dense matrices for this device and stream.
    /// The first call creates it.
    void* get_raw_blas_handle() const;
    /// Returns a counter in the memory of the device, which is zero between kernels. Blocks
    /// increment it to determine which block finishes last.
    unsigned* get_block_counter() const;
    /// Reserves memory that is allocated once and used repeatedly, so that products do not
    /// allocate. An operation may hold one guard at a time.
    scratch_guard acquire_scratch(size_type num_bytes) const;

protected:
    GpuExecutor(backend which, int device_id, std::shared_ptr<Executor> master, std::shared_ptr<Allocator> allocator,
                void* stream);

private:
    void* raw_alloc(size_type num_bytes) const override;
    void raw_free(void* ptr) const noexcept override;

    using create_function = void* (DeviceRuntime::*)(void*);
    using destroy_function = void (DeviceRuntime::*)(void*) noexcept;
    void* get_or_create(std::atomic<void*>& handle, create_function create, destroy_function destroy) const;

    DeviceRuntime* runtime_;
    int device_id_;
    std::shared_ptr<Executor> master_;
    std::shared_ptr<Allocator> allocator_;  ///< null: the runtime's pool, in the order of the stream
    void* stream_;
    gpu_properties properties_;
    mutable std::atomic<void*> sparselib_handle_{};
    mutable std::atomic<void*> blas_handle_{};
    mutable std::atomic<void*> block_counter_{};
    mutable std::mutex scratch_in_use_;
    mutable std::vector<void*> scratch_;  ///< the last one is the largest; recordings may refer to the others
    mutable size_type scratch_size_{};
};

}  // namespace detail

/// Runs kernels on an NVIDIA GPU.
class SPRUCE_EXPORT CudaExecutor : public detail::GpuExecutor {
public:
    /// Creates an executor.
    /// @param allocator  null: memory from the pool of the device, in the order of the stream
    /// @param stream  null: the default stream of the device; otherwise it must outlive the
    ///     executor
    /// @throws NotCompiled  if the backend is not built or cannot be loaded
    /// @throws CudaError  if there is no such device
    static std::shared_ptr<CudaExecutor> create(int device_id, std::shared_ptr<Executor> master,
                                                std::shared_ptr<CudaAllocatorBase> allocator = nullptr,
                                                CUstream_st* stream = nullptr);
    static std::shared_ptr<CudaExecutor> create(int device_id, std::shared_ptr<Executor> master, bool device_reset,
                                                allocation_mode mode = default_cuda_alloc_mode,
                                                CUstream_st* stream = nullptr);

    /// Returns the number of devices; 0 without the backend, a driver or a device. Never throws.
    static int get_num_devices() noexcept;

    void run(const Operation& op) const override;
    using Executor::run;
    CUstream_st* get_stream() const noexcept { return static_cast<CUstream_st*>(this->get_raw_stream()); }
    cusparseContext* get_sparselib_handle() const
    {
        return static_cast<cusparseContext*>(this->get_raw_sparselib_handle());
    }
    cusparseContext* get_cusparse_handle() const { return this->get_sparselib_handle(); }
    cublasContext* get_blas_handle() const { return static_cast<cublasContext*>(this->get_raw_blas_handle()); }
    cublasContext* get_cublas_handle() const { return this->get_blas_handle(); }

private:
    using GpuExecutor::GpuExecutor;
};

/// Runs kernels on an AMD GPU, on an NVIDIA GPU through HIP, or on the simulated device of the host
/// platform.
class SPRUCE_EXPORT HipExecutor : public detail::GpuExecutor {
public:
    /// Creates an executor.
    /// @param allocator  null: memory from the pool of the device, in the order of the stream
    /// @param stream  null: the default stream of the device; otherwise it must outlive the
    ///     executor
    /// @throws NotCompiled  if the backend is not built or cannot be loaded
    /// @throws HipError  if there is no such device
    static std::shared_ptr<HipExecutor> create(int device_id, std::shared_ptr<Executor> master,
                                               std::shared_ptr<HipAllocatorBase> allocator = nullptr,
                                               SPRUCE_HIP_STREAM_STRUCT* stream = nullptr);
    static std::shared_ptr<HipExecutor> create(int device_id, std::shared_ptr<Executor> master, bool device_reset,
                                               allocation_mode mode = default_hip_alloc_mode,
                                               SPRUCE_HIP_STREAM_STRUCT* stream = nullptr);

    static int get_num_devices() noexcept;

    void run(const Operation& op) const override;
    using Executor::run;
    SPRUCE_HIP_STREAM_STRUCT* get_stream() const noexcept
    {
        return static_cast<SPRUCE_HIP_STREAM_STRUCT*>(this->get_raw_stream());
    }
    hipsparseContext* get_sparselib_handle() const
    {
        return static_cast<hipsparseContext*>(this->get_raw_sparselib_handle());
    }
    hipsparseContext* get_hipsparse_handle() const { return this->get_sparselib_handle(); }
    /// Returns the handle of hipBLAS.
    /// @throws NotSupported  if there is no hipBLAS
    /// @see doc/architecture.md
    hipblasContext* get_blas_handle() const { return static_cast<hipblasContext*>(this->get_raw_blas_handle()); }
    hipblasContext* get_hipblas_handle() const { return this->get_blas_handle(); }

private:
    using GpuExecutor::GpuExecutor;
};

/// Names properties of SYCL queues, so that applications that pass them to DpcppExecutor::create()
/// compile.
enum class dpcpp_queue_property { in_order = 1, enable_profiling = 2 };

/// Represents devices that are programmed in SYCL, for which there are no kernels. Applications
/// that name this class compile, but no objects of it exist: create() throws, and no derived class
/// can be constructed.
class SPRUCE_EXPORT DpcppExecutor : public Executor {
public:
    DpcppExecutor() = delete;

    /// Throws, since there is no backend for SYCL.
    /// @throws NotCompiled  always
    static std::shared_ptr<DpcppExecutor> create(int device_id, std::shared_ptr<Executor> master,
                                                 std::string device_type = "all",
                                                 dpcpp_queue_property property = dpcpp_queue_property::in_order);

    /// Returns 0 for each type of device.
    static int get_num_devices(std::string device_type) noexcept;

    // These properties of the device are declared so that code that calls the functions compiles.
    virtual int get_device_id() const noexcept = 0;
    virtual const std::vector<int>& get_subgroup_sizes() const noexcept = 0;
    virtual int get_num_computing_units() const noexcept = 0;
    virtual int get_num_subgroups() const noexcept = 0;
    virtual const std::vector<int>& get_max_workitem_sizes() const noexcept = 0;
    virtual int get_max_workgroup_size() const noexcept = 0;
    virtual int get_max_subgroup_size() const noexcept = 0;
    virtual std::string get_device_type() const noexcept = 0;
};

/// Frees memory through the executor that allocated it.
template <typename T>
class executor_deleter {
public:
    using pointer = T*;
    explicit executor_deleter(std::shared_ptr<const Executor> exec) : exec_{std::move(exec)} {}
    void operator()(pointer ptr) const
    {
        if (exec_) {
            exec_->free(ptr);
        }
    }

private:
    std::shared_ptr<const Executor> exec_;
};
template <typename T>
class executor_deleter<T[]> : public executor_deleter<T> {
    using executor_deleter<T>::executor_deleter;
};

}  // namespace spruce
