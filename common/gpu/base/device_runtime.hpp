// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Contains the interface of both GPU backends to the device: memory, streams, events and
// recordings. SPRUCE_GPU(name) is the runtime's name with its prefix.

#include "common/gpu/base/prelude.hpp"
#include "core/base/backends.hpp"
#include "core/base/topology.hpp"

#include SPRUCE_BACKEND_FILE(base, binding)
#include SPRUCE_BACKEND_FILE(base, blas_binding)

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

class Runtime final : public spruce::detail::DeviceRuntime {
public:
    int get_num_devices() noexcept override
    {
        int count{};
        if (SPRUCE_GPU(GetDeviceCount)(&count) != SPRUCE_GPU(Success)) {
            static_cast<void>(SPRUCE_GPU(GetLastError)());  // clears the error of a missing driver or device
            return 0;
        }
        return count;
    }

    spruce::detail::gpu_properties get_properties(int device) override
    {
        device_properties properties{};
        throw_on_error(SPRUCE_GPU(GetDeviceProperties)(&properties, device), "the device's properties");
        spruce::detail::gpu_properties result;
        result.name = properties.name;
        result.architecture = architecture_of(properties);
        result.warp_size = properties.warpSize;
        result.num_multiprocessors = properties.multiProcessorCount;
        result.max_threads_per_multiprocessor = properties.maxThreadsPerMultiProcessor;
        result.shared_memory_per_block = static_cast<int>(properties.sharedMemPerBlock);
        result.major = properties.major;
        result.minor = properties.minor;
        result.numa_node = spruce::detail::numa_node_of_pci_device(properties.pciDomainID, properties.pciBusID,
                                                                   properties.pciDeviceID);
        result.total_memory = properties.totalGlobalMem;
        return result;
    }

    int get_built_warp_size() const noexcept override { return warp_size; }

    int exchange_device(int device) noexcept override
    {
        int previous{};
        if (SPRUCE_GPU(GetDevice)(&previous) != SPRUCE_GPU(Success) || previous != device) {
            static_cast<void>(SPRUCE_GPU(SetDevice)(device));  // a failure is reported by the next call that can throw
        }
        return previous;
    }

    void* allocate(spruce::detail::memory_kind kind, size_type num_bytes, void* stream) override
    {
        using spruce::detail::memory_kind;
        void* result{};
        auto error = SPRUCE_GPU(Success);
        switch (kind) {
        case memory_kind::pooled:
            disable_pool_trimming();
            error = SPRUCE_GPU(MallocAsync)(&result, num_bytes, static_cast<stream_type>(stream));
            break;
        case memory_kind::device:
            error = SPRUCE_GPU(Malloc)(&result, num_bytes);
            break;
        case memory_kind::unified:
            error = malloc_managed(&result, num_bytes);
            break;
        case memory_kind::pinned_host:
            error = malloc_pinned(&result, num_bytes);
            break;
        }
        if (error == out_of_memory) {
            static_cast<void>(SPRUCE_GPU(GetLastError)());
            throw AllocationError(__FILE__, __LINE__, backend_name, num_bytes);
        }
        throw_on_error(error, "an allocation");
        return result;
    }

    void deallocate(spruce::detail::memory_kind kind, void* ptr, void* stream) noexcept override
    {
        using spruce::detail::memory_kind;
        switch (kind) {
        case memory_kind::pooled:
            if (SPRUCE_GPU(FreeAsync)(ptr, static_cast<stream_type>(stream)) != SPRUCE_GPU(Success)) {
                // The stream may have been destroyed before its last vector. Then the memory is
                // released in the order of the default stream.
                static_cast<void>(SPRUCE_GPU(FreeAsync)(ptr, nullptr));
            }
            break;
        case memory_kind::pinned_host:
            static_cast<void>(free_pinned(ptr));
            break;
        default:
            static_cast<void>(SPRUCE_GPU(Free)(ptr));
        }
        static_cast<void>(SPRUCE_GPU(GetLastError)());
    }

    void copy(void* to, const void* from, size_type num_bytes, void* stream) override
    {
        throw_on_error(SPRUCE_GPU(MemcpyAsync)(to, from, num_bytes, copy_by_address, static_cast<stream_type>(stream)),
                       "a copy");
    }

    void synchronize(void* stream) override
    {
        throw_on_error(SPRUCE_GPU(StreamSynchronize)(static_cast<stream_type>(stream)), "the work before this wait");
    }

    void* create_stream(int device) override
    {
        const scoped_device_id_guard guard{this, device};
        stream_type stream{};
        throw_on_error(SPRUCE_GPU(StreamCreate)(&stream), "a new stream");
        return stream;
    }
    void destroy_stream(int device, void* stream) noexcept override
    {
        const scoped_device_id_guard guard{this, device};
        static_cast<void>(SPRUCE_GPU(StreamDestroy)(static_cast<stream_type>(stream)));
    }

    void* create_event() override
    {
        event_type event{};
        throw_on_error(SPRUCE_GPU(EventCreate)(&event), "a new event");
        return event;
    }
    void destroy_event(void* event) noexcept override
    {
        static_cast<void>(SPRUCE_GPU(EventDestroy)(static_cast<event_type>(event)));
    }
    void record_event(void* event, void* stream) override
    {
        throw_on_error(SPRUCE_GPU(EventRecord)(static_cast<event_type>(event), static_cast<stream_type>(stream)),
                       "an event");
    }
    void wait_event(void* event) override
    {
        throw_on_error(SPRUCE_GPU(EventSynchronize)(static_cast<event_type>(event)), "the work before an event");
    }
    double elapsed_milliseconds(void* start, void* stop) override
    {
        float result{};
        throw_on_error(
            SPRUCE_GPU(EventElapsedTime)(&result, static_cast<event_type>(start), static_cast<event_type>(stop)),
            "the time between two events");
        return result;
    }

    void* create_sparselib_handle(void* stream) override { return sparselib::create_handle(stream); }
    void destroy_sparselib_handle(void* handle) noexcept override { sparselib::destroy_handle(handle); }
    void* create_blas_handle(void* stream) override { return vendor_blas::create_handle(stream); }
    void destroy_blas_handle(void* handle) noexcept override { vendor_blas::destroy_handle(handle); }

    void* create_block_counter(void* stream) override
    {
        const auto block_counter = this->allocate(spruce::detail::memory_kind::device, sizeof(unsigned), stream);
        const unsigned zero{};
        this->copy(block_counter, &zero, sizeof(unsigned), stream);
        this->synchronize(stream);
        return block_counter;
    }
    void destroy_block_counter(void* block_counter) noexcept override
    {
        this->deallocate(spruce::detail::memory_kind::device, block_counter, nullptr);
    }

    void* begin_capture(int device) override
    {
        const scoped_device_id_guard guard{this, device};
        stream_type stream{};
        // Other threads may use the default stream during the recording. A non-blocking stream does
        // not synchronize with it.
        throw_on_error(SPRUCE_GPU(StreamCreateWithFlags)(&stream, SPRUCE_GPU(StreamNonBlocking)), "a new stream");
        const auto error = SPRUCE_GPU(StreamBeginCapture)(stream, SPRUCE_GPU(StreamCaptureModeThreadLocal));
        if (error != SPRUCE_GPU(Success)) {
            static_cast<void>(SPRUCE_GPU(StreamDestroy)(stream));
            throw_on_error(error, "begin of stream capture");
        }
        return stream;
    }
    void* end_capture(void* stream, bool is_requested) override
    {
        SPRUCE_GPU(Graph_t) graph{};
        auto error = SPRUCE_GPU(StreamEndCapture)(static_cast<stream_type>(stream), &graph);
        static_cast<void>(SPRUCE_GPU(StreamDestroy)(static_cast<stream_type>(stream)));
        SPRUCE_GPU(GraphExec_t) recorded{};
        if (error == SPRUCE_GPU(Success) && is_requested) {
            error = SPRUCE_GPU(GraphInstantiateWithFlags)(&recorded, graph, 0);
        }
        if (graph) {
            static_cast<void>(SPRUCE_GPU(GraphDestroy)(graph));
        }
        if (!is_requested) {
            static_cast<void>(SPRUCE_GPU(GetLastError)());
            return nullptr;
        }
        throw_on_error(error, "end of stream capture");
        return recorded;
    }
    void replay(void* recorded, void* stream) override
    {
        throw_on_error(
            SPRUCE_GPU(GraphLaunch)(static_cast<SPRUCE_GPU(GraphExec_t)>(recorded), static_cast<stream_type>(stream)),
            "graph launch");
    }
    void destroy_graph(void* recorded) noexcept override
    {
        static_cast<void>(SPRUCE_GPU(GraphExecDestroy)(static_cast<SPRUCE_GPU(GraphExec_t)>(recorded)));
    }

private:
    /// Keeps freed memory in the device's pool. Returning it to the driver at each synchronization
    /// costs more than a kernel.
    static void disable_pool_trimming()
    {
        static std::atomic<uint64> prepared{};
        int device{};
        if (SPRUCE_GPU(GetDevice)(&device) != SPRUCE_GPU(Success) || (prepared.load() >> device & 1u)) {
            return;
        }
        memory_pool pool{};
        if (SPRUCE_GPU(DeviceGetDefaultMemPool)(&pool, device) == SPRUCE_GPU(Success)) {
            auto threshold = ~uint64{0};
            static_cast<void>(SPRUCE_GPU(MemPoolSetAttribute)(pool, pool_release_threshold, &threshold));
        }
        prepared.fetch_or(uint64{1} << device);
    }
};

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
