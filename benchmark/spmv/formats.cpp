// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/spmv/formats.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include <spruce/matrix/coo.hpp>

#include "benchmark/spmv/comparisons.hpp"
#include "benchmark/usage.hpp"

namespace spruce::bench {
namespace {

const std::vector<backend> everywhere{backend::reference, backend::omp, backend::cuda, backend::hip};
const std::vector<backend> on_hosts{backend::reference, backend::omp};
const std::vector<backend> on_devices{backend::cuda, backend::hip};

template <typename V, typename I>
class csr_product : public product<V, I> {
public:
    using csr = matrix::Csr<V, I>;

    /// @param strategy  null: the default of the executor
    csr_product(std::shared_ptr<const csr> a, std::shared_ptr<typename csr::strategy_type> strategy)
        : original_{a},
          a_{csr::create_const(a->get_executor(), a->get_size(), view(*a, a->get_const_values(), num_entries(*a)),
                               view(*a, a->get_const_col_idxs(), num_entries(*a)),
                               view(*a, a->get_const_row_ptrs(), a->get_size()[0] + 1), strategy)}
    {}
    void apply(const matrix::Dense<V>& b, matrix::Dense<V>& x) override { a_->apply(&b, &x); }
    size_type get_storage_bytes() const override { return csr_bytes(*a_) + a_->get_num_srow_elements() * sizeof(I); }
    std::string get_detail() const override { return a_->get_strategy()->get_name(); }

private:
    static size_type num_entries(const csr& a) { return a.get_num_stored_elements(); }
    template <typename T>
    static auto view(const csr& a, const T* data, size_type size)
    {
        return array<T>::const_view(a.get_executor(), size, data);
    }

    std::shared_ptr<const csr> original_;  // owns the arrays
    std::unique_ptr<const csr> a_;
};

template <typename V, typename I>
class coo_product : public product<V, I> {
public:
    explicit coo_product(const matrix::Csr<V, I>& a) : a_{matrix::Coo<V, I>::create(a.get_executor())}
    {
        a.convert_to(a_.get());
    }
    void apply(const matrix::Dense<V>& b, matrix::Dense<V>& x) override { a_->apply(&b, &x); }
    size_type get_storage_bytes() const override { return a_->get_num_stored_elements() * (sizeof(V) + 2 * sizeof(I)); }

private:
    std::unique_ptr<matrix::Coo<V, I>> a_;
};

template <typename V, typename I>
auto create_load_balance(const std::shared_ptr<const Executor>& exec)
{
    using load_balance = typename matrix::Csr<V, I>::load_balance;
    if (const auto cuda = std::dynamic_pointer_cast<const CudaExecutor>(exec)) {
        return std::make_shared<load_balance>(cuda);
    }
    return std::make_shared<load_balance>(std::dynamic_pointer_cast<const HipExecutor>(exec));
}

}  // namespace

const std::vector<format_info>& formats()
{
    static const std::vector<format_info> all{
        {"csr", everywhere, true, "Csr with the executor's default strategy (automatical on a GPU)"},
        {"coo", everywhere, true, "Coo"},
        {"csr-classical", on_devices, false, "Csr: a group of threads for each row"},
        {"csr-load_balance", on_devices, false, "Csr: the same number of entries for each warp"},
        {"csr-merge_path", on_devices, false, "Csr: the same number of rows and entries for each thread"},
        {"cusparse-csr", {backend::cuda}, false, "Csr with the strategy sparselib"},
        {"cusparse-csr-alg1", {backend::cuda}, false, "cuSPARSE called directly, CSR algorithm 1, with analysis"},
        {"cusparse-csr-alg2", {backend::cuda}, false, "cuSPARSE called directly, CSR algorithm 2, with analysis"},
        {"cusparse-coo", {backend::cuda}, false, "cuSPARSE called directly, COO"},
        {"cusparse-sell", {backend::cuda}, false, "cuSPARSE called directly, SELL with slices of 32 rows"},
        {"hipsparse-csr", {backend::hip}, false, "Csr with the strategy sparselib"},
        {"eigen-csr", on_hosts, false, "Eigen's row-major SparseMatrix"},
    };
    return all;
}

std::vector<std::string> choose_formats(const std::vector<std::string>& requested, backend executor)
{
    std::vector<std::string> accepted{"all"};
    for (const auto& format : formats()) {
        accepted.push_back(format.name);
    }
    for (const auto& name : requested) {
        check_name("format", name, accepted);
    }

    const auto all = std::find(requested.begin(), requested.end(), "all") != requested.end();
    if (!requested.empty() && !all) {
        std::vector<std::string> chosen;
        for (const auto& name : requested) {
            if (std::find(chosen.begin(), chosen.end(), name) == chosen.end()) {
                chosen.push_back(name);
            }
        }
        return chosen;
    }
    std::vector<std::string> chosen;
    for (const auto& format : formats()) {
        const auto& executors = format.executors;
        const auto exists = std::find(executors.begin(), executors.end(), executor) != executors.end();
        if (exists && (all || format.is_default)) {
            chosen.push_back(format.name);
        }
    }
    return chosen;
}

template <typename ValueType, typename IndexType>
std::unique_ptr<product<ValueType, IndexType>> create_product(
    const std::string& format, std::shared_ptr<const matrix::Csr<ValueType, IndexType>> a)
{
    using csr = matrix::Csr<ValueType, IndexType>;
    const auto exec = a->get_executor();
    const auto info = std::find_if(formats().begin(), formats().end(),
                                   [&](const format_info& candidate) { return candidate.name == format; });
    const auto& executors = info->executors;
    if (std::find(executors.begin(), executors.end(), exec->get_backend()) == executors.end()) {
        throw std::runtime_error("there is no " + format + " on " + to_string(exec->get_backend()));
    }
    const auto with_strategy = [&](std::shared_ptr<typename csr::strategy_type> strategy) {
        return std::make_unique<csr_product<ValueType, IndexType>>(a, strategy);
    };
    if (format == "coo") {
        return std::make_unique<coo_product<ValueType, IndexType>>(*a);
    }
    if (format == "csr-classical") {
        return with_strategy(std::make_shared<typename csr::classical>());
    }
    if (format == "csr-load_balance") {
        return with_strategy(create_load_balance<ValueType, IndexType>(exec));
    }
    if (format == "csr-merge_path") {
        return with_strategy(std::make_shared<typename csr::merge_path>());
    }
    if (format == "cusparse-csr" || format == "hipsparse-csr") {
        return with_strategy(std::make_shared<typename csr::sparselib>());
    }
    const std::map<std::string, cusparse_format> cusparse_formats{{"cusparse-csr-alg1", cusparse_format::csr_alg1},
                                                                  {"cusparse-csr-alg2", cusparse_format::csr_alg2},
                                                                  {"cusparse-coo", cusparse_format::coo},
                                                                  {"cusparse-sell", cusparse_format::sell}};
    if (const auto found = cusparse_formats.find(format); found != cusparse_formats.end()) {
        return create_cusparse_product(a, found->second);
    }
    if (format == "eigen-csr") {
        return create_eigen_product(a);
    }
    return with_strategy(nullptr);
}

#define SPRUCE_INSTANTIATE_CREATE_PRODUCT(ValueType, IndexType)                          \
    std::unique_ptr<product<ValueType, IndexType>> create_product<ValueType, IndexType>( \
        const std::string&, std::shared_ptr<const matrix::Csr<ValueType, IndexType>>)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_INSTANTIATE_CREATE_PRODUCT);

}  // namespace spruce::bench
