// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <unistd.h>
#include <CLI/CLI.hpp>

#include <spruce/base/mtx_io.hpp>

#include "benchmark/commands.hpp"
#include "benchmark/errors.hpp"
#include "benchmark/generators/generators.hpp"
#include "benchmark/interrupt.hpp"
#include "benchmark/matrix_source.hpp"
#include "benchmark/read_matrix.hpp"

namespace spruce::bench {
namespace {

struct generate_options {
    std::string spec;
    std::string path;
    std::string value_type{"double"};
    std::string index_type{"int32"};
    bool lists_families{};
    bool overwrites{};
};

bool has_ending(const std::string& text, const std::string& ending)
{
    return text.size() > ending.size() && text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

/// Returns true for a name of a binary file and false for that of a text file.
/// @throws usage_error  for other names
bool names_binary(const std::string& path)
{
    if (has_ending(path, ".bin") || has_ending(path, ".bin.gz")) {
        return true;
    }
    if (has_ending(path, ".mtx") || has_ending(path, ".mtx.gz")) {
        return false;
    }
    throw usage_error("'" + path +
                      "' should end in .mtx or .mtx.gz (Matrix Market text), or in .bin or .bin.gz (binary)");
}

/// Checks that a file may be written.
/// @throws usage_error  if there is one that should be kept, or a folder or device
void check_target(const std::string& path, bool overwrites)
{
    const auto status = std::filesystem::status(path);
    if (!std::filesystem::exists(status)) {
        return;
    }
    if (!std::filesystem::is_regular_file(status)) {
        throw usage_error(path + " exists and is no regular file");
    }
    if (!overwrites) {
        throw usage_error(path + " exists already (--force replaces it)");
    }
}

/// Holds the name of a file next to the final one, and removes the file unless it was renamed.
class temporary_file {
public:
    /// @param path  the final name; the temporary one has the ending ".gz", too, if this one has it
    explicit temporary_file(std::string path)
        : path_{std::move(path)},
          name_{path_ + ".tmp" + std::to_string(getpid()) + (has_ending(path_, ".gz") ? ".gz" : "")}
    {}
    temporary_file(const temporary_file&) = delete;
    temporary_file& operator=(const temporary_file&) = delete;
    ~temporary_file() { std::remove(name_.c_str()); }

    const std::string& get_name() const { return name_; }

    /// Gives the file its final name, which replaces an older file.
    /// @throws std::runtime_error  if the system refuses it
    void rename() const
    {
        if (std::rename(name_.c_str(), path_.c_str()) != 0) {
            throw std::runtime_error(path_ + " cannot be written: " + std::strerror(errno));
        }
    }

private:
    std::string path_;
    std::string name_;
};

void list_families(std::ostream& os)
{
    for (const auto& family : families()) {
        os << family.name << ':' << family.parameters << "\n    " << family.description << '\n';
    }
    os << "\nParameters in brackets may be omitted. seed=S (default 42) selects another sample of a random family.\n"
          "Equal texts give equal matrices on every machine.\n";
}

int run_generate(const generate_options& options)
{
    if (options.lists_families) {
        list_families(std::cout);
        return exit_code::success;
    }
    if (options.spec.empty() || options.path.empty()) {
        throw usage_error("generate needs FAMILY:PARAMETERS and FILE (generate --list shows the families)");
    }
    auto source = matrix_source::family(options.spec);
    const auto is_binary = names_binary(options.path);
    check_target(options.path, options.overwrites);
    check_name("value type", options.value_type, value_type_names());
    check_name("index type", options.index_type, index_type_names());
    source.open();
    catch_interrupts();  // until here, an interrupt ends the program at once
    const temporary_file file{options.path};
    const auto value_type = value_type_of(source, options.value_type);
    const auto written = use_matrix(source, value_type, options.index_type, [&](const auto& matrix) {
        using csr = std::decay_t<decltype(matrix)>;
        matrix_data<typename csr::value_type, typename csr::index_type> data;
        matrix.write(data);
        if (is_binary) {
            write_binary_file(file.get_name(), data);
        } else {
            write_file(file.get_name(), data);
        }
        return std::to_string(data.size[0]) + " x " + std::to_string(data.size[1]) + ", " +
               std::to_string(data.nonzeros.size()) + " entries";
    });
    if (was_interrupted()) {
        return exit_code::interrupted;
    }
    file.rename();
    std::cout << options.path << ": " << written << '\n';
    return exit_code::success;
}

}  // namespace

void add_generate(CLI::App& program, int& exit_code)
{
    const auto options = std::make_shared<generate_options>();
    const auto command = program.add_subcommand("generate", "write a generated matrix to a file");
    command->add_option("matrix", options->spec, "FAMILY:PARAMETERS");
    command->add_option(
        "file", options->path,
        "name ending in .mtx (Matrix Market text) or .bin (binary), or in .mtx.gz or .bin.gz (compressed)");
    command
        ->add_option("--value-type", options->value_type,
                     "float, double, cfloat or cdouble; complex matrices use the complex type")
        ->capture_default_str();
    command->add_option("--index-type", options->index_type, "int32, or int64 for more than 2^31 - 1 entries")
        ->capture_default_str();
    command->add_flag("--list", options->lists_families, "print the families and their parameters");
    command->add_flag("--force", options->overwrites, "replace an existing file");
    command->footer(
        "An unfinished file is removed if the disk is full or the program is interrupted.\n\n"
        "example: spruce-bench generate poisson3d-7pt:64 poisson.mtx.gz");
    command->callback([options, &exit_code] { exit_code = run_generate(*options); });
}

}  // namespace spruce::bench
