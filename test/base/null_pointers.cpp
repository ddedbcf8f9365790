// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Calls every public function that takes a pointer with null. Each call must throw an Error and
// change no operand.

#include <sstream>

#include "test/solver/iterative_solvers.hpp"
#include "test/utils/fixture.hpp"

namespace {

using spruce::array;
using spruce::dim;
using spruce::Executor;
using spruce::int32;
using spruce::LinOp;
using spruce::LinOpFactory;
using spruce::size_type;

using Dense = spruce::matrix::Dense<double>;
using FloatDense = spruce::matrix::Dense<float>;
using ComplexDense = spruce::matrix::Dense<std::complex<double>>;
using Coo = spruce::matrix::Coo<double, int32>;
using Csr = spruce::matrix::Csr<double, int32>;
using Diagonal = spruce::matrix::Diagonal<double>;
using Ell = spruce::matrix::Ell<double, int32>;
using Fbcsr = spruce::matrix::Fbcsr<double, int32>;
using Hybrid = spruce::matrix::Hybrid<double, int32>;
using Sellp = spruce::matrix::Sellp<double, int32>;
using SparsityCsr = spruce::matrix::SparsityCsr<double, int32>;
using Permutation = spruce::matrix::Permutation<int32>;
using ScaledPermutation = spruce::matrix::ScaledPermutation<double, int32>;
using RowGatherer = spruce::matrix::RowGatherer<int32>;
using Data = spruce::matrix_data<double, int32>;
using DeviceData = spruce::device_matrix_data<double, int32>;
using Logger = spruce::log::Logger;

template <typename T>
constexpr T* none = nullptr;
const std::shared_ptr<const Executor> no_exec{};

#define EXPECT_REFUSES_NULL(...)                                                                        \
    try {                                                                                               \
        static_cast<void>(__VA_ARGS__);                                                                 \
        ADD_FAILURE() << #__VA_ARGS__ " throws nothing";                                                \
    } catch (const spruce::Error& caught) {                                                             \
        EXPECT_NE(std::string(caught.what()).find("null pointer"), std::string::npos) << caught.what(); \
    }                                                                                                   \
    static_assert(true, "ends with a semicolon")

/// Provides two square matrices, vectors and scalars, and expects at the end that none has changed.
class NullPointers : public ::testing::Test {
protected:
    NullPointers()
    {
        a->read(Data{{{2.0, 1.0}, {0.0, 3.0}}});
        objects = {a, b, x, square, one, complex_x, permutation, scaled};
        for (const auto& object : objects) {
            copies.push_back(spruce::clone(object));
        }
    }
    ~NullPointers() override
    {
        for (size_type i = 0; i < objects.size(); ++i) {
            EXPECT_EQ(objects[i]->get_size(), copies[i]->get_size()) << "object " << i;
            if (i < 6) {
                EXPECT_MTX_NEAR(objects[i], copies[i], 0.0) << "object " << i;
            }
        }
        EXPECT_EQ(permutation->get_const_permutation()[0], 1);
        EXPECT_EQ(scaled->get_const_scaling_factors()[0], 2.0);
    }

    std::shared_ptr<const Executor> ref{spruce::ReferenceExecutor::create()};
    std::shared_ptr<Csr> a{Csr::create(ref)};
    std::shared_ptr<Dense> b{spruce::initialize<Dense>({1.0, 2.0}, ref)};
    std::shared_ptr<Dense> x{spruce::initialize<Dense>({3.0, 4.0}, ref)};
    std::shared_ptr<Dense> square{spruce::initialize<Dense>({{1.0, 2.0}, {3.0, 4.0}}, ref)};
    std::shared_ptr<Dense> one{spruce::initialize<Dense>({1.0}, ref)};
    std::shared_ptr<ComplexDense> complex_x{spruce::initialize<ComplexDense>({3.0, 4.0}, ref)};
    std::shared_ptr<Permutation> permutation{Permutation::create(ref, array<int32>{ref, {1, 0}})};
    std::shared_ptr<ScaledPermutation> scaled{
        ScaledPermutation::create(ref, array<double>{ref, {2.0, 3.0}}, array<int32>{ref, {1, 0}})};
    array<int32> idxs{ref, {1, 0}};
    array<char> tmp{ref};
    std::vector<std::shared_ptr<LinOp>> objects;
    std::vector<std::shared_ptr<LinOp>> copies;
};

TEST_F(NullPointers, AreReportedWithTheFunction)
{
    EXPECT_THROW_WITH(x->scale(none<LinOp>), spruce::Error, "Dense::scale ");
    EXPECT_THROW_WITH(x->inv_scale(none<LinOp>), spruce::Error, "Dense::inv_scale ");
    EXPECT_THROW_WITH(x->add_scaled(none<LinOp>, b), spruce::Error, "Dense::add_scaled ");
    EXPECT_THROW_WITH(x->sub_scaled(none<LinOp>, b), spruce::Error, "Dense::sub_scaled ");
}

TEST_F(NullPointers, InApply)
{
    const auto check = [&](const LinOp& op) {
        EXPECT_REFUSES_NULL(op.apply(none<LinOp>, x));
        EXPECT_REFUSES_NULL(op.apply(b, none<LinOp>));
        EXPECT_REFUSES_NULL(op.apply(none<LinOp>, b, one, x));
        EXPECT_REFUSES_NULL(op.apply(one, none<LinOp>, one, x));
        EXPECT_REFUSES_NULL(op.apply(one, b, none<LinOp>, x));
        EXPECT_REFUSES_NULL(op.apply(one, b, one, none<LinOp>));
    };
    const auto converted = [&](auto result) {
        result->copy_from(a);
        return result;
    };

    check(*a);
    check(*square);
    check(*converted(Coo::create(ref)));
    check(*converted(Ell::create(ref)));
    check(*converted(Fbcsr::create(ref)));
    check(*converted(Hybrid::create(ref)));
    check(*converted(Sellp::create(ref)));
    check(*converted(SparsityCsr::create(ref)));
    check(*Diagonal::create(ref, 2));
    check(*spruce::matrix::Identity<double>::create(ref, 2));
    check(*permutation);
    check(*scaled);
    check(*RowGatherer::create(ref, dim<2>{2, 2}, idxs));
    check(*spruce::Composition<double>::create(a, a));
    check(*spruce::Combination<double>::create(one, a));

    const auto coo = converted(Coo::create(ref));
    EXPECT_REFUSES_NULL(coo->apply2(none<LinOp>, x));
    EXPECT_REFUSES_NULL(coo->apply2(b, none<LinOp>));
    EXPECT_REFUSES_NULL(coo->apply2(none<LinOp>, b, x));
    EXPECT_REFUSES_NULL(coo->apply2(one, none<LinOp>, x));
    EXPECT_REFUSES_NULL(coo->apply2(one, b, none<LinOp>));
    const auto diagonal = Diagonal::create(ref, 2);
    EXPECT_REFUSES_NULL(diagonal->rapply(none<LinOp>, square));
    EXPECT_REFUSES_NULL(diagonal->rapply(square, none<LinOp>));
    EXPECT_REFUSES_NULL(diagonal->inverse_apply(none<LinOp>, x));
    EXPECT_REFUSES_NULL(diagonal->inverse_apply(b, none<LinOp>));
    const auto check_dot = [&](const auto& op) {
        EXPECT_REFUSES_NULL(op->apply_with_dot(nullptr, x.get(), one.get(), tmp));
        EXPECT_REFUSES_NULL(op->apply_with_dot(b.get(), nullptr, one.get(), tmp));
        EXPECT_REFUSES_NULL(op->apply_with_dot(b.get(), x.get(), nullptr, tmp));
    };
    check_dot(converted(Ell::create(ref)));
    check_dot(converted(Sellp::create(ref)));
}

TEST_F(NullPointers, InSparseAlgebra)
{
    EXPECT_REFUSES_NULL(a->multiply(none<const Csr>));
    EXPECT_REFUSES_NULL(a->multiply_reuse(none<const Csr>));
    EXPECT_REFUSES_NULL(a->multiply_add(none<const Dense>, a, one, a));
    EXPECT_REFUSES_NULL(a->multiply_add(one, none<const Csr>, one, a));
    EXPECT_REFUSES_NULL(a->multiply_add(one, a, none<const Dense>, a));
    EXPECT_REFUSES_NULL(a->multiply_add(one, a, one, none<const Csr>));
    EXPECT_REFUSES_NULL(a->multiply_add_reuse(none<const Dense>, a, one, a));
    EXPECT_REFUSES_NULL(a->multiply_add_reuse(one, none<const Csr>, one, a));
    EXPECT_REFUSES_NULL(a->multiply_add_reuse(one, a, none<const Dense>, a));
    EXPECT_REFUSES_NULL(a->multiply_add_reuse(one, a, one, none<const Csr>));
    EXPECT_REFUSES_NULL(a->scale_add(none<const Dense>, one, a));
    EXPECT_REFUSES_NULL(a->scale_add(one, none<const Dense>, a));
    EXPECT_REFUSES_NULL(a->scale_add(one, one, none<const Csr>));
    EXPECT_REFUSES_NULL(a->add_scale_reuse(none<const Dense>, one, a));
    EXPECT_REFUSES_NULL(a->add_scale_reuse(one, none<const Dense>, a));
    EXPECT_REFUSES_NULL(a->add_scale_reuse(one, one, none<const Csr>));
    EXPECT_REFUSES_NULL(a->scale(none<const LinOp>));
    EXPECT_REFUSES_NULL(a->inv_scale(none<const LinOp>));
    EXPECT_REFUSES_NULL(a->add_scaled_identity(none<const LinOp>, one));
    EXPECT_REFUSES_NULL(a->add_scaled_identity(one, none<const LinOp>));
    EXPECT_REFUSES_NULL(a->set_strategy(nullptr));
}

TEST_F(NullPointers, InReusedSparseAlgebra)
{
    const auto [product, product_reuse] = a->multiply_reuse(a);
    EXPECT_REFUSES_NULL(product_reuse.update_values(none<const Csr>, a, product));
    EXPECT_REFUSES_NULL(product_reuse.update_values(a, none<const Csr>, product));
    EXPECT_REFUSES_NULL(product_reuse.update_values(a, a, none<Csr>));
    const auto [sum, sum_reuse] = a->multiply_add_reuse(one, a, one, a);
    EXPECT_REFUSES_NULL(sum_reuse.update_values(none<const Csr>, one, a, one, a, sum));
    EXPECT_REFUSES_NULL(sum_reuse.update_values(a, none<const Dense>, a, one, a, sum));
    EXPECT_REFUSES_NULL(sum_reuse.update_values(a, one, none<const Csr>, one, a, sum));
    EXPECT_REFUSES_NULL(sum_reuse.update_values(a, one, a, none<const Dense>, a, sum));
    EXPECT_REFUSES_NULL(sum_reuse.update_values(a, one, a, one, none<const Csr>, sum));
    EXPECT_REFUSES_NULL(sum_reuse.update_values(a, one, a, one, a, none<Csr>));
    const auto [scaled_sum, scaled_reuse] = a->add_scale_reuse(one, one, a);
    EXPECT_REFUSES_NULL(scaled_reuse.update_values(none<const Dense>, a, one, a, scaled_sum));
    EXPECT_REFUSES_NULL(scaled_reuse.update_values(one, none<const Csr>, one, a, scaled_sum));
    EXPECT_REFUSES_NULL(scaled_reuse.update_values(one, a, none<const Dense>, a, scaled_sum));
    EXPECT_REFUSES_NULL(scaled_reuse.update_values(one, a, one, none<const Csr>, scaled_sum));
    EXPECT_REFUSES_NULL(scaled_reuse.update_values(one, a, one, a, none<Csr>));
    const auto [permuted, permute_reuse] = a->permute_reuse(permutation);
    EXPECT_REFUSES_NULL(permute_reuse.update_values(none<const Csr>, permuted));
    EXPECT_REFUSES_NULL(permute_reuse.update_values(a, none<Csr>));

    EXPECT_MTX_NEAR(product, a->multiply(a), 0.0);
    EXPECT_MTX_NEAR(sum, a->multiply_add(one, a, one, a), 0.0);
    EXPECT_MTX_NEAR(scaled_sum, a->scale_add(one, one, a), 0.0);
    EXPECT_MTX_NEAR(permuted, a->permute(permutation), 0.0);
}

TEST_F(NullPointers, InPermutationsOfFormats)
{
    const auto check_arrays = [&](const auto& op) {
        EXPECT_REFUSES_NULL(op->permute(none<const array<int32>>));
        EXPECT_REFUSES_NULL(op->inverse_permute(none<const array<int32>>));
        EXPECT_REFUSES_NULL(op->row_permute(none<const array<int32>>));
        EXPECT_REFUSES_NULL(op->column_permute(none<const array<int32>>));
        EXPECT_REFUSES_NULL(op->inverse_row_permute(none<const array<int32>>));
        EXPECT_REFUSES_NULL(op->inverse_column_permute(none<const array<int32>>));
    };
    const auto check = [&](const auto& op) {
        check_arrays(op);
        for (const auto mode : {spruce::matrix::permute_mode::none, spruce::matrix::permute_mode::rows,
                                spruce::matrix::permute_mode::columns, spruce::matrix::permute_mode::symmetric,
                                spruce::matrix::permute_mode::inverse_rows}) {
            EXPECT_REFUSES_NULL(op->permute(none<const Permutation>, mode));
            EXPECT_REFUSES_NULL(op->scale_permute(none<const ScaledPermutation>, mode));
        }
        EXPECT_REFUSES_NULL(op->permute(none<const Permutation>, permutation));
        EXPECT_REFUSES_NULL(op->permute(permutation, none<const Permutation>));
        EXPECT_REFUSES_NULL(op->scale_permute(none<const ScaledPermutation>, scaled));
        EXPECT_REFUSES_NULL(op->scale_permute(scaled, none<const ScaledPermutation>));
    };
    const auto converted = [&](auto result) {
        result->copy_from(a);
        return result;
    };

    check(a);
    check(square);
    check(converted(Coo::create(ref)));
    check(converted(Ell::create(ref)));
    check(converted(Fbcsr::create(ref)));
    check(converted(Hybrid::create(ref)));
    check(converted(Sellp::create(ref)));
    check_arrays(converted(SparsityCsr::create(ref)));
    EXPECT_REFUSES_NULL(a->permute_reuse(none<const Permutation>));
    EXPECT_REFUSES_NULL(a->permute_reuse(none<const Permutation>, permutation));
    EXPECT_REFUSES_NULL(a->permute_reuse(permutation, none<const Permutation>));
    EXPECT_REFUSES_NULL(permutation->compose(none<const Permutation>));
    EXPECT_REFUSES_NULL(scaled->compose(none<const ScaledPermutation>));
    EXPECT_REFUSES_NULL(ScaledPermutation::create(none<const Permutation>));
}

TEST_F(NullPointers, InPermutationsOfDenseIntoAnOutput)
{
    const auto output = spruce::clone(square);
    const auto mode = spruce::matrix::permute_mode::symmetric;

    EXPECT_REFUSES_NULL(square->permute(none<const array<int32>>, output));
    EXPECT_REFUSES_NULL(square->permute(&idxs, none<Dense>));
    EXPECT_REFUSES_NULL(square->inverse_permute(none<const array<int32>>, output));
    EXPECT_REFUSES_NULL(square->inverse_permute(&idxs, none<Dense>));
    EXPECT_REFUSES_NULL(square->row_permute(none<const array<int32>>, output));
    EXPECT_REFUSES_NULL(square->row_permute(&idxs, none<Dense>));
    EXPECT_REFUSES_NULL(square->column_permute(none<const array<int32>>, output));
    EXPECT_REFUSES_NULL(square->column_permute(&idxs, none<Dense>));
    EXPECT_REFUSES_NULL(square->inverse_row_permute(none<const array<int32>>, output));
    EXPECT_REFUSES_NULL(square->inverse_row_permute(&idxs, none<Dense>));
    EXPECT_REFUSES_NULL(square->inverse_column_permute(none<const array<int32>>, output));
    EXPECT_REFUSES_NULL(square->inverse_column_permute(&idxs, none<Dense>));
    EXPECT_REFUSES_NULL(square->permute(none<const Permutation>, output, mode));
    EXPECT_REFUSES_NULL(square->permute(permutation, none<Dense>, mode));
    EXPECT_REFUSES_NULL(square->permute(none<const Permutation>, permutation, output));
    EXPECT_REFUSES_NULL(square->permute(permutation, none<const Permutation>, output));
    EXPECT_REFUSES_NULL(square->permute(permutation, permutation, spruce::ptr_param<Dense>{nullptr}));
    EXPECT_REFUSES_NULL(square->scale_permute(none<const ScaledPermutation>, output, mode));
    EXPECT_REFUSES_NULL(square->scale_permute(scaled, none<Dense>, mode));
    EXPECT_REFUSES_NULL(square->scale_permute(none<const ScaledPermutation>, scaled, output));
    EXPECT_REFUSES_NULL(square->scale_permute(scaled, none<const ScaledPermutation>, output));
    EXPECT_REFUSES_NULL(square->scale_permute(scaled, scaled, spruce::ptr_param<Dense>{nullptr}));
    EXPECT_REFUSES_NULL(square->row_gather(none<const array<int32>>));
    EXPECT_REFUSES_NULL(square->row_gather(none<const array<int32>>, output));
    EXPECT_REFUSES_NULL(square->row_gather(&idxs, none<LinOp>));
    EXPECT_REFUSES_NULL(square->row_gather(none<const LinOp>, &idxs, one, output));
    EXPECT_REFUSES_NULL(square->row_gather(one, none<const array<int32>>, one, output));
    EXPECT_REFUSES_NULL(square->row_gather(one, &idxs, none<const LinOp>, output));
    EXPECT_REFUSES_NULL(square->row_gather(one, &idxs, one, none<LinOp>));
    EXPECT_REFUSES_NULL(square->row_scatter(none<const array<int32>>, output));
    EXPECT_REFUSES_NULL(square->row_scatter(&idxs, none<Dense>));

    EXPECT_MTX_NEAR(output, square, 0.0);
}

TEST_F(NullPointers, InDense)
{
    const auto result = spruce::clone(one);

    EXPECT_REFUSES_NULL(Dense::create_with_config_of(none<const Dense>));
    EXPECT_REFUSES_NULL(Dense::create_with_type_of(none<const Dense>, ref));
    EXPECT_REFUSES_NULL(Dense::create_with_type_of(none<const Dense>, ref, dim<2>{1, 1}, 1));
    EXPECT_REFUSES_NULL(Dense::create_with_type_of(x, no_exec));
    EXPECT_REFUSES_NULL(Dense::create_view_of(none<Dense>));
    EXPECT_REFUSES_NULL(Dense::create_const_view_of(none<const Dense>));
    EXPECT_REFUSES_NULL(spruce::make_dense_view(none<Dense>));
    EXPECT_REFUSES_NULL(spruce::make_const_dense_view(none<const Dense>));
    EXPECT_REFUSES_NULL(square->transpose(none<Dense>));
    EXPECT_REFUSES_NULL(square->conj_transpose(none<Dense>));
    EXPECT_REFUSES_NULL(square->extract_diagonal(none<Diagonal>));
    EXPECT_REFUSES_NULL(x->scale(none<const LinOp>));
    EXPECT_REFUSES_NULL(x->inv_scale(none<const LinOp>));
    EXPECT_REFUSES_NULL(x->add_scaled(none<const LinOp>, b));
    EXPECT_REFUSES_NULL(x->add_scaled(one, none<const LinOp>));
    EXPECT_REFUSES_NULL(x->sub_scaled(none<const LinOp>, b));
    EXPECT_REFUSES_NULL(x->sub_scaled(one, none<const LinOp>));
    EXPECT_REFUSES_NULL(square->add_scaled_identity(none<const LinOp>, one));
    EXPECT_REFUSES_NULL(square->add_scaled_identity(one, none<const LinOp>));
    EXPECT_REFUSES_NULL(x->compute_dot(none<const LinOp>, result));
    EXPECT_REFUSES_NULL(x->compute_dot(b, none<LinOp>));
    EXPECT_REFUSES_NULL(x->compute_dot(none<const LinOp>, result, tmp));
    EXPECT_REFUSES_NULL(x->compute_dot(b, none<LinOp>, tmp));
    EXPECT_REFUSES_NULL(x->compute_conj_dot(none<const LinOp>, result));
    EXPECT_REFUSES_NULL(x->compute_conj_dot(b, none<LinOp>));
    EXPECT_REFUSES_NULL(x->compute_conj_dot(none<const LinOp>, result, tmp));
    EXPECT_REFUSES_NULL(x->compute_conj_dot(b, none<LinOp>, tmp));
    EXPECT_REFUSES_NULL(x->compute_norm2(none<LinOp>));
    EXPECT_REFUSES_NULL(x->compute_norm2(none<LinOp>, tmp));
    EXPECT_REFUSES_NULL(x->compute_norm1(none<LinOp>));
    EXPECT_REFUSES_NULL(x->compute_norm1(none<LinOp>, tmp));
    EXPECT_REFUSES_NULL(x->compute_squared_norm2(none<LinOp>));
    EXPECT_REFUSES_NULL(x->compute_squared_norm2(none<LinOp>, tmp));
    EXPECT_REFUSES_NULL(x->compute_mean(none<LinOp>));
    EXPECT_REFUSES_NULL(x->compute_mean(none<LinOp>, tmp));
    EXPECT_REFUSES_NULL(x->compute_absolute(none<Dense>));
    EXPECT_REFUSES_NULL(complex_x->compute_absolute(none<Dense>));
    EXPECT_REFUSES_NULL(x->make_complex(none<ComplexDense>));
    EXPECT_REFUSES_NULL(complex_x->get_real(none<Dense>));
    EXPECT_REFUSES_NULL(complex_x->get_imag(none<Dense>));

    EXPECT_MTX_NEAR(result, one, 0.0);
}

TEST_F(NullPointers, InDenseBlas)
{
    using namespace spruce::blas;
    const auto t = transposition::none;
    const auto l = triangle::lower;
    const auto no = none<const LinOp>;
    const auto c = spruce::clone(square);

    EXPECT_REFUSES_NULL(gemm(t, t, no, square, square, one, c));
    EXPECT_REFUSES_NULL(gemm(t, t, one, no, square, one, c));
    EXPECT_REFUSES_NULL(gemm(t, t, one, square, no, one, c));
    EXPECT_REFUSES_NULL(gemm(t, t, one, square, square, no, c));
    EXPECT_REFUSES_NULL(gemm(t, t, one, square, square, one, none<LinOp>));
    const auto y = spruce::clone(x);
    for (const auto function : {&symv, &hemv}) {
        EXPECT_REFUSES_NULL(function(l, no, square, b, one, y));
        EXPECT_REFUSES_NULL(function(l, one, no, b, one, y));
        EXPECT_REFUSES_NULL(function(l, one, square, no, one, y));
        EXPECT_REFUSES_NULL(function(l, one, square, b, no, y));
        EXPECT_REFUSES_NULL(function(l, one, square, b, one, none<LinOp>));
    }
    for (const auto function : {&symm, &hemm}) {
        EXPECT_REFUSES_NULL(function(side::left, l, no, square, square, one, c));
        EXPECT_REFUSES_NULL(function(side::left, l, one, no, square, one, c));
        EXPECT_REFUSES_NULL(function(side::right, l, one, square, no, one, c));
        EXPECT_REFUSES_NULL(function(side::left, l, one, square, square, no, c));
        EXPECT_REFUSES_NULL(function(side::left, l, one, square, square, one, none<LinOp>));
    }
    for (const auto function : {&syrk, &herk}) {
        EXPECT_REFUSES_NULL(function(l, t, no, square, one, c));
        EXPECT_REFUSES_NULL(function(l, t, one, no, one, c));
        EXPECT_REFUSES_NULL(function(l, t, one, square, no, c));
        EXPECT_REFUSES_NULL(function(l, t, one, square, one, none<LinOp>));
    }
    for (const auto function : {&syr2k, &her2k}) {
        EXPECT_REFUSES_NULL(function(l, t, no, square, square, one, c));
        EXPECT_REFUSES_NULL(function(l, t, one, no, square, one, c));
        EXPECT_REFUSES_NULL(function(l, t, one, square, no, one, c));
        EXPECT_REFUSES_NULL(function(l, t, one, square, square, no, c));
        EXPECT_REFUSES_NULL(function(l, t, one, square, square, one, none<LinOp>));
    }
    EXPECT_REFUSES_NULL(trmm(side::left, l, t, diagonal::stored, no, square, c));
    EXPECT_REFUSES_NULL(trmm(side::left, l, t, diagonal::stored, one, no, c));
    EXPECT_REFUSES_NULL(trmm(side::left, l, t, diagonal::stored, one, square, none<LinOp>));

    EXPECT_MTX_NEAR(c, square, 0.0);
    EXPECT_MTX_NEAR(y, x, 0.0);
}

TEST_F(NullPointers, InCopiesAndConversions)
{
    const auto check = [&](const auto& source, auto... results) {
        (
            [&](auto* result) {
                EXPECT_REFUSES_NULL(source->convert_to(result));
                EXPECT_REFUSES_NULL(
                    source->convert_to(spruce::ptr_param<std::remove_pointer_t<decltype(result)>>(result)));
                EXPECT_REFUSES_NULL(source->move_to(result));
            }(results),
            ...);
        EXPECT_REFUSES_NULL(source->copy_from(none<const spruce::PolymorphicObject>));
        EXPECT_REFUSES_NULL(source->copy_from(std::shared_ptr<const LinOp>{}));
        EXPECT_REFUSES_NULL(source->copy_from(std::unique_ptr<LinOp>{}));
        EXPECT_REFUSES_NULL(source->move_from(none<spruce::PolymorphicObject>));
        EXPECT_REFUSES_NULL(source->create_default(nullptr));
        EXPECT_REFUSES_NULL(source->clone(nullptr));
    };
    const auto converted = [&](auto result) {
        result->copy_from(a);
        return result;
    };

    check(a, none<Csr>, none<Dense>, none<Coo>, none<Ell>, none<Sellp>, none<Hybrid>, none<Fbcsr>, none<SparsityCsr>);
    check(square, none<Dense>, none<Csr>, none<Coo>, none<Ell>, none<Sellp>, none<Hybrid>, none<Fbcsr>,
          none<SparsityCsr>);
    check(converted(Coo::create(ref)), none<Coo>, none<Csr>, none<Dense>);
    check(converted(Ell::create(ref)), none<Ell>, none<Csr>, none<Dense>);
    check(converted(Sellp::create(ref)), none<Sellp>, none<Csr>, none<Dense>);
    check(converted(Hybrid::create(ref)), none<Hybrid>, none<Csr>, none<Dense>);
    check(converted(Fbcsr::create(ref)), none<Fbcsr>, none<Csr>, none<Dense>);
    check(converted(SparsityCsr::create(ref)), none<SparsityCsr>, none<Csr>, none<Dense>);
    check(Diagonal::create(ref, 2), none<Diagonal>, none<Csr>, none<Dense>);
    check(permutation, none<Permutation>);
    check(scaled, none<ScaledPermutation>);
    check(spruce::Composition<double>::create(a, a), none<spruce::Composition<double>>);
    check(spruce::Combination<double>::create(one, a), none<spruce::Combination<double>>);
#if !SPRUCE_TYPES_MINIMAL
    check(a, none<spruce::matrix::Csr<float, int32>>);
    check(square, none<FloatDense>);
#endif
}

TEST_F(NullPointers, InFreeFunctions)
{
    std::ostringstream output;

    EXPECT_REFUSES_NULL(spruce::clone(none<Dense>));
    EXPECT_REFUSES_NULL(spruce::clone(std::shared_ptr<LinOp>{}));
    EXPECT_REFUSES_NULL(spruce::clone(std::unique_ptr<const LinOp>{}));
    EXPECT_REFUSES_NULL(spruce::clone(ref, none<Dense>));
    EXPECT_REFUSES_NULL(spruce::clone(no_exec, x));
    EXPECT_THROW(spruce::as<Csr>(none<LinOp>), spruce::NotSupported);
    EXPECT_THROW(spruce::as<Csr>(std::shared_ptr<LinOp>{}), spruce::NotSupported);
    EXPECT_THROW(spruce::as<Csr>(std::unique_ptr<LinOp>{}), spruce::NotSupported);
    EXPECT_REFUSES_NULL(spruce::make_temporary_clone(no_exec, x));
    EXPECT_REFUSES_NULL(spruce::make_temporary_output_clone(no_exec, x));
    EXPECT_FALSE(spruce::make_temporary_clone(ref, none<const Dense>));  // documented
    EXPECT_REFUSES_NULL(spruce::copy_and_convert_to<Dense>(ref, none<LinOp>));
    EXPECT_REFUSES_NULL(spruce::copy_and_convert_to<Dense>(no_exec, static_cast<LinOp*>(x.get())));
    EXPECT_REFUSES_NULL(spruce::copy_and_convert_to<Dense>(ref, std::shared_ptr<LinOp>{}));
    EXPECT_REFUSES_NULL(spruce::make_temporary_conversion<double>(none<const LinOp>));
    const auto do_nothing = [](auto...) {};
    EXPECT_REFUSES_NULL(
        spruce::precision_dispatch<double>(do_nothing, none<const LinOp>, static_cast<LinOp*>(x.get())));
    EXPECT_REFUSES_NULL(
        spruce::precision_dispatch_real_complex<double>(do_nothing, none<const LinOp>, static_cast<LinOp*>(x.get())));
    EXPECT_REFUSES_NULL(
        spruce::precision_dispatch_real_complex<double>(do_nothing, static_cast<const LinOp*>(x.get()), none<LinOp>));
    EXPECT_REFUSES_NULL(spruce::write(output, none<const LinOp>));
    EXPECT_REFUSES_NULL(spruce::write(output, none<const LinOp>, spruce::layout_type::array));
    EXPECT_REFUSES_NULL(spruce::write(output, none<Csr>));
    EXPECT_REFUSES_NULL(spruce::write_binary(output, none<Csr>));
    EXPECT_REFUSES_NULL(spruce::initialize<Dense>({1.0, 2.0}, no_exec));
    EXPECT_REFUSES_NULL(spruce::initialize<Dense>({{1.0, 2.0}, {3.0, 4.0}}, no_exec));
    std::istringstream input{"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1.0\n"};
    EXPECT_REFUSES_NULL(spruce::read<Csr>(input, no_exec));

    EXPECT_EQ(output.str(), "");
}

TEST_F(NullPointers, InConstructors)
{
    const dim<2> size{2, 2};
    const array<double> values{ref, {1.0, 2.0}};

    EXPECT_REFUSES_NULL(Dense::create(no_exec));
    EXPECT_REFUSES_NULL(Dense::create(no_exec, size));
    EXPECT_REFUSES_NULL(Dense::create(no_exec, dim<2>{2, 1}, values, 1));
    EXPECT_REFUSES_NULL(Csr::create(no_exec));
    EXPECT_REFUSES_NULL(Csr::create(no_exec, size, 1));
    EXPECT_REFUSES_NULL(Csr::create(no_exec, size, values, idxs, idxs));
    EXPECT_REFUSES_NULL(Coo::create(no_exec));
    EXPECT_REFUSES_NULL(Coo::create(no_exec, size, values, idxs, idxs));
    EXPECT_REFUSES_NULL(Ell::create(no_exec));
    EXPECT_REFUSES_NULL(Ell::create(no_exec, size, values, idxs, 1, 2));
    EXPECT_REFUSES_NULL(Sellp::create(no_exec));
    EXPECT_REFUSES_NULL(Sellp::create(no_exec, size, 2, 1, 1));
    EXPECT_REFUSES_NULL(Hybrid::create(no_exec));
    EXPECT_REFUSES_NULL(Hybrid::create(no_exec, size));
    EXPECT_REFUSES_NULL(Fbcsr::create(no_exec));
    EXPECT_REFUSES_NULL(Fbcsr::create(no_exec, size, 1, values, idxs, idxs));
    EXPECT_REFUSES_NULL(SparsityCsr::create(no_exec));
    EXPECT_REFUSES_NULL(SparsityCsr::create(no_exec, size, idxs, idxs));
    EXPECT_REFUSES_NULL(SparsityCsr::create(no_exec, std::shared_ptr<const LinOp>(a)));
    EXPECT_REFUSES_NULL(SparsityCsr::create(ref, std::shared_ptr<const LinOp>{}));
    EXPECT_REFUSES_NULL(Diagonal::create(no_exec, 2));
    EXPECT_REFUSES_NULL(Diagonal::create(no_exec, 2, values));
    EXPECT_REFUSES_NULL(spruce::matrix::Identity<double>::create(no_exec, 2));
    EXPECT_REFUSES_NULL(spruce::matrix::IdentityFactory<double>::create(no_exec));
    EXPECT_REFUSES_NULL(Permutation::create(no_exec, 2));
    EXPECT_REFUSES_NULL(Permutation::create(no_exec, idxs));
    EXPECT_REFUSES_NULL(ScaledPermutation::create(no_exec, 2));
    EXPECT_REFUSES_NULL(ScaledPermutation::create(no_exec, values, idxs));
    EXPECT_REFUSES_NULL(RowGatherer::create(no_exec, size));
    EXPECT_REFUSES_NULL(RowGatherer::create(no_exec, size, idxs));
    EXPECT_REFUSES_NULL(spruce::Composition<double>::create(no_exec));
    EXPECT_REFUSES_NULL(spruce::Composition<double>::create(std::shared_ptr<const LinOp>{}));
    EXPECT_REFUSES_NULL(spruce::Composition<double>::create(a, std::shared_ptr<const LinOp>{}));
    EXPECT_REFUSES_NULL(spruce::Combination<double>::create(no_exec));
    EXPECT_REFUSES_NULL(spruce::Combination<double>::create(std::shared_ptr<const LinOp>{}, a));
    EXPECT_REFUSES_NULL(spruce::Combination<double>::create(one, std::shared_ptr<const LinOp>{}));
    EXPECT_REFUSES_NULL(DeviceData{no_exec});
    EXPECT_REFUSES_NULL(DeviceData{no_exec, DeviceData{ref}});
    EXPECT_REFUSES_NULL(DeviceData::create_from_host(no_exec, Data{size}));
    EXPECT_REFUSES_NULL(DeviceData{no_exec, size, idxs, idxs, values});
    EXPECT_REFUSES_NULL(spruce::index_set<int32>{no_exec});
    EXPECT_REFUSES_NULL(spruce::index_set<int32>{no_exec, {1, 2}});
    EXPECT_REFUSES_NULL(spruce::index_set<int32>{no_exec, 2, idxs});
    EXPECT_REFUSES_NULL(spruce::index_set<int32>{no_exec, spruce::index_set<int32>{ref}});
    EXPECT_REFUSES_NULL(Csr::load_balance{std::shared_ptr<const spruce::CudaExecutor>{}});
    EXPECT_REFUSES_NULL(Csr::load_balance{std::shared_ptr<const spruce::HipExecutor>{}});
    EXPECT_REFUSES_NULL(Csr::automatical{std::shared_ptr<const spruce::CudaExecutor>{}});
    EXPECT_REFUSES_NULL(Csr::automatical{std::shared_ptr<const spruce::HipExecutor>{}});
    EXPECT_EQ(Csr::create(ref, size, 0, nullptr)->get_strategy()->get_name(), "classical");  // documented
}

TEST_F(NullPointers, InArrays)
{
    double value{};

    EXPECT_REFUSES_NULL(array<double>(no_exec, 2));
    EXPECT_REFUSES_NULL(array<double>(no_exec, {1.0, 2.0}));
    EXPECT_REFUSES_NULL(array<double>(ref, 2, none<double>));
    EXPECT_REFUSES_NULL(array<double>(no_exec, 1, &value, spruce::null_deleter<double[]>{}));
    EXPECT_REFUSES_NULL(array<double>::view(ref, 2, nullptr));
    EXPECT_REFUSES_NULL(array<double>::view(no_exec, 1, &value));
    EXPECT_REFUSES_NULL(array<double>::const_view(ref, 2, nullptr));
    EXPECT_REFUSES_NULL(array<double>::const_view(no_exec, 1, &value));
    EXPECT_REFUSES_NULL(spruce::make_array_view(ref, 2, none<double>));
    EXPECT_REFUSES_NULL(spruce::make_const_array_view(ref, 2, none<double>));
    EXPECT_REFUSES_NULL(spruce::reduce_add(array<double>{}));
    array<double> filled{ref, {1.0, 2.0}};
    EXPECT_REFUSES_NULL(filled.set_executor(nullptr));
    EXPECT_EQ(filled.copy_to_host(), (std::vector<double>{1.0, 2.0}));
    EXPECT_EQ(filled.get_executor(), ref);
    EXPECT_NO_THROW(array<double>::view(ref, 0, nullptr));  // there is no element to point to
}

TEST_F(NullPointers, InExecutors)
{
    double value = 5.0;

    EXPECT_REFUSES_NULL(ref->copy_from(none<const Executor>, 1, &value, &value));
    EXPECT_REFUSES_NULL(ref->copy_from(ref, 1, none<double>, &value));
    EXPECT_REFUSES_NULL(ref->copy_from(ref, 1, &value, none<double>));
    EXPECT_REFUSES_NULL(ref->copy(1, none<double>, &value));
    EXPECT_REFUSES_NULL(ref->copy(1, &value, none<double>));
    EXPECT_REFUSES_NULL(ref->copy_val_to_host(none<double>));
    EXPECT_REFUSES_NULL(spruce::OmpExecutor::create(nullptr));
    EXPECT_REFUSES_NULL(spruce::ReferenceExecutor::create(nullptr));
    EXPECT_REFUSES_NULL(spruce::Timer::create_for_executor(nullptr));
    EXPECT_REFUSES_NULL(spruce::CudaTimer{nullptr});
    EXPECT_REFUSES_NULL(spruce::HipTimer{nullptr});
    EXPECT_NO_THROW(ref->copy(0, none<double>, none<double>));
    EXPECT_FALSE(ref->memory_accessible(nullptr));
    EXPECT_FALSE(ref->is_equivalent_to(nullptr));
    ref->free(nullptr);

    EXPECT_EQ(value, 5.0);
}

/// Generates no operator.
class EmptyFactory : public spruce::EnablePolymorphicObject<EmptyFactory, spruce::LinOpFactory> {
public:
    explicit EmptyFactory(std::shared_ptr<const spruce::Executor> exec) : EnablePolymorphicObject(std::move(exec)) {}

protected:
    std::unique_ptr<LinOp> generate_impl(std::shared_ptr<const LinOp>) const override { return nullptr; }
};

TEST_F(NullPointers, GeneratedByFactoriesInParameters)
{
    const auto factory = std::make_shared<const EmptyFactory>(ref);
    spruce::matrix_data<double, int32> with_long_rows{spruce::dim<2>{130, 130}};
    for (int32 row = 0; row < 130; ++row) {
        for (int32 col = 0; col < 130; ++col) {
            with_long_rows.nonzeros.emplace_back(row, col, row == col ? 130.0 : 1.0);
        }
    }
    const auto long_rows = share(spruce::matrix::Csr<double, int32>::create(ref));
    long_rows->read(with_long_rows);
    using namespace spruce::preconditioner;
    using AnyIlu = Ilu<double, double, false, int32>;
    using AnyIc = Ic<double, int32>;
    const auto expect_refused = [&](const auto& parameters, const auto& matrix, const std::string& name,
                                    const std::string& parameter) {
        const auto outer = parameters.on(ref);
        EXPECT_THROW_WITH(outer->generate(matrix), spruce::NotSupported, name);
        EXPECT_THROW_WITH(outer->generate(matrix), spruce::NotSupported,
                          "a null pointer: the factory " + parameter + " generated no operator");
    };

    expect_refused(Sor<>::build().with_l_solver(factory), a, "preconditioner::Sor", "l_solver");
    expect_refused(Sor<>::build().with_symmetric(true).with_u_solver(factory), a, "preconditioner::Sor", "u_solver");
    expect_refused(GaussSeidel<>::build().with_l_solver(factory), a, "preconditioner::GaussSeidel", "l_solver");
    expect_refused(AnyIlu::build().with_l_solver(factory), a, "preconditioner::Ilu", "l_solver");
    expect_refused(AnyIlu::build().with_u_solver(factory), a, "preconditioner::Ilu", "u_solver");
    expect_refused(AnyIlu::build().with_factorization(factory), a, "preconditioner::Ilu", "factorization");
    expect_refused(AnyIc::build().with_l_solver(factory), a, "preconditioner::Ic", "l_solver");
    expect_refused(AnyIc::build().with_factorization(factory), a, "preconditioner::Ic", "factorization");
    expect_refused(GeneralIsai<>::build().with_excess_solver_factory(factory), long_rows, "preconditioner::Isai",
                   "excess_solver_factory");
}

TEST_F(NullPointers, InSolversAndFactories)
{
    using namespace spruce::solver;
    const auto iteration = spruce::stop::Iteration::build().with_max_iters(3u);
    const auto check = [&](const auto& parameters) {
        EXPECT_REFUSES_NULL(parameters.on(nullptr));
        const auto factory = parameters.on(ref);
        EXPECT_REFUSES_NULL(factory->generate(nullptr));
        EXPECT_REFUSES_NULL(factory->add_logger(nullptr));
        const auto solver = factory->generate(a);
        EXPECT_REFUSES_NULL(solver->apply(none<LinOp>, x));
        EXPECT_REFUSES_NULL(solver->apply(b, none<LinOp>));
        EXPECT_REFUSES_NULL(solver->apply(none<LinOp>, b, one, x));
        EXPECT_REFUSES_NULL(solver->apply(one, none<LinOp>, one, x));
        EXPECT_REFUSES_NULL(solver->apply(one, b, none<LinOp>, x));
        EXPECT_REFUSES_NULL(solver->apply(one, b, one, none<LinOp>));
        if constexpr (std::is_base_of_v<IterativeBase, std::decay_t<decltype(*solver)>>) {
            EXPECT_REFUSES_NULL(solver->set_stop_criterion_factory(nullptr));
        }
        if constexpr (std::is_base_of_v<spruce::Preconditionable, std::decay_t<decltype(*solver)>>) {
            EXPECT_REFUSES_NULL(solver->set_preconditioner(nullptr));
        }
    };
    spruce::test::for_each_iterative_solver<double>([&](auto tag) {
        using Solver = typename decltype(tag)::type;
        check(spruce::test::build_for_spectrum<Solver>(1, 3).with_criteria(iteration));
    });
    check(LowerTrs<double, int32>::build());
    check(UpperTrs<double, int32>::build());
    check(spruce::factorization::Ilu<double, int32>::build());
    check(spruce::factorization::Ic<double, int32>::build());
    check(spruce::factorization::ParIlu<double, int32>::build());
    check(spruce::factorization::ParIc<double, int32>::build());
    check(spruce::factorization::ParIlut<double, int32>::build());
    check(spruce::factorization::ParIct<double, int32>::build());
    check(spruce::preconditioner::Ilu<>::build());
    check(spruce::preconditioner::Ic<>::build());
    check(spruce::preconditioner::LowerIsai<>::build());
    check(spruce::preconditioner::SpdIsai<>::build());
    check(spruce::preconditioner::Sor<double, int32>::build());
    check(spruce::preconditioner::GaussSeidel<double, int32>::build());
    const auto ilu = spruce::factorization::Ilu<double, int32>::build().on(ref)->generate(a);
    EXPECT_REFUSES_NULL(ilu->refresh(nullptr));
    EXPECT_REFUSES_NULL(LowerTrs<double, int32>::build().on(ref)->generate(a)->refresh(nullptr));
    EXPECT_REFUSES_NULL(spruce::preconditioner::Ilu<>::build().on(ref)->generate(a)->refresh(nullptr));
    EXPECT_REFUSES_NULL(spruce::preconditioner::GeneralIsai<>::build().on(ref)->generate(a)->refresh(nullptr));
    EXPECT_REFUSES_NULL(spruce::preconditioner::Sor<double, int32>::build().on(ref)->generate(a)->refresh(nullptr));
    using Factorization = spruce::experimental::factorization::Factorization<double, int32>;
    EXPECT_REFUSES_NULL(Factorization::create_from_composition(nullptr));
    EXPECT_REFUSES_NULL(Factorization::create_from_symm_composition(nullptr));
    EXPECT_REFUSES_NULL(Factorization::create_from_combined_lu(nullptr));
    EXPECT_REFUSES_NULL(Factorization::create_from_combined_ldu(nullptr));
    EXPECT_REFUSES_NULL(Factorization::create_from_combined_cholesky(nullptr));
    EXPECT_REFUSES_NULL(Factorization::create_from_combined_ldl(nullptr));
    using Jacobi = spruce::preconditioner::Jacobi<double, int32>;
    check(Jacobi::build());

    const auto jacobi = Jacobi::build().on(ref)->generate(a);
    EXPECT_REFUSES_NULL(jacobi->refresh(nullptr));
    EXPECT_REFUSES_NULL(jacobi->convert_to(none<Dense>));
    EXPECT_REFUSES_NULL(jacobi->convert_to(none<Jacobi>));
    EXPECT_REFUSES_NULL(jacobi->move_to(none<Dense>));
    EXPECT_REFUSES_NULL(Ir<double>::build().with_criteria(iteration).on(ref)->generate(a)->set_solver(nullptr));
    EXPECT_REFUSES_NULL(build_smoother(std::shared_ptr<const LinOp>{}));
    EXPECT_REFUSES_NULL(build_smoother(std::shared_ptr<const LinOpFactory>{}));
    EXPECT_REFUSES_NULL(spruce::matrix::IdentityFactory<double>::create(ref)->generate(nullptr));
}

TEST_F(NullPointers, InStoppingCriteria)
{
    using namespace spruce::stop;
    array<spruce::stopping_status> status{ref, {spruce::stopping_status{}}};
    bool changed{};
    const auto check = [&](const auto& parameters, const CriterionArgs& arguments) {
        EXPECT_REFUSES_NULL(parameters.on(nullptr));
        const auto criterion = parameters.on(ref)->generate(arguments);
        const auto updater = [&]() -> decltype(auto) { return criterion->update(); };
        EXPECT_REFUSES_NULL(updater().check(1, true, nullptr, &changed));
        EXPECT_REFUSES_NULL(updater().check(1, true, &status, nullptr));
    };
    const CriterionArgs arguments{a, b, x.get(), x.get()};
    check(Iteration::build().with_max_iters(3u), {nullptr, nullptr, nullptr});
    check(Time::build(), {nullptr, nullptr, nullptr});
    check(ResidualNorm<double>::build(), arguments);
    check(ImplicitResidualNorm<double>::build(), arguments);
    check(ResidualNormReduction<double>::build(), arguments);
    check(RelativeResidualNorm<double>::build(), arguments);
    check(AbsoluteResidualNorm<double>::build(), arguments);
    check(Combined::build().with_criteria(Iteration::build().with_max_iters(3u), ResidualNorm<double>::build()),
          arguments);
    const auto norm = spruce::share(ResidualNorm<double>::build().on(ref));
    EXPECT_REFUSES_NULL(norm->generate(CriterionArgs{nullptr, nullptr, nullptr}));
    EXPECT_REFUSES_NULL(norm->generate(CriterionArgs{a, nullptr, x.get()}));
    EXPECT_NO_THROW(
        norm->generate(CriterionArgs{nullptr, b, nullptr}));  // not required if checks receive the norm of the residual
    EXPECT_THROW(norm->generate(arguments)->update().num_iterations(1).check(1, true, &status, &changed),
                 spruce::NotSupported);
    EXPECT_REFUSES_NULL(combine(std::vector<std::shared_ptr<const CriterionFactory>>{nullptr}));
    EXPECT_FALSE(status.get_const_data()[0].has_stopped());
}

TEST_F(NullPointers, InLoggers)
{
    using namespace spruce::log;
    std::ostringstream output;
    const auto hook = ProfilerHook::create_custom([](const char*, profile_event_category) {},
                                                  [](const char*, profile_event_category) {});
    const auto exec = spruce::OmpExecutor::create();

    EXPECT_REFUSES_NULL(a->add_logger(nullptr));
    EXPECT_THROW(a->remove_logger(none<const Logger>), spruce::OutOfBoundsError);
    EXPECT_REFUSES_NULL(exec->add_logger(nullptr));
    EXPECT_THROW(exec->remove_logger(none<const Logger>), spruce::OutOfBoundsError);
    EXPECT_REFUSES_NULL(hook->set_object_name(none<const spruce::PolymorphicObject>, "a"));
    EXPECT_REFUSES_NULL(hook->user_range(nullptr));
    EXPECT_REFUSES_NULL(ProfilerHook::create_for_executor(nullptr));
    EXPECT_REFUSES_NULL(ProfilerHook::create_summary(nullptr));
    EXPECT_REFUSES_NULL(ProfilerHook::create_nested_summary(nullptr));
    EXPECT_REFUSES_NULL(ProfilerHook::create_summary(std::make_shared<spruce::CpuTimer>(), nullptr));
    EXPECT_REFUSES_NULL(ProfilerHook::create_nested_summary(std::make_shared<spruce::CpuTimer>(), nullptr));
}

/// Tests that handlers accept null for objects that an event does not have.
TEST_F(NullPointers, AreHandledByLoggers)
{
    using namespace spruce::log;
    std::ostringstream output;
    const std::vector<std::shared_ptr<Logger>> loggers{
        ProfilerHook::create_custom([](const char*, profile_event_category) {},
                                    [](const char*, profile_event_category) {}),
        Stream<double>::create(Logger::all_events_mask, output, true),
        Record::create(),
        spruce::log::Convergence<double>::create(Logger::all_events_mask),
        PerformanceHint::create(output),
        SolverProgress::create_scalar_table_writer(output),
        SolverProgress::create_scalar_csv_writer(output)};
    for (const auto& logger : loggers) {
        logger->on_allocation_started(nullptr, 1);
        logger->on_allocation_completed(nullptr, 1, 0);
        logger->on_free_started(nullptr, 0);
        logger->on_free_completed(nullptr, 0);
        logger->on_copy_started(nullptr, nullptr, 0, 0, 1);
        logger->on_copy_completed(nullptr, nullptr, 0, 0, 1);
        logger->on_operation_launched(nullptr, nullptr);
        logger->on_operation_completed(nullptr, nullptr);
        logger->on_polymorphic_object_create_started(nullptr, nullptr);
        logger->on_polymorphic_object_create_completed(nullptr, nullptr, nullptr);
        logger->on_polymorphic_object_copy_started(nullptr, nullptr, nullptr);
        logger->on_polymorphic_object_copy_completed(nullptr, nullptr, nullptr);
        logger->on_polymorphic_object_move_started(nullptr, nullptr, nullptr);
        logger->on_polymorphic_object_move_completed(nullptr, nullptr, nullptr);
        logger->on_polymorphic_object_deleted(nullptr, nullptr);
        logger->on_linop_apply_started(nullptr, nullptr, nullptr);
        logger->on_linop_apply_completed(nullptr, nullptr, nullptr);
        logger->on_linop_advanced_apply_started(nullptr, nullptr, nullptr, nullptr, nullptr);
        logger->on_linop_advanced_apply_completed(nullptr, nullptr, nullptr, nullptr, nullptr);
        logger->on_linop_factory_generate_started(nullptr, nullptr);
        logger->on_linop_factory_generate_completed(nullptr, nullptr, nullptr);
        logger->on_zero_diagonal_replaced(nullptr);
        logger->on_sweeps_failed(nullptr);
        logger->on_hierarchy_generated(nullptr, "");
        logger->on_criterion_check_started(nullptr, 1, nullptr, nullptr, nullptr, 1, true);
        logger->on_criterion_check_completed(nullptr, 1, nullptr, nullptr, nullptr, nullptr, 1, true, nullptr, true,
                                             true);
        logger->on_iteration_complete(nullptr, nullptr, nullptr, 1, nullptr, nullptr, nullptr, nullptr, true);
    }
}

/// Makes set_composition() public.
struct Product : spruce::UseComposition<double> {
    template <typename... Operators>
    explicit Product(std::shared_ptr<const LinOp> first, Operators... others)
        : spruce::UseComposition<double>(first, others...)
    {}
    using spruce::UseComposition<double>::set_composition;
};

TEST_F(NullPointers, ArePerturbationsOrProducts)
{
    using Perturbation = spruce::Perturbation<double>;
    const std::shared_ptr<const LinOp> none_shared;
    EXPECT_REFUSES_NULL(Perturbation::create(no_exec));
    EXPECT_REFUSES_NULL(Perturbation::create(none_shared, b));
    EXPECT_REFUSES_NULL(Perturbation::create(one, none_shared));
    EXPECT_REFUSES_NULL(Perturbation::create(one, b, none_shared));
    const auto perturbation = Perturbation::create(one, b);
    EXPECT_REFUSES_NULL(perturbation->apply(none<LinOp>, x));
    EXPECT_REFUSES_NULL(perturbation->apply(b, none<LinOp>));
    EXPECT_REFUSES_NULL(perturbation->apply(none<LinOp>, b, one, x));
    EXPECT_REFUSES_NULL(perturbation->apply(one, none<LinOp>, one, x));
    EXPECT_REFUSES_NULL(perturbation->apply(one, b, none<LinOp>, x));
    EXPECT_REFUSES_NULL(perturbation->apply(one, b, one, none<LinOp>));

    EXPECT_REFUSES_NULL(Product{none_shared});
    EXPECT_REFUSES_NULL(Product(a, none_shared));
    Product product{a, a};
    EXPECT_REFUSES_NULL(product.set_composition(none_shared));
    EXPECT_REFUSES_NULL(product.set_composition(a, none_shared));
}

TEST_F(NullPointers, AreExecutorsOfConstantMatrices)
{
    const double value = 1;
    const int32 indices[]{0, 1};
    const auto values = [&] { return make_const_array_view(ref, 1, &value); };
    const auto index = [&] { return make_const_array_view(ref, 1, indices); };
    const auto pointers = [&] { return make_const_array_view(ref, 2, indices); };
    const dim<2> size{1, 1};
    EXPECT_REFUSES_NULL(Coo::create_const(no_exec, size, values(), index(), index()));
    EXPECT_REFUSES_NULL(Csr::create_const(no_exec, size, values(), index(), pointers()));
    EXPECT_REFUSES_NULL(Dense::create_const(no_exec, size, values(), 1));
    EXPECT_REFUSES_NULL(Diagonal::create_const(no_exec, 1, values()));
    EXPECT_REFUSES_NULL(Ell::create_const(no_exec, size, values(), index(), 1, 1));
    EXPECT_REFUSES_NULL(Fbcsr::create_const(no_exec, size, 1, values(), index(), pointers()));
    EXPECT_REFUSES_NULL(SparsityCsr::create_const(no_exec, size, index(), pointers()));
    EXPECT_REFUSES_NULL(Permutation::create_const(no_exec, index()));
    EXPECT_REFUSES_NULL(ScaledPermutation::create_const(no_exec, values(), index()));
    EXPECT_REFUSES_NULL(RowGatherer::create_const(no_exec, size, index()));
}

TEST_F(NullPointers, AreOperandsOfDiagonalsAndSparseMatrices)
{
    const auto diagonal = Diagonal::create(ref, 2);
    EXPECT_REFUSES_NULL(diagonal->apply(none<const Csr>, none<Csr>));
    EXPECT_REFUSES_NULL(diagonal->apply(a, none<Csr>));
    EXPECT_REFUSES_NULL(diagonal->rapply(a, none<Csr>));
    EXPECT_REFUSES_NULL(diagonal->inverse_apply(a, none<Csr>));
}

}  // namespace
