// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/base/backends.hpp"

#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include <dlfcn.h>

#include "core/base/parts.hpp"

namespace spruce::detail {
namespace {

struct backend_state {
    std::mutex mutex;
    bool tried{};
    bool loaded{};
    DeviceRuntime* runtime{};
    std::string failure;
};

backend_state& state_of(backend which)
{
    static backend_state states[num_backends];
    return states[static_cast<int>(which)];
}

#if (SPRUCE_WITH_CUDA || SPRUCE_WITH_HIP) && !SPRUCE_STATIC
/// The folder of the library (or program) that holds the core.
std::string own_directory()
{
    Dl_info info{};
    if (dladdr(&probe_kernel, &info) == 0 || !info.dli_fname) {
        return ".";
    }
    const std::string path = info.dli_fname;
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash);
}

/// A core that was opened with RTLD_LOCAL (an extension module of an interpreter) does not share its slots with what it
/// opens in turn, unless it is promoted first.
void promote_core()
{
    Dl_info info{};
    if (dladdr(&probe_kernel, &info) != 0 && info.dli_fname) {
        dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
    }
}

/// Why the backend does not suit the devices that are there; empty if it does.
std::string why_unfit(DeviceRuntime& runtime)
try {
    if (runtime.get_num_devices() == 0) {
        return "";  // any library will do to say so
    }
    const auto width = runtime.get_facts(0).warp_size;
    const auto built = runtime.get_built_warp_size();
    return width == built
               ? ""
               : " is built for warps of " + std::to_string(built) + ", the device has " + std::to_string(width);
} catch (const std::exception& error) {
    return std::string(": ") + error.what();
}

void open_library(backend_state& state, const std::string& file, const std::string& kind)
{
    std::vector<std::string> directories;
    if (const auto path = std::getenv("SPRUCE_BACKEND_PATH")) {
        directories.emplace_back(path);
    }
    directories.push_back(own_directory());
    for (const auto& directory : directories) {
        const auto path = directory + "/" + file;
        const auto library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            state.failure += std::string("; ") + dlerror();
            continue;
        }
        const auto entry =
            reinterpret_cast<spruce_backend_entry*>(dlsym(library, ("spruce_" + kind + "_entry").c_str()));
        const auto enter =
            reinterpret_cast<spruce_backend_register*>(dlsym(library, ("spruce_" + kind + "_register").c_str()));
        state.runtime = entry && enter ? entry(&probe_kernel) : nullptr;
        if (!state.runtime) {
            state.failure += "; " + path + (entry ? " does not share the kernel table of this core" : " is no backend");
            dlclose(library);
            continue;
        }
        if (const auto misfit = why_unfit(*state.runtime); !misfit.empty()) {
            state.failure += "; " + path + misfit;
            state.runtime = nullptr;
            dlclose(library);
            continue;
        }
        enter();
        state.loaded = true;
        return;
    }
}
#endif

void load_reference(backend_state& state)
{
    kernels::reference::register_kernels();
    state.loaded = true;
}

void load_omp(backend_state& state)
{
#if SPRUCE_WITH_OMP
    kernels::omp::register_kernels();
    state.loaded = true;
#else
    state.failure = "; Spruce was built without it (SPRUCE_BUILD_OMP)";
#endif
}

void load_cuda(backend_state& state)
{
#if SPRUCE_WITH_CUDA && SPRUCE_STATIC
    state.runtime = spruce_cuda_entry(&probe_kernel);
    spruce_cuda_register();
    state.loaded = true;
#elif SPRUCE_WITH_CUDA
    promote_core();
    open_library(state, "libspruce_cuda.so", "cuda");
#else
    state.failure = "; Spruce was built without it (SPRUCE_BUILD_CUDA)";
#endif
}

void load_hip(backend_state& state)
{
#if SPRUCE_WITH_HIP && SPRUCE_STATIC
    state.runtime = spruce_hip_entry(&probe_kernel);
    spruce_hip_register();
    state.loaded = true;
#elif SPRUCE_WITH_HIP
    promote_core();
    // One library for each width; the environment picks one, otherwise the first that fits the device.
    const auto asked = std::getenv("SPRUCE_HIP_WARP_SIZE");
    for (const auto width : {SPRUCE_HIP_WARP_SIZES}) {
        if (!state.loaded && (!asked || asked == std::to_string(width))) {
            open_library(state, "libspruce_hip" + std::to_string(width) + ".so", "hip");
        }
    }
    if (!state.loaded && state.failure.empty()) {
        state.failure = std::string("; SPRUCE_HIP_WARP_SIZE asks for width ") + asked + ", which was not built";
    }
#else
    state.failure = "; Spruce was built without it (SPRUCE_BUILD_HIP)";
#endif
}

void load(backend which, backend_state& state)
{
    const std::lock_guard<std::mutex> lock{state.mutex};
    if (state.tried) {
        return;
    }
    state.tried = true;
    switch (which) {
    case backend::reference:
        return load_reference(state);
    case backend::omp:
        return load_omp(state);
    case backend::cuda:
        return load_cuda(state);
    case backend::hip:
        return load_hip(state);
    }
}

std::string reason(const backend_state& state)
{
    return state.failure.empty() ? "unknown reason" : state.failure.substr(2);
}

}  // namespace

DeviceRuntime* load_backend(backend which)
{
    auto& state = state_of(which);
    load(which, state);
    if (!state.loaded) {
        throw NotCompiled(__FILE__, __LINE__, "Executor::create",
                          std::string(to_string(which)) + " (" + reason(state) +
                              "; set SPRUCE_BACKEND_PATH to the folder of the backends)");
    }
    return state.runtime;
}

DeviceRuntime* try_load_backend(backend which) noexcept
try {
    auto& state = state_of(which);
    load(which, state);
    return state.runtime;
} catch (...) {
    return nullptr;
}

bool is_compiled(backend which) noexcept
{
    switch (which) {
    case backend::reference:
        return true;
    case backend::omp:
        return SPRUCE_WITH_OMP;
    case backend::cuda:
        return SPRUCE_WITH_CUDA;
    case backend::hip:
        return SPRUCE_WITH_HIP;
    }
    return false;
}

namespace {
const KernelBase* first_kernel{};
std::mutex kernel_list_mutex;
}  // namespace

const KernelBase* KernelBase::get_first() noexcept { return first_kernel; }

void KernelBase::set_erased(backend which, erased_function function) noexcept
{
    const std::lock_guard<std::mutex> lock{kernel_list_mutex};
    functions_[static_cast<int>(which)] = function;
    if (!listed_) {
        listed_ = true;
        next_ = first_kernel;
        first_kernel = this;
    }
}

KernelOperation::~KernelOperation() = default;

}  // namespace spruce::detail
