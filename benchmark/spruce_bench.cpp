// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <spruce/config.hpp>

#include "benchmark/commands.hpp"
#include "benchmark/environment.hpp"
#include "benchmark/errors.hpp"

namespace {

using namespace spruce::bench;

void check_command(const CLI::App& program, int argc, char** argv)
{
    if (argc < 2 || argv[1][0] == '-') {
        return;
    }
    std::vector<std::string> names;
    for (const auto command : program.get_subcommands({})) {
        names.push_back(command->get_name());
    }
    check_name("command", argv[1], names);
}

}  // namespace

int main(int argc, char** argv)
{
    CLI::App program{"Measures how fast Spruce is on this machine.", "spruce-bench"};
    program.set_version_flag("--version", "spruce-bench " SPRUCE_VERSION_STR);
    program.require_subcommand(1);
    program.footer("spruce-bench COMMAND --help says more, with examples.");
    int result = exit_code::success;
    store_arguments(argc, argv);
    add_spmv(program, result);
    add_solver(program, result);
    add_preconditioner(program, result);
    add_conversion(program, result);
    add_sparse_blas(program, result);
    add_blas(program, result);
    add_copy(program, result);
    add_groups(program, result);
    add_files(program, result);
    add_zoo(program, result);
    add_compare(program, result);
    add_statistics(program, result);
    add_advise(program, result);
    add_generate(program, result);
    try {
        check_command(program, argc, argv);
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return program.exit(error) == 0 ? exit_code::success : exit_code::wrong_usage;
    } catch (const usage_error& error) {
        std::cerr << "spruce-bench: " << error.what() << '\n';
        return exit_code::wrong_usage;
    } catch (const std::exception& error) {
        std::cerr << "spruce-bench: " << message_of(error) << '\n';
        return exit_code::something_failed;
    }
    return result;
}
