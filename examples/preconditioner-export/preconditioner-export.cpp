// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Writes preconditioners to files in the Matrix Market format, such as for their analysis in other
// programs: inverted diagonal blocks, and incomplete LU factors. Then reads them again.
// usage: preconditioner-export [EXECUTOR [PREFIX [MATRIX_FILE]]]

#include <fstream>

#include "../shared.hpp"

namespace {

using namespace example;
using csr = spruce::matrix::Csr<double, index_type>;

/// Writes an operator to NAME.mtx.
/// @return  true if the file contains the entries of the operator
template <typename Operator>
bool write_to_file(const Operator& op, const std::string& name)
{
    data_type written;
    op.write(written);
    const auto path = name + ".mtx";
    {
        std::ofstream file{path};
        spruce::write(file, &op, spruce::layout_type::coordinate);
    }
    std::ifstream file{path};
    auto read = spruce::read_raw<double, index_type>(file);
    written.sort_row_major();
    read.sort_row_major();
    std::cout << path << ": " << read.nonzeros.size() << " entries\n";
    return read.size == written.size && read.nonzeros == written.nonzeros;
}

int write_files(std::shared_ptr<spruce::Executor> exec, const std::string& prefix, const std::string& path)
{
    const auto a = spruce::share(csr::create(exec));
    if (path.empty()) {
        a->read(laplacian(10));
    } else {
        a->read(spruce::read_file<double, index_type>(path));
    }
    const auto jacobi =
        spruce::preconditioner::Jacobi<double, index_type>::build().with_max_block_size(4u).on(exec)->generate(a);
    const auto factors = spruce::factorization::Ilu<double, index_type>::build().on(exec)->generate(a);
    const auto is_jacobi_written = write_to_file(*jacobi, prefix + "-jacobi");
    const auto are_factors_written = write_to_file(*factors->get_l_factor(), prefix + "-ilu-l") &&
                                     write_to_file(*factors->get_u_factor(), prefix + "-ilu-u");
    return conclude(is_jacobi_written && are_factors_written);
}

}  // namespace

int main(int argc, char* argv[])
{
    return run(argc, argv, [&](auto exec) {
        return write_files(exec, argc > 2 ? argv[2] : "preconditioner", argc > 3 ? argv[3] : "");
    });
}
