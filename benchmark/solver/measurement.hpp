// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <spruce/base/lin_op.hpp>
#include <spruce/matrix/csr.hpp>

#include "benchmark/run_options.hpp"
#include "benchmark/solver/solver_models.hpp"
#include "benchmark/table.hpp"

namespace spruce::bench {

struct solver_options : matrix_run_options {
    std::string until{"iterations"};
    std::vector<std::string> solvers;
    std::vector<std::string> formats{"csr"};
    // Until iterations:
    size_type iterations{100};
    bool detailed{};
    // Until convergence:
    double tolerance{1e-10};
    size_type max_iterations{10000};
    bool diagonal{};
};

/// Holds the matrix of a linear system in Csr and in the format that the solver multiplies with.
struct system_matrix {
    std::shared_ptr<const matrix::Csr<double, int32>> entries;
    std::string format;
    std::shared_ptr<const LinOp> a;
};

/// Holds the facts about one solver and one system, for the table and for the JSON file.
struct solver_facts {
    std::vector<std::string> cells;
    nlohmann::ordered_json json;
    std::string failure;  ///< reason why there are no cells; empty otherwise
};

/// Measures solvers in one of the ways that the option --until selects.
class solver_measurement {
public:
    virtual ~solver_measurement() = default;

    /// Returns the columns of the table that follow those of the system and the solver.
    virtual std::vector<table::column> get_columns() const = 0;
    /// Returns the conditions of the measurement, as text.
    virtual std::string get_conditions() const = 0;
    virtual solver_facts measure(const system_matrix& system, const solver_kind& kind) const = 0;
};

/// Creates the measurement of one iteration. It refers to the options.
std::unique_ptr<solver_measurement> create_iteration_measurement(const solver_options& options);
/// Creates the measurement of a solve until convergence. It refers to the options.
std::unique_ptr<solver_measurement> create_convergence_measurement(const solver_options& options);

}  // namespace spruce::bench
