// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Implements products and sums of sparse matrices.

#include <spruce/base/exception_helpers.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>

#include "core/base/overlap.hpp"
#include "core/components/array_kernels.hpp"
#include "core/matrix/csr_algebra_kernels.hpp"

namespace spruce::matrix {

namespace {

template <typename Matrix>
csr_pattern_size pattern_size_of(const Matrix& m)
{
    return {m.get_size(), m.get_num_stored_elements()};
}

template <typename Matrix>
void require_pattern_size(const char* method, const char* name, const Matrix& m, const csr_pattern_size& expected)
{
    const auto require = [&](const dim<2>& found, const dim<2>& required, const std::string& what,
                             const char* clarification) {
        if (found != required) {
            throw DimensionMismatch(__FILE__, __LINE__, method, what, found[0], found[1], "that of the first time",
                                    required[0], required[1], std::string(name) + clarification);
        }
    };
    require(m.get_size(), expected.size, name, " needs the size of the first time");
    require(dim<2>{m.get_num_stored_elements(), 1}, dim<2>{expected.num_stored_elements, 1},
            std::string("the values of ") + name, " needs as many entries as the first time");
}

/// Holds the operands of a sum, and sorted copies instead of those whose column indices are not
/// sorted.
template <typename Matrix>
class sorted_operands {
    using V = typename Matrix::value_type;
    using I = typename Matrix::index_type;

public:
    sorted_operands(const Matrix& a, const Matrix& b) : a_{&a}, b_{&b}
    {
        kernels::csr::pattern_comparison found{};
        kernels::csr::compare_patterns<I>(*a.get_executor(), kernels::csr::stored_pattern_of(a),
                                          kernels::csr::stored_pattern_of(b), found);
        have_equal_patterns_ = found.are_equal;
        if (!found.is_a_sorted) {
            a_ = sort(a, a_copy_);
        }
        if (!found.is_b_sorted) {
            b_ = sort(b, b_copy_);
        }
    }
    const Matrix& a() const { return *a_; }
    const Matrix& b() const { return *b_; }
    bool have_equal_patterns() const { return have_equal_patterns_; }

private:
    static const Matrix* sort(const Matrix& m, std::unique_ptr<Matrix>& copy)
    {
        copy = m.clone();
        copy->sort_by_column_index();
        return copy.get();
    }

    const Matrix* a_;
    const Matrix* b_;
    std::unique_ptr<Matrix> a_copy_;
    std::unique_ptr<Matrix> b_copy_;
    bool have_equal_patterns_;
};

/// Creates a matrix of this size. find_row_ptrs(row_ptrs) writes its row pointers and returns the
/// number of its entries.
template <typename Matrix, typename FindRowPtrs>
std::unique_ptr<Matrix> create_with_row_ptrs(std::shared_ptr<const Executor> exec, const dim<2>& size,
                                             std::shared_ptr<typename Matrix::strategy_type> strategy,
                                             FindRowPtrs find_row_ptrs)
{
    using V = typename Matrix::value_type;
    using I = typename Matrix::index_type;
    array<I> row_ptrs{exec, size[0] + 1};
    const size_type nnz = find_row_ptrs(row_ptrs.get_data());
    return Matrix::create(exec, size, array<V>{exec, nnz}, array<I>{exec, nnz}, std::move(row_ptrs),
                          std::move(strategy));
}

}  // namespace

template <typename ValueType, typename IndexType>
std::unique_ptr<Csr<ValueType, IndexType>> Csr<ValueType, IndexType>::multiply_impl(
    const Dense<ValueType>* alpha, const Csr& b, const Dense<ValueType>* beta, const Csr* d,
    std::shared_ptr<strategy_type> strategy) const
{
    const auto exec = this->get_executor();
    const auto num_rows = this->get_size()[0];
    auto result = create_with_row_ptrs<Csr>(
        exec, dim<2>{num_rows, b.get_size()[1]}, std::move(strategy), [&](IndexType* row_ptrs) {
            size_type nnz{};
            kernels::csr::spgemm_count<ValueType, IndexType>(*exec, *this, b, d, row_ptrs);
            kernels::components::prefix_sum<IndexType>(*exec, row_ptrs, num_rows + 1, nnz);
            return nnz;
        });
    kernels::csr::spgemm_fill<ValueType, IndexType>(*exec, alpha, *this, b, beta, d, *result);
    return result;
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Csr<ValueType, IndexType>> Csr<ValueType, IndexType>::scale_add_impl(
    const Dense<ValueType>& alpha, const Dense<ValueType>& beta, const Csr& b,
    std::shared_ptr<strategy_type> strategy) const
{
    const auto exec = this->get_executor();
    const sorted_operands<Csr> sorted{*this, b};
    if (sorted.have_equal_patterns()) {
        auto result = Csr::create(exec, this->get_size(), array<ValueType>{exec, sorted.a().get_num_stored_elements()},
                                  sorted.a().col_idxs_, sorted.a().row_ptrs_, std::move(strategy));
        kernels::csr::spgeam_values<ValueType, IndexType>(*exec, alpha, sorted.a(), beta, sorted.b(), *result);
        return result;
    }
    array<IndexType> tmp{exec};
    auto result = create_with_row_ptrs<Csr>(exec, this->get_size(), std::move(strategy), [&](IndexType* row_ptrs) {
        size_type nnz{};
        kernels::csr::spgeam_row_ptrs<ValueType, IndexType>(*exec, sorted.a(), sorted.b(), row_ptrs, nnz, tmp);
        return nnz;
    });
    kernels::csr::spgeam_fill<ValueType, IndexType>(*exec, alpha, sorted.a(), beta, sorted.b(), *result, tmp);
    return result;
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Csr<ValueType, IndexType>> Csr<ValueType, IndexType>::multiply(ptr_param<const Csr> b) const
{
    SPRUCE_ASSERT_CONFORMANT(this, b);
    const auto local_b = make_temporary_clone(this->get_executor(), b);
    return this->multiply_impl(nullptr, *local_b, nullptr, nullptr, strategy_);
}

template <typename ValueType, typename IndexType>
auto Csr<ValueType, IndexType>::multiply_reuse(ptr_param<const Csr> b) const
    -> std::pair<std::unique_ptr<Csr>, multiply_reuse_info>
{
    auto result = this->multiply(b);
    multiply_reuse_info info;
    info.a_ = pattern_size_of(*this);
    info.b_ = pattern_size_of(*b);
    info.result_ = pattern_size_of(*result);
    return {std::move(result), std::move(info)};
}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::multiply_reuse_info::update_values(ptr_param<const Csr> a, ptr_param<const Csr> b,
                                                                   ptr_param<Csr> result) const
{
    constexpr auto method = "multiply_reuse_info::update_values";
    require_pattern_size(method, "a", *a, a_);
    require_pattern_size(method, "b", *b, b_);
    require_pattern_size(method, "result", *result, result_);
    const auto exec = a->get_executor();
    const spruce::detail::result_memory written{method, *result, "result"};
    const auto local_a = written.separate(exec, a.get(), "a");
    const auto local_b = written.separate(exec, b.get(), "b");
    const auto local_result = make_temporary_clone(exec, result);
    kernels::csr::spgemm_values<ValueType, IndexType>(*exec, nullptr, *local_a, *local_b, nullptr, nullptr,
                                                      *local_result);
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Csr<ValueType, IndexType>> Csr<ValueType, IndexType>::multiply_add(
    ptr_param<const Dense<ValueType>> alpha, ptr_param<const Csr> b, ptr_param<const Dense<ValueType>> beta,
    ptr_param<const Csr> d) const
{
    SPRUCE_ASSERT_IS_SCALAR(alpha);
    SPRUCE_ASSERT_IS_SCALAR(beta);
    SPRUCE_ASSERT_CONFORMANT(this, b);
    SPRUCE_ASSERT_EQUAL_DIMENSIONS(d, (dim<2>{this->get_size()[0], b->get_size()[1]}));
    const auto exec = this->get_executor();
    const auto local_alpha = make_temporary_clone(exec, alpha);
    const auto local_b = make_temporary_clone(exec, b);
    const auto local_beta = make_temporary_clone(exec, beta);
    const auto local_d = make_temporary_clone(exec, d);
    return this->multiply_impl(local_alpha.get(), *local_b, local_beta.get(), local_d.get(), strategy_);
}

template <typename ValueType, typename IndexType>
auto Csr<ValueType, IndexType>::multiply_add_reuse(ptr_param<const Dense<ValueType>> alpha, ptr_param<const Csr> b,
                                                   ptr_param<const Dense<ValueType>> beta, ptr_param<const Csr> d) const
    -> std::pair<std::unique_ptr<Csr>, multiply_add_reuse_info>
{
    auto result = this->multiply_add(alpha, b, beta, d);
    multiply_add_reuse_info info;
    info.a_ = pattern_size_of(*this);
    info.b_ = pattern_size_of(*b);
    info.d_ = pattern_size_of(*d);
    info.result_ = pattern_size_of(*result);
    return {std::move(result), std::move(info)};
}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::multiply_add_reuse_info::update_values(
    ptr_param<const Csr> a, ptr_param<const Dense<ValueType>> alpha, ptr_param<const Csr> b,
    ptr_param<const Dense<ValueType>> beta, ptr_param<const Csr> d, ptr_param<Csr> result) const
{
    constexpr auto method = "multiply_add_reuse_info::update_values";
    SPRUCE_ASSERT_IS_SCALAR(alpha);
    SPRUCE_ASSERT_IS_SCALAR(beta);
    require_pattern_size(method, "a", *a, a_);
    require_pattern_size(method, "b", *b, b_);
    require_pattern_size(method, "d", *d, d_);
    require_pattern_size(method, "result", *result, result_);
    const auto exec = a->get_executor();
    const spruce::detail::result_memory written{method, *result, "result"};
    const auto local_a = written.separate(exec, a.get(), "a");
    const auto local_b = written.separate(exec, b.get(), "b");
    const auto local_d = written.separate(exec, d.get(), "d");
    const auto local_alpha = written.separate_factor(exec, alpha.get());
    const auto local_beta = written.separate_factor(exec, beta.get());
    const auto local_result = make_temporary_clone(exec, result);
    kernels::csr::spgemm_values<ValueType, IndexType>(*exec, local_alpha.get(), *local_a, *local_b, local_beta.get(),
                                                      local_d.get(), *local_result);
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Csr<ValueType, IndexType>> Csr<ValueType, IndexType>::scale_add(ptr_param<const Dense<ValueType>> alpha,
                                                                                ptr_param<const Dense<ValueType>> beta,
                                                                                ptr_param<const Csr> b) const
{
    SPRUCE_ASSERT_IS_SCALAR(alpha);
    SPRUCE_ASSERT_IS_SCALAR(beta);
    SPRUCE_ASSERT_EQUAL_DIMENSIONS(this, b);
    const auto exec = this->get_executor();
    const auto local_alpha = make_temporary_clone(exec, alpha);
    const auto local_beta = make_temporary_clone(exec, beta);
    const auto local_b = make_temporary_clone(exec, b);
    return this->scale_add_impl(*local_alpha, *local_beta, *local_b, strategy_);
}

template <typename ValueType, typename IndexType>
auto Csr<ValueType, IndexType>::add_scale_reuse(ptr_param<const Dense<ValueType>> alpha,
                                                ptr_param<const Dense<ValueType>> beta, ptr_param<const Csr> b) const
    -> std::pair<std::unique_ptr<Csr>, scale_add_reuse_info>
{
    auto result = this->scale_add(alpha, beta, b);
    scale_add_reuse_info info;
    info.a_ = pattern_size_of(*this);
    info.b_ = pattern_size_of(*b);
    info.result_ = pattern_size_of(*result);
    return {std::move(result), std::move(info)};
}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::scale_add_reuse_info::update_values(ptr_param<const Dense<ValueType>> alpha,
                                                                    ptr_param<const Csr> a,
                                                                    ptr_param<const Dense<ValueType>> beta,
                                                                    ptr_param<const Csr> b, ptr_param<Csr> result) const
{
    constexpr auto method = "scale_add_reuse_info::update_values";
    SPRUCE_ASSERT_IS_SCALAR(alpha);
    SPRUCE_ASSERT_IS_SCALAR(beta);
    require_pattern_size(method, "a", *a, a_);
    require_pattern_size(method, "b", *b, b_);
    require_pattern_size(method, "result", *result, result_);
    const auto exec = a->get_executor();
    const spruce::detail::result_memory written{method, *result, "result"};
    const auto local_a = written.separate(exec, a.get(), "a");
    const auto local_b = written.separate(exec, b.get(), "b");
    const auto local_alpha = written.separate_factor(exec, alpha.get());
    const auto local_beta = written.separate_factor(exec, beta.get());
    const auto local_result = make_temporary_clone(exec, result);
    const sorted_operands<Csr> sorted{*local_a, *local_b};
    if (sorted.have_equal_patterns()) {
        kernels::csr::spgeam_values<ValueType, IndexType>(*exec, *local_alpha, sorted.a(), *local_beta, sorted.b(),
                                                          *local_result);
        return;
    }
    array<IndexType> tmp{exec};
    kernels::csr::spgeam_fill<ValueType, IndexType>(*exec, *local_alpha, sorted.a(), *local_beta, sorted.b(),
                                                    *local_result, tmp);
}

// Other members of the class are instantiated in csr.cpp.
#define SPRUCE_CSR_ALGEBRA(_value, _index)                                                                          \
    std::unique_ptr<Csr<_value, _index>> Csr<_value, _index>::multiply_impl(                                        \
        const Dense<_value>*, const Csr&, const Dense<_value>*, const Csr*, std::shared_ptr<strategy_type>) const;  \
    template std::unique_ptr<Csr<_value, _index>> Csr<_value, _index>::scale_add_impl(                              \
        const Dense<_value>&, const Dense<_value>&, const Csr&, std::shared_ptr<strategy_type>) const;              \
    template std::unique_ptr<Csr<_value, _index>> Csr<_value, _index>::multiply(ptr_param<const Csr>) const;        \
    template std::pair<std::unique_ptr<Csr<_value, _index>>, typename Csr<_value, _index>::multiply_reuse_info>     \
        Csr<_value, _index>::multiply_reuse(ptr_param<const Csr>) const;                                            \
    template std::unique_ptr<Csr<_value, _index>> Csr<_value, _index>::multiply_add(                                \
        ptr_param<const Dense<_value>>, ptr_param<const Csr>, ptr_param<const Dense<_value>>, ptr_param<const Csr>) \
        const;                                                                                                      \
    template std::pair<std::unique_ptr<Csr<_value, _index>>, typename Csr<_value, _index>::multiply_add_reuse_info> \
        Csr<_value, _index>::multiply_add_reuse(ptr_param<const Dense<_value>>, ptr_param<const Csr>,               \
                                                ptr_param<const Dense<_value>>, ptr_param<const Csr>) const;        \
    template std::unique_ptr<Csr<_value, _index>> Csr<_value, _index>::scale_add(                                   \
        ptr_param<const Dense<_value>>, ptr_param<const Dense<_value>>, ptr_param<const Csr>) const;                \
    template std::pair<std::unique_ptr<Csr<_value, _index>>, typename Csr<_value, _index>::scale_add_reuse_info>    \
        Csr<_value, _index>::add_scale_reuse(ptr_param<const Dense<_value>>, ptr_param<const Dense<_value>>,        \
                                             ptr_param<const Csr>) const;                                           \
    template class Csr<_value, _index>::multiply_reuse_info;                                                        \
    template class Csr<_value, _index>::multiply_add_reuse_info;                                                    \
    template class Csr<_value, _index>::scale_add_reuse_info
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_CSR_ALGEBRA);

}  // namespace spruce::matrix
