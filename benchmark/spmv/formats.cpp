// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/spmv/formats.hpp"

#include <algorithm>
#include <map>

#include <spruce/matrix/coo.hpp>
#include <spruce/matrix/ell.hpp>
#include <spruce/matrix/fbcsr.hpp>
#include <spruce/matrix/hybrid.hpp>
#include <spruce/matrix/sellp.hpp>

#include "benchmark/benchmark_case.hpp"
#include "benchmark/errors.hpp"
#include "benchmark/spmv/comparisons.hpp"
#include "benchmark/storage_bytes.hpp"
#include "core/matrix/slice_size.hpp"

namespace spruce::bench {
namespace {

const std::vector<backend> everywhere{backend::reference, backend::omp, backend::cuda, backend::hip};
const std::vector<backend> on_hosts{backend::reference, backend::omp};
const std::vector<backend> on_devices{backend::cuda, backend::hip};

template <typename V, typename I>
class csr_product : public product<V, I> {
public:
    using csr = matrix::Csr<V, I>;

    /// Creates a view of the arrays of a with another strategy.
    /// @param strategy  null: the default of the executor
    csr_product(std::shared_ptr<const csr> a, std::shared_ptr<typename csr::strategy_type> strategy)
        : original_{a},
          a_{csr::create_const(a->get_executor(), a->get_size(), view(*a, a->get_const_values(), num_entries(*a)),
                               view(*a, a->get_const_col_idxs(), num_entries(*a)),
                               view(*a, a->get_const_row_ptrs(), a->get_size()[0] + 1), strategy)}
    {}
    void apply(const matrix::Dense<V>& b, matrix::Dense<V>& x) override { a_->apply(&b, &x); }
    size_type get_storage_bytes() const override { return bytes_of(*a_) + a_->get_num_srow_elements() * sizeof(I); }
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

/// Returns the number of columns in the first part of the Hybrid matrix.
template <typename V, typename I>
std::string detail_of(const matrix::Hybrid<V, I>& a)
{
    return std::to_string(a.get_ell_num_stored_elements_per_row()) + " columns";
}
template <typename V, typename I>
std::string detail_of(const matrix::Fbcsr<V, I>& a)
{
    return "blocks of " + std::to_string(a.get_block_size());
}
template <typename Matrix>
std::string detail_of(const Matrix&)
{
    return {};
}

template <typename Matrix>
class converted_product : public product<typename Matrix::value_type, typename Matrix::index_type> {
public:
    using V = typename Matrix::value_type;

    explicit converted_product(const matrix::Csr<V, typename Matrix::index_type>& a)
        : converted_product{a, Matrix::create(a.get_executor())}
    {}
    /// Converts a to the format of an empty matrix.
    /// @param empty  a matrix of the desired format with its parameters
    converted_product(const matrix::Csr<V, typename Matrix::index_type>& a, std::unique_ptr<Matrix> empty)
        : a_{std::move(empty)}
    {
        a.convert_to(a_.get());
    }
    void apply(const matrix::Dense<V>& b, matrix::Dense<V>& x) override { a_->apply(&b, &x); }
    size_type get_storage_bytes() const override { return bytes_of(*a_); }
    std::string get_detail() const override { return detail_of(*a_); }

private:
    std::unique_ptr<Matrix> a_;
};

/// Checks that the stored matrix does not consist mostly of padding.
/// @param slice_size  number of rows that are padded to the longest of them
/// @throws case_skipped  if it would consist mostly of padding
template <typename V, typename I>
void require_little_padding(const matrix::Csr<V, I>& a, size_type slice_size)
{
    constexpr double max_factor = 4.0;
    const auto num_rows = a.get_size()[0];
    const auto row_ptrs =
        make_const_array_view(a.get_executor(), num_rows + 1, a.get_const_row_ptrs()).copy_to_array().copy_to_host();
    double stored{};
    for (size_type begin = 0; begin < num_rows; begin += slice_size) {
        I max_length{};
        for (auto row = begin; row < std::min(begin + slice_size, num_rows); ++row) {
            max_length = std::max(max_length, row_ptrs[row + 1] - row_ptrs[row]);
        }
        stored += static_cast<double>(max_length) * static_cast<double>(slice_size);
    }
    const auto factor = stored / std::max(1.0, static_cast<double>(a.get_num_stored_elements()));
    if (factor > max_factor) {
        throw case_skipped("padding would make the matrix " + std::to_string(static_cast<int64>(factor)) +
                           " times as large");
    }
}

/// Returns the candidate for the block size that needs the least memory.
/// @throws case_skipped  if no candidate divides the size and needs less than twice the
///                       memory of Csr
template <typename V, typename I>
int find_block_size(const matrix::Csr<V, I>& a)
{
    int best{};
    auto least = 2 * bytes_of(a);
    for (const int candidate : {2, 3, 4, 5, 6, 8}) {
        if (a.get_size()[0] % candidate == 0 && a.get_size()[1] % candidate == 0) {
            const auto blocks = matrix::Fbcsr<V, I>::create(a.get_executor(), candidate);
            a.convert_to(blocks.get());
            if (bytes_of(*blocks) < least) {
                best = candidate;
                least = bytes_of(*blocks);
            }
        }
    }
    if (best == 0) {
        throw case_skipped("no block size up to 8 divides its size and takes less than twice the memory of csr");
    }
    return best;
}

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
        {"ell", everywhere, false, "Ell; matrices that padding would make more than 4 times as large are skipped"},
        {"sellp", everywhere, true, "Sellp with slices of a warp's rows (64 on CPUs); skipped as ell is"},
        {"hybrid", everywhere, true, "Hybrid with the strategy automatic"},
        {"fbcsr", everywhere, false, "Fbcsr with the block size that takes the least memory, up to 8"},
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

void require_format(const std::string& format, backend executor)
{
    const auto info = std::find_if(formats().begin(), formats().end(),
                                   [&](const format_info& candidate) { return candidate.name == format; });
    const auto& executors = info->executors;
    if (std::find(executors.begin(), executors.end(), executor) == executors.end()) {
        throw case_skipped("there is no " + format + " on " + to_string(executor));
    }
}

template <typename ValueType, typename IndexType>
std::unique_ptr<product<ValueType, IndexType>> create_product(
    const std::string& format, std::shared_ptr<const matrix::Csr<ValueType, IndexType>> a)
{
    using csr = matrix::Csr<ValueType, IndexType>;
    const auto exec = a->get_executor();
    require_format(format, exec->get_backend());
    const auto with_strategy = [&](std::shared_ptr<typename csr::strategy_type> strategy) {
        return std::make_unique<csr_product<ValueType, IndexType>>(a, strategy);
    };
    if (format == "coo") {
        return std::make_unique<converted_product<matrix::Coo<ValueType, IndexType>>>(*a);
    }
    if (format == "ell") {
        require_little_padding(*a, std::max<size_type>(a->get_size()[0], 1));
        return std::make_unique<converted_product<matrix::Ell<ValueType, IndexType>>>(*a);
    }
    if (format == "sellp") {
        using sellp = matrix::Sellp<ValueType, IndexType>;
        const auto slice_size = matrix::detail::slice_size_for(*exec);
        require_little_padding(*a, slice_size);
        return std::make_unique<converted_product<sellp>>(*a, sellp::create(exec, dim<2>{}, slice_size, 1, 0));
    }
    if (format == "hybrid") {
        return std::make_unique<converted_product<matrix::Hybrid<ValueType, IndexType>>>(*a);
    }
    if (format == "fbcsr") {
        using fbcsr = matrix::Fbcsr<ValueType, IndexType>;
        return std::make_unique<converted_product<fbcsr>>(*a, fbcsr::create(exec, find_block_size(*a)));
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
