// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/base/backends.hpp"

#include <cstring>
#include <filesystem>
#include <mutex>
#include <string>
#include <system_error>
#include <vector>

#include <dlfcn.h>
#include <link.h>

#include "core/base/build_config.hpp"
#include "core/base/environment.hpp"

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
/// Holds folders as they are when the core is loaded. Later, relative paths would depend on a
/// changed working directory.
struct load_time_folders {
    std::filesystem::path current;
    std::filesystem::path own;  ///< folder of the library that contains the core
};

const load_time_folders& get_load_time_folders() noexcept
{
    static const auto folders = [] {
        load_time_folders result;
        try {
            std::error_code ignored;
            result.current = std::filesystem::current_path(ignored);
            Dl_info info{};
            if (dladdr(&probe_kernel, &info) != 0 && info.dli_fname) {
                const auto file = result.current / info.dli_fname;
                auto folder = std::filesystem::canonical(file.parent_path(), ignored);
                result.own = ignored ? file.parent_path() : std::move(folder);
            }
        } catch (...) {
            result = {};  // out of memory: no folder is searched
        }
        return result;
    }();
    return folders;
}

[[maybe_unused]] const auto& evaluated_when_loaded = get_load_time_folders();

/// Returns the folders in which backends are searched, in order of search.
std::vector<std::filesystem::path> get_backend_folders()
{
    const auto& folders = get_load_time_folders();
    std::vector<std::filesystem::path> result;
    if (const auto asked = get_environment("SPRUCE_BACKEND_PATH")) {
        result.push_back(folders.current / asked);
    }
    result.push_back(folders.own);
    return result;
}

/// Makes the symbols of the core global. If the core was opened with RTLD_LOCAL (as part of an
/// extension module of an interpreter), the libraries that it opens would otherwise not share its
/// kernel table.
void promote_core()
{
    Dl_info info{};
    if (dladdr(&probe_kernel, &info) != 0 && info.dli_fname) {
        dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
    }
}

/// Returns the reason why the backend is incompatible with the available devices, or an empty text
/// if it is compatible.
std::string incompatibility(DeviceRuntime& runtime)
try {
    if (runtime.get_num_devices() == 0) {
        return "";  // any library can report this
    }
    const auto width = runtime.get_properties(0).warp_size;
    const auto built = runtime.get_built_warp_size();
    return width == built
               ? ""
               : " is built for warps of " + std::to_string(built) + ", the device has " + std::to_string(width);
} catch (const std::exception& error) {
    return std::string(": ") + error.what();
}

/// Returns true if a symbol is data of this size, as far as the dynamic linker knows. Does not call
/// code of the library.
bool is_data_of_size([[maybe_unused]] const void* symbol, [[maybe_unused]] size_type size)
{
#ifdef __GLIBC__
    Dl_info info{};
    void* entry{};
    if (dladdr1(symbol, &info, &entry, RTLD_DL_SYMENT) == 0 || !entry) {
        return false;
    }
    const auto& elf = *static_cast<const ElfW(Sym)*>(entry);
    return ELF64_ST_TYPE(elf.st_info) == STT_OBJECT && elf.st_size == size;  // the macro also works for 32 bits
#else
    return true;
#endif
}

std::string to_string(const backend_interface& interface)
{
    return "Spruce " + std::string(interface.version, strnlen(interface.version, sizeof(interface.version))) +
           (interface.has_minimal_types ? " with minimal types (" : " with all types (") +
           std::to_string(interface.num_runtime_functions) + " runtime functions, " +
           std::to_string(interface.num_kernel_groups) + " groups of kernels, executors of " +
           std::to_string(interface.executor_size) + " bytes, kernels of " + std::to_string(interface.kernel_size) +
           " bytes, class layout " + std::to_string(interface.class_layout) + ")";
}

/// Stores the backend of the library in the state. Returns the reason of a failure, or an empty
/// text.
std::string use_library(backend_state& state, void* library, const std::string& entry_name)
{
    const auto entry = static_cast<const spruce_backend_entry*>(dlsym(library, entry_name.c_str()));
    if (!entry || !is_data_of_size(entry, sizeof(spruce_backend_entry))) {
        return " is no backend of Spruce " SPRUCE_VERSION_STR ": it has no data " + entry_name + " of " +
               std::to_string(sizeof(spruce_backend_entry)) + " bytes";
    }
    if (std::memcmp(&entry->interface, &own_interface, sizeof(own_interface)) != 0) {
        return " belongs to " + to_string(entry->interface) + ", this core to " + to_string(own_interface);
    }
    const auto runtime = entry->get_runtime(&probe_kernel);
    if (!runtime) {
        return " does not share the kernel table of this core";
    }
    if (auto misfit = incompatibility(*runtime); !misfit.empty()) {
        return misfit;
    }
    entry->register_kernels();
    state.runtime = runtime;
    state.loaded = true;
    return "";
}

void open_library(backend_state& state, const std::string& file, const std::string& kind)
{
    for (const auto& folder : get_backend_folders()) {
        const auto path = (folder / file).string();
        if (!folder.is_absolute()) {
            state.failure += "; " + path + " is relative to a folder that could not be determined";
            continue;
        }
        const auto library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            state.failure += std::string("; ") + dlerror();
            continue;
        }
        const auto failure = use_library(state, library, "spruce_" + kind + "_entry");
        if (failure.empty()) {
            return;
        }
        state.failure += "; " + path + failure;
        dlclose(library);
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
    state.runtime = spruce_cuda_entry.get_runtime(&probe_kernel);
    spruce_cuda_entry.register_kernels();
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
    state.runtime = spruce_hip_entry.get_runtime(&probe_kernel);
    spruce_hip_entry.register_kernels();
    state.loaded = true;
#elif SPRUCE_WITH_HIP
    promote_core();
    // There is one library for each warp size. The environment variable selects one; otherwise the
    // first compatible one is loaded.
    const auto asked = get_environment("SPRUCE_HIP_WARP_SIZE");
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
    state.failure.clear();  // an exception may have left text from an earlier attempt
    switch (which) {
    case backend::reference:
        load_reference(state);
        break;
    case backend::omp:
        load_omp(state);
        break;
    case backend::cuda:
        load_cuda(state);
        break;
    case backend::hip:
        load_hip(state);
        break;
    }
    state.tried = true;
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
