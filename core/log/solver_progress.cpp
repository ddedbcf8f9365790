// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/log/solver_progress.hpp>

#include <algorithm>
#include <complex>
#include <iomanip>
#include <locale>
#include <ostream>
#include <sstream>
#include <vector>

#include <spruce/base/mtx_io.hpp>
#include <spruce/matrix/dense.hpp>

#include "core/log/event_unifier.hpp"
#include "core/log/reentrancy_guard.hpp"

namespace spruce::log {
namespace {

/// Calls visit with a copy of the operand on the host if it is a Dense<ValueType>. Returns true if
/// it is.
template <typename ValueType, typename Visit>
bool visit_if(const LinOp* operand, Visit visit)
{
    const auto dense = dynamic_cast<const matrix::Dense<ValueType>*>(operand);
    if (dense) {
        visit(*make_temporary_clone(dense->get_executor()->get_master(), dense));
    }
    return dense != nullptr;
}

/// Calls visit with a copy of the operand on the host if it is a Dense of any value type.
template <typename Visit>
void visit_dense(const LinOp* operand, Visit visit)
{
    visit_if<double>(operand, visit) || visit_if<float>(operand, visit) ||
        visit_if<std::complex<double>>(operand, visit) || visit_if<std::complex<float>>(operand, visit);
}

template <typename T>
void print(std::ostream& os, T value)
{
    os << value;
}
template <typename T>
void print(std::ostream& os, std::complex<T> value)
{
    os << value.real() << std::showpos << value.imag() << 'i';
}

/// Implements the common part of loggers that report iterations and ignore the checks of criteria.
class Writer : public EventUnifier<SolverProgress> {
public:
    using EventUnifier<SolverProgress>::on_criterion_check_completed;
    void on_criterion_check_completed(const stop::Criterion*, const size_type&, const LinOp*, const LinOp*,
                                      const LinOp*, const LinOp*, const uint8&, const bool&,
                                      const array<stopping_status>*, const bool&, const bool&) const final
    {}
};

/// Writes a line for each iteration. Derived classes define the format of its cells.
class ScalarWriter : public Writer {
public:
    ScalarWriter(std::ostream& output, int precision) : output_{output}, precision_{precision} {}

    void on_iteration_complete(const LinOp* solver, const LinOp*, const LinOp*, const size_type& iteration,
                               const LinOp*, const LinOp* residual_norm, const LinOp* implicit_sq_residual_norm,
                               const array<stopping_status>*, bool) const override
    {
        const reentrancy_guard work;
        if (work.is_nested()) {
            return;
        }
        std::vector<std::string> names{"iteration"};
        std::vector<std::string> cells{std::to_string(iteration)};
        const auto append = [&](const std::string& name, const LinOp* scalars) {
            visit_dense(scalars, [&](const auto& dense) {
                const auto num_cols = dense.get_size()[0] == 0 ? 0 : dense.get_size()[1];
                for (size_type col = 0; col < num_cols; ++col) {
                    names.push_back(num_cols == 1 ? name : name + '(' + std::to_string(col) + ')');
                    cells.push_back(this->to_cell(dense.at(0, col)));
                }
            });
        };
        append("residual_norm", residual_norm);
        append("implicit_sq_residual_norm", implicit_sq_residual_norm);
        if (iteration == 0 || solver != solver_ || names != names_) {
            output_ << this->to_line(names, names);
            solver_ = solver;
            names_ = names;
        }
        output_ << this->to_line(names, cells);
    }

private:
    virtual std::string to_line(const std::vector<std::string>& names, const std::vector<std::string>& cells) const = 0;

    template <typename T>
    std::string to_cell(T value) const
    {
        std::ostringstream cell;
        cell.imbue(std::locale::classic());
        cell << std::setprecision(precision_);
        print(cell, value);
        return cell.str();
    }

    std::ostream& output_;
    int precision_;
    mutable const LinOp* solver_{};  ///< solver of the latest line
    mutable std::vector<std::string> names_;
};

class TableWriter final : public ScalarWriter {
public:
    TableWriter(std::ostream& output, int precision, int column_width)
        : ScalarWriter{output, precision}, column_width_{static_cast<size_type>(std::max(column_width, 0))}
    {}

private:
    std::string to_line(const std::vector<std::string>& names, const std::vector<std::string>& cells) const override
    {
        std::string line;
        for (size_type i = 0; i < cells.size(); ++i) {
            const auto width = std::max(column_width_, names[i].size());
            line.append(i == 0 ? 0 : 1, ' ');
            line.append(width - std::min(width, cells[i].size()), ' ');
            line += cells[i];
        }
        return line + '\n';
    }

    size_type column_width_;
};

class CsvWriter final : public ScalarWriter {
public:
    CsvWriter(std::ostream& output, int precision, char separator)
        : ScalarWriter{output, precision}, separator_{separator}
    {}

private:
    std::string to_line(const std::vector<std::string>&, const std::vector<std::string>& cells) const override
    {
        std::string line;
        for (size_type i = 0; i < cells.size(); ++i) {
            line.append(i == 0 ? 0 : 1, separator_);
            line += cells[i];
        }
        return line + '\n';
    }

    char separator_;
};

class VectorStorage final : public Writer {
public:
    VectorStorage(std::string prefix, bool binary) : prefix_{std::move(prefix)}, binary_{binary} {}

    void on_iteration_complete(const LinOp*, const LinOp* b, const LinOp* x, const size_type& iteration, const LinOp* r,
                               const LinOp* residual_norm, const LinOp* implicit_sq_residual_norm,
                               const array<stopping_status>*, bool) const override
    {
        const reentrancy_guard work;
        if (work.is_nested()) {
            return;
        }
        if (iteration == 0) {
            this->store(iteration, "right_hand_side", b);
        }
        this->store(iteration, "solution", x);
        this->store(iteration, "residual", r);
        this->store(iteration, "residual_norm", residual_norm);
        this->store(iteration, "implicit_sq_residual_norm", implicit_sq_residual_norm);
    }

private:
    void store(size_type iteration, const char* name, const LinOp* operand) const
    {
        visit_dense(operand, [&](const auto& dense) {
            matrix_data<typename std::decay_t<decltype(dense)>::value_type, int64> data;
            dense.write(data);
            const auto path = prefix_ + std::to_string(iteration) + '_' + name;
            if (binary_) {
                write_binary_file(path + ".bin", data);
            } else {
                write_file(path + ".mtx", data, layout_type::array);
            }
        });
    }

    std::string prefix_;
    bool binary_;
};

}  // namespace

std::shared_ptr<SolverProgress> SolverProgress::create_scalar_table_writer(std::ostream& output, int precision,
                                                                           int column_width)
{
    return std::make_shared<TableWriter>(output, precision, column_width);
}

std::shared_ptr<SolverProgress> SolverProgress::create_scalar_csv_writer(std::ostream& output, int precision,
                                                                         char separator)
{
    return std::make_shared<CsvWriter>(output, precision, separator);
}

std::shared_ptr<SolverProgress> SolverProgress::create_vector_storage(std::string output_file_prefix, bool binary)
{
    return std::make_shared<VectorStorage>(std::move(output_file_prefix), binary);
}

}  // namespace spruce::log
