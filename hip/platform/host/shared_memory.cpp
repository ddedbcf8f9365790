// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: 2026 The Spruce authors
#include "internal.hpp"

#include <cstdlib>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hip_host {
namespace detail {

/// Holds the __shared__ variables of one function of one module.
struct Shared_function {
    struct Range {
        char* begin;
        std::size_t size;
    };

    std::vector<Range> variables;
    std::size_t size{};
    std::size_t block_serial{};  // block for which they were filled
};

namespace {

constexpr const char* marker_name = "hip_host_shared_marker_";
constexpr const char* variable_tag = "B13spruce_shared";  // the mangled ABI tag

/// Returns the functions with __shared__ variables by the addresses of their markers. It is filled
/// module by module.
std::unordered_map<const void*, Shared_function*>& functions_of_markers()
{
    static auto& map = *new std::unordered_map<const void*, Shared_function*>;
    return map;
}

std::size_t shared_bytes_of_block = 0;

/// Fills a variable. It also writes to the red zones of the symbols, for which the address
/// sanitizer would refuse a call of memset.
void fill(const Shared_function::Range& range)
{
    for (volatile char* byte = range.begin; byte != range.begin + range.size; ++byte) {
        *byte = static_cast<char>(uninitialized_byte);
    }
}

/// Collects the __shared__ variables of a module. The mangled name of a local variable is
/// _Z Z<function> E <length><name>. The name of a marker shows where <function> E ends. The names
/// of the variables of this function begin with these characters.
void scan_module(const void* address)
{
    auto& known = functions_of_markers();
    std::map<std::string, Shared_function*> functions;
    for_each_symbol(address, [&](const char* mangled, const char* marker, std::size_t) {
        const std::string name{mangled};
        auto end = name.rfind(marker_name);
        if (name.compare(0, 3, "_ZZ") != 0 || end == std::string::npos) {
            return;
        }
        end = name.find_last_not_of("0123456789", end - 1) + 1;
        auto& function = functions[name.substr(0, end)];
        if (function == nullptr) {
            function = new Shared_function;
        }
        known[marker] = function;
    });
    for_each_symbol(address, [&](const char* mangled, const char* variable, std::size_t size) {
        const std::string name{mangled};
        auto end = name.rfind(variable_tag);
        if (name.compare(0, 3, "_ZZ") != 0 || end == std::string::npos) {
            return;
        }
        for (end = name.rfind('E', end); end != std::string::npos && end > 0; end = name.rfind('E', end - 1)) {
            const auto function = functions.find(name.substr(0, end + 1));
            if (function != functions.end()) {
                function->second->variables.push_back({const_cast<char*>(variable), size});
                function->second->size += size;
                return;
            }
        }
    });
}

/// Represents a module that is mapped into this process.
struct Module {
    const char* address;  // address to be found
    std::string file;
    const char* base;
};

int find_module(dl_phdr_info* info, std::size_t, void* data)
{
    auto& module = *static_cast<Module*>(data);
    const auto* const base = reinterpret_cast<const char*>(info->dlpi_addr);
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto& segment = info->dlpi_phdr[i];
        const auto* const begin = base + segment.p_vaddr;
        if (segment.p_type == PT_LOAD && module.address >= begin && module.address < begin + segment.p_memsz) {
            module.file = info->dlpi_name[0] != '\0' ? info->dlpi_name : "/proc/self/exe";
            module.base = base;
            return 1;
        }
    }
    return 0;
}

}  // namespace

void for_each_symbol(const void* address,
                     const std::function<void(const char* name, const char* address, std::size_t size)>& visit)
{
    Module module{static_cast<const char*>(address), {}, {}};
    if (dl_iterate_phdr(find_module, &module) == 0) {
        return;
    }
    const int file = open(module.file.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return;
    }
    struct stat status {};
    fstat(file, &status);
    const auto length = static_cast<std::size_t>(status.st_size);
    auto* const mapped = mmap(nullptr, length, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (mapped == MAP_FAILED) {
        return;
    }
    const auto* const image = static_cast<const char*>(mapped);
    const auto& header = *reinterpret_cast<const ElfW(Ehdr)*>(image);
    const auto* const sections = reinterpret_cast<const ElfW(Shdr)*>(image + header.e_shoff);
    for (int s = 0; s < header.e_shnum; ++s) {
        if (sections[s].sh_type != SHT_SYMTAB) {
            continue;
        }
        const auto* const names = image + sections[sections[s].sh_link].sh_offset;
        const auto* const symbols = reinterpret_cast<const ElfW(Sym)*>(image + sections[s].sh_offset);
        const auto num_symbols = sections[s].sh_size / sizeof(ElfW(Sym));
        for (std::size_t i = 0; i < num_symbols; ++i) {
            if (symbols[i].st_shndx != SHN_UNDEF && symbols[i].st_size > 0) {
                visit(names + symbols[i].st_name, module.base + symbols[i].st_value, symbols[i].st_size);
            }
        }
    }
    munmap(mapped, length);
}

void begin_block_shared(std::size_t dynamic_bytes) { shared_bytes_of_block = dynamic_bytes; }

void enter_shared(Shared_marker& marker)
{
    marker.block_serial = state.block_serial;
    if (marker.function == nullptr) {
        auto& known = functions_of_markers();
        if (known.count(&marker) == 0) {
            scan_module(&marker);
        }
        auto& function = known[&marker];
        if (function == nullptr) {
            function = new Shared_function;  // in a stripped module nothing is known and nothing is filled
        }
        marker.function = function;
    }
    auto& function = *marker.function;
    if (function.block_serial == state.block_serial) {
        return;  // filled at another declaration, and possibly written since
    }
    function.block_serial = state.block_serial;
    for (const auto& variable : function.variables) {
        fill(variable);
    }
    shared_bytes_of_block += function.size;
    // With AddressSanitizer the sizes include red zones.
    if (!SPRUCE_HIP_HOST_ASAN && shared_bytes_of_block > max_shared_bytes) {
        fail(("needs " + std::to_string(shared_bytes_of_block) + " bytes of shared memory, but a block has " +
              std::to_string(max_shared_bytes))
                 .c_str());
    }
}

std::string kernel_name(const Launch& launch)
{
    std::string name{launch.text};
    for_each_symbol(launch.entry, [&](const char* mangled, const char* address, std::size_t) {
        if (address == launch.entry) {
            int status{};
            const std::unique_ptr<char, decltype(&std::free)> demangled{
                abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free};
            if (status == 0) {
                name = demangled.get();
            }
        }
    });
    return "kernel " + name;
}

}  // namespace detail
}  // namespace hip_host
