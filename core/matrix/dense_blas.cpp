// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/matrix/dense_blas.hpp>

#include <algorithm>

#include <spruce/base/exception_helpers.hpp>

#include "core/base/dispatch.hpp"
#include "core/base/overlap.hpp"
#include "core/matrix/dense_blas_kernels.hpp"

namespace spruce::blas {
namespace {

using kernels::dense::mirroring;
using kernels::dense::output_triangle;
using matrix::Dense;

// --- arguments -----------------------------------------------------------------------------------

/// Calls function(x) for a Dense x of any value type.
/// @throws NotSupported  for other types
template <typename Function>
void dispatch(LinOp* x, Function function)
{
    bool is_found{};
    for_each_value_type([&](auto tag) {
        using V = typename decltype(tag)::type;
        if (const auto dense = is_found ? nullptr : dynamic_cast<Dense<V>*>(x)) {
            is_found = true;
            function(*dense);
        }
    });
    if (!is_found) {
        throw NotSupported(__FILE__, __LINE__, "a product of dense matrices into anything but a Dense",
                           spruce::detail::type_name_of(*x));
    }
}

/// Holds a factor of a result, with the value type and on the executor of the result.
/// @tparam Given  value type that the factor must have, in either precision
template <typename V, typename Given>
class factor_as {
public:
    factor_as(const char* function, const Dense<V>& c, ptr_param<const LinOp> factor)
        : local_{spruce::detail::result_memory{function, c, "the result"}.separate_factor(c.get_executor(),
                                                                                          check(factor))},
          given_{local_.get()}
    {
        if constexpr (!std::is_same_v<V, Given>) {
            converted_ = given_.get()->make_complex();
        }
    }
    const Dense<V>& operator*() const
    {
        if constexpr (std::is_same_v<V, Given>) {
            return *given_.get();
        } else {
            return *converted_;
        }
    }

private:
    static const LinOp* check(const ptr_param<const LinOp>& factor)
    {
        SPRUCE_ASSERT_IS_SCALAR(factor);
        return factor.get();
    }

    spruce::detail::temporary_clone<const LinOp> local_;
    spruce::detail::const_converted_dense<Given> given_;
    std::unique_ptr<Dense<V>> converted_;
};
template <typename V>
using scalar = factor_as<V, V>;
template <typename V>
using real_scalar = factor_as<V, remove_complex<V>>;

/// Returns x or a copy of it, which can be read while c is written.
template <typename V>
auto matrix_for(const char* function, const Dense<V>& c, ptr_param<const LinOp> x, const char* name)
{
    const spruce::detail::result_memory result{function, c, "the result"};
    return result.separate(c.get_executor(), as<const Dense<V>>(x.get()), name);
}

dim<2> size_of(const LinOp* x, transposition op)
{
    return op == transposition::none ? x->get_size() : transpose(x->get_size());
}

void require_square(const char* function, const LinOp* a)
{
    if (a->get_size()[0] != a->get_size()[1]) {
        throw BadDimension(__FILE__, __LINE__, function, "a", a->get_size()[0], a->get_size()[1],
                           "a square matrix is needed");
    }
}

void require_size(const char* function, const LinOp* x, const char* name, const dim<2>& required, const char* why)
{
    const auto size = x->get_size();
    if (size != required) {
        throw DimensionMismatch(__FILE__, __LINE__, function, name, size[0], size[1], "the size wanted", required[0],
                                required[1], why);
    }
}

/// Checks that c has the size of op_a(a) op_b(b).
void require_product(const char* function, const dim<2>& a, const dim<2>& b, const dim<2>& c)
{
    if (a[1] != b[0]) {
        throw DimensionMismatch(__FILE__, __LINE__, function, "op(a)", a[0], a[1], "op(b)", b[0], b[1],
                                "as many columns as rows are needed");
    }
    if (c != dim<2>{a[0], b[1]}) {
        throw DimensionMismatch(__FILE__, __LINE__, function, "c", c[0], c[1], "the product", a[0], b[1],
                                "equal sizes are needed");
    }
}

template <typename V>
void forbid(const char* function, transposition op, transposition forbidden)
{
    if (is_complex<V>() && op == forbidden) {
        throw NotSupported(
            __FILE__, __LINE__, std::string(function) + " of a complex matrix",
            forbidden == transposition::transpose ? "transposition::transpose" : "transposition::conj_transpose");
    }
}

template <typename V>
std::unique_ptr<Dense<V>> create_one(const std::shared_ptr<const Executor>& exec)
{
    auto result = Dense<V>::create(exec, dim<2>{1, 1});
    result->fill(one<V>());
    return result;
}

output_triangle output_part_of(triangle t)
{
    return t == triangle::lower ? output_triangle::lower : output_triangle::upper;
}

template <typename V>
void multiply(const Dense<V>& alpha, const Dense<V>& a, transposition op_a, const Dense<V>& b, transposition op_b,
              const Dense<V>& beta, Dense<V>& c, output_triangle part = output_triangle::all,
              implementation which = implementation::automatic)
{
    kernels::dense::gemm<V>(*c.get_executor(), alpha, a, op_a, b, op_b, beta, c, part, which);
}

// --- the products --------------------------------------------------------------------------------

constexpr auto transposed(mirroring kind)
{
    return kind == mirroring::hermitian ? transposition::conj_transpose : transposition::transpose;
}

void multiply_vector(const char* function, triangle stored, mirroring kind, ptr_param<const LinOp> alpha,
                     ptr_param<const LinOp> a, ptr_param<const LinOp> x, ptr_param<const LinOp> beta,
                     ptr_param<LinOp> y)
{
    spruce::detail::require_pointers(function, alpha, a, x, beta, y);
    dispatch(y.get(), [&](auto& local_y) {
        using V = typename std::decay_t<decltype(local_y)>::value_type;
        const auto exec = local_y.get_executor();
        require_square(function, a.get());
        const dim<2> size{a->get_size()[0], 1};
        require_size(function, x.get(), "x", size, "one entry for each row of a is needed");
        require_size(function, &local_y, "y", size, "one entry for each row of a is needed");
        const auto local_a = matrix_for(function, local_y, a, "a");
        const auto local_x = matrix_for(function, local_y, x, "x");
        const scalar<V> local_alpha{function, local_y, alpha};
        const scalar<V> local_beta{function, local_y, beta};
        kernels::dense::symv<V>(*exec, *local_alpha, *local_a, stored, kind, *local_x, *local_beta, local_y);
    });
}

/// Number of rows of a symmetric matrix that are expanded at a time. They occupy a whole GPU, but
/// need much less memory than a copy of the matrix.
constexpr size_type panel_rows = 1024;

void multiply_symmetric(const char* function, side where, triangle stored, mirroring kind, ptr_param<const LinOp> alpha,
                        ptr_param<const LinOp> a, ptr_param<const LinOp> b, ptr_param<const LinOp> beta,
                        ptr_param<LinOp> c)
{
    spruce::detail::require_pointers(function, alpha, a, b, beta, c);
    dispatch(c.get(), [&](auto& local_c) {
        using V = typename std::decay_t<decltype(local_c)>::value_type;
        const auto exec = local_c.get_executor();
        const auto is_left = where == side::left;
        require_square(function, a.get());
        if (is_left) {
            require_product(function, a->get_size(), b->get_size(), local_c.get_size());
        } else {
            require_product(function, b->get_size(), a->get_size(), local_c.get_size());
        }
        const auto local_a = matrix_for(function, local_c, a, "a");
        const auto local_b = matrix_for(function, local_c, b, "b");
        const scalar<V> local_alpha{function, local_c, alpha};
        const scalar<V> local_beta{function, local_c, beta};
        const auto n = local_a->get_size()[0];
        const auto panel = Dense<V>::create(exec, dim<2>{std::min(n, panel_rows), n});
        for (size_type begin = 0; begin < n; begin += panel_rows) {
            const span panel_span{begin, std::min(begin + panel_rows, n)};
            const auto rows = panel->create_submatrix(span{0, panel_span.length()}, span{0, n});
            kernels::dense::expand_rows<V>(*exec, *local_a, stored, kind, diagonal::stored, begin, *rows);
            if (is_left) {
                multiply(*local_alpha, *rows, transposition::none, *local_b, transposition::none, *local_beta,
                         *local_c.create_submatrix(panel_span, span{0, local_c.get_size()[1]}));
            } else {
                multiply(*local_alpha, *local_b, transposition::none, *rows, transposed(kind), *local_beta,
                         *local_c.create_submatrix(span{0, local_c.get_size()[0]}, panel_span));
            }
        }
    });
}

/// Computes the written triangle of c = alpha op(a) op(a)^T + beta c, or with op(a)^H for a
/// Hermitian c.
/// @tparam Scalar  the type of the factors
template <typename V, template <typename> class Scalar>
void update_rank(const char* function, triangle written, transposition op, mirroring kind, ptr_param<const LinOp> alpha,
                 ptr_param<const LinOp> a, ptr_param<const LinOp> beta, Dense<V>& c)
{
    const auto is_transposed = op != transposition::none;
    const auto size = size_of(a.get(), op);
    require_size(function, &c, "c", dim<2>{size[0]}, "a row and a column for each row of op(a) are needed");
    const auto local_a = matrix_for(function, c, a, "a");
    const Scalar<V> local_alpha{function, c, alpha};
    const Scalar<V> local_beta{function, c, beta};
    multiply(*local_alpha, *local_a, is_transposed ? transposed(kind) : transposition::none, *local_a,
             is_transposed ? transposition::none : transposed(kind), *local_beta, c, output_part_of(written));
}

template <typename V, template <typename> class Beta>
void update_rank_twice(const char* function, triangle written, transposition op, mirroring kind,
                       ptr_param<const LinOp> alpha, ptr_param<const LinOp> a, ptr_param<const LinOp> b,
                       ptr_param<const LinOp> beta, Dense<V>& c)
{
    const auto exec = c.get_executor();
    const auto is_transposed = op != transposition::none;
    const auto size = size_of(a.get(), op);
    require_size(function, b.get(), "b", a->get_size(), "a and b need equal sizes");
    require_size(function, &c, "c", dim<2>{size[0]}, "a row and a column for each row of op(a) are needed");
    const auto local_a = matrix_for(function, c, a, "a");
    const auto local_b = matrix_for(function, c, b, "b");
    const scalar<V> local_alpha{function, c, alpha};
    const Beta<V> local_beta{function, c, beta};
    const auto one = create_one<V>(exec);
    const auto add = [&](const Dense<V>& factor, const Dense<V>& first, const Dense<V>& second,
                         const Dense<V>& old_factor) {
        multiply(factor, first, is_transposed ? transposed(kind) : transposition::none, second,
                 is_transposed ? transposition::none : transposed(kind), old_factor, c, output_part_of(written));
    };
    add(*local_alpha, *local_a, *local_b, *local_beta);
    if (kind == mirroring::hermitian) {
        add(*as<Dense<V>>((*local_alpha).conj_transpose()), *local_b, *local_a, *one);
    } else {
        add(*local_alpha, *local_b, *local_a, *one);
    }
}

/// Multiplies by a triangular matrix recursively. For a = (a11 0; a21 a22), it first computes
/// b2 = a22 b2 + a21 b1 and then b1 = a11 b1. Thus all but small triangles are products of
/// rectangular matrices, and zeros are not multiplied.
template <typename V>
class triangular_product {
public:
    triangular_product(side where, triangle stored, transposition op, diagonal ones, const Dense<V>& alpha, Dense<V>& b)
        : where_{where},
          stored_{stored},
          op_{op},
          ones_{ones},
          is_lower_{(stored == triangle::lower) == (op == transposition::none)},
          alpha_{alpha},
          one_{create_one<V>(b.get_executor())},
          zero_{Dense<V>::create(b.get_executor(), dim<2>{1, 1})}
    {
        zero_->fill(zero<V>());
        const auto size = b.get_size();
        const auto is_left = where == side::left;
        const auto leaf = std::min(leaf_size, size[is_left ? 0 : 1]);
        triangle_ = Dense<V>::create(b.get_executor(), dim<2>{leaf});
        copy_ = Dense<V>::create(b.get_executor(), is_left ? dim<2>{leaf, size[1]} : dim<2>{size[0], leaf});
    }

    void run(const Dense<V>& a, Dense<V>& b) const
    {
        const auto n = a.get_size()[0];
        if (n <= leaf_size) {
            this->run_leaf(a, b);
            return;
        }
        const auto half = (n / 2 + leaf_size - 1) / leaf_size * leaf_size;
        const span first{0, half};
        const span second{half, n};
        const auto first_part = this->part_of(b, first);
        const auto second_part = this->part_of(b, second);
        const auto a11 = a.create_submatrix(first, first);
        const auto a22 = a.create_submatrix(second, second);
        const auto rectangle =
            stored_ == triangle::lower ? a.create_submatrix(second, first) : a.create_submatrix(first, second);
        // The part of b that the other part needs unchanged is computed last.
        if (is_lower_ == (where_ == side::left)) {
            this->run(*a22, *second_part);
            this->add_product(*rectangle, *first_part, *second_part);
            this->run(*a11, *first_part);
        } else {
            this->run(*a11, *first_part);
            this->add_product(*rectangle, *second_part, *first_part);
            this->run(*a22, *second_part);
        }
    }

private:
    static constexpr size_type leaf_size = 256;

    std::unique_ptr<Dense<V>> part_of(Dense<V>& b, const span& which) const
    {
        return where_ == side::left ? b.create_submatrix(which, span{0, b.get_size()[1]})
                                    : b.create_submatrix(span{0, b.get_size()[0]}, which);
    }

    void add_product(const Dense<V>& a, const Dense<V>& from, Dense<V>& to) const
    {
        this->multiply_by(a, from, *one_, to);
    }

    void run_leaf(const Dense<V>& a, Dense<V>& b) const
    {
        const auto n = a.get_size()[0];
        const auto full = triangle_->create_submatrix(span{0, n}, span{0, n});
        const auto old = this->part_of(*copy_, span{0, n});
        kernels::dense::expand_rows<V>(*b.get_executor(), a, stored_, mirroring::none, ones_, 0, *full);
        old->copy_from(&b);
        this->multiply_by(*full, *old, *zero_, b);
    }

    void multiply_by(const Dense<V>& a, const Dense<V>& from, const Dense<V>& beta, Dense<V>& to) const
    {
        if (where_ == side::left) {
            multiply(alpha_, a, op_, from, transposition::none, beta, to);
        } else {
            multiply(alpha_, from, transposition::none, a, op_, beta, to);
        }
    }

    side where_;
    triangle stored_;
    transposition op_;
    diagonal ones_;
    bool is_lower_;  ///< refers to op(a)
    const Dense<V>& alpha_;
    std::unique_ptr<Dense<V>> one_;
    std::unique_ptr<Dense<V>> zero_;
    std::unique_ptr<Dense<V>> triangle_;
    std::unique_ptr<Dense<V>> copy_;
};

}  // namespace

void gemm(transposition op_a, transposition op_b, ptr_param<const LinOp> alpha, ptr_param<const LinOp> a,
          ptr_param<const LinOp> b, ptr_param<const LinOp> beta, ptr_param<LinOp> c, implementation which)
{
    spruce::detail::require_pointers("gemm", alpha, a, b, beta, c);
    dispatch(c.get(), [&](auto& local_c) {
        using V = typename std::decay_t<decltype(local_c)>::value_type;
        require_product("gemm", size_of(a.get(), op_a), size_of(b.get(), op_b), local_c.get_size());
        const auto local_a = matrix_for("gemm", local_c, a, "a");
        const auto local_b = matrix_for("gemm", local_c, b, "b");
        const scalar<V> local_alpha{"gemm", local_c, alpha};
        const scalar<V> local_beta{"gemm", local_c, beta};
        multiply(*local_alpha, *local_a, op_a, *local_b, op_b, *local_beta, local_c, output_triangle::all, which);
    });
}

void symv(triangle stored, ptr_param<const LinOp> alpha, ptr_param<const LinOp> a, ptr_param<const LinOp> x,
          ptr_param<const LinOp> beta, ptr_param<LinOp> y)
{
    multiply_vector("symv", stored, mirroring::symmetric, alpha, a, x, beta, y);
}
void hemv(triangle stored, ptr_param<const LinOp> alpha, ptr_param<const LinOp> a, ptr_param<const LinOp> x,
          ptr_param<const LinOp> beta, ptr_param<LinOp> y)
{
    multiply_vector("hemv", stored, mirroring::hermitian, alpha, a, x, beta, y);
}

void symm(side where, triangle stored, ptr_param<const LinOp> alpha, ptr_param<const LinOp> a, ptr_param<const LinOp> b,
          ptr_param<const LinOp> beta, ptr_param<LinOp> c)
{
    multiply_symmetric("symm", where, stored, mirroring::symmetric, alpha, a, b, beta, c);
}
void hemm(side where, triangle stored, ptr_param<const LinOp> alpha, ptr_param<const LinOp> a, ptr_param<const LinOp> b,
          ptr_param<const LinOp> beta, ptr_param<LinOp> c)
{
    multiply_symmetric("hemm", where, stored, mirroring::hermitian, alpha, a, b, beta, c);
}

void syrk(triangle written, transposition op, ptr_param<const LinOp> alpha, ptr_param<const LinOp> a,
          ptr_param<const LinOp> beta, ptr_param<LinOp> c)
{
    spruce::detail::require_pointers("syrk", alpha, a, beta, c);
    dispatch(c.get(), [&](auto& local_c) {
        using V = typename std::decay_t<decltype(local_c)>::value_type;
        forbid<V>("syrk", op, transposition::conj_transpose);
        update_rank<V, scalar>("syrk", written, op, mirroring::symmetric, alpha, a, beta, local_c);
    });
}
void herk(triangle written, transposition op, ptr_param<const LinOp> alpha, ptr_param<const LinOp> a,
          ptr_param<const LinOp> beta, ptr_param<LinOp> c)
{
    spruce::detail::require_pointers("herk", alpha, a, beta, c);
    dispatch(c.get(), [&](auto& local_c) {
        using V = typename std::decay_t<decltype(local_c)>::value_type;
        forbid<V>("herk", op, transposition::transpose);
        update_rank<V, real_scalar>("herk", written, op, mirroring::hermitian, alpha, a, beta, local_c);
        kernels::dense::make_diagonal_real<V>(*local_c.get_executor(), local_c);
    });
}

void syr2k(triangle written, transposition op, ptr_param<const LinOp> alpha, ptr_param<const LinOp> a,
           ptr_param<const LinOp> b, ptr_param<const LinOp> beta, ptr_param<LinOp> c)
{
    spruce::detail::require_pointers("syr2k", alpha, a, b, beta, c);
    dispatch(c.get(), [&](auto& local_c) {
        using V = typename std::decay_t<decltype(local_c)>::value_type;
        forbid<V>("syr2k", op, transposition::conj_transpose);
        update_rank_twice<V, scalar>("syr2k", written, op, mirroring::symmetric, alpha, a, b, beta, local_c);
    });
}
void her2k(triangle written, transposition op, ptr_param<const LinOp> alpha, ptr_param<const LinOp> a,
           ptr_param<const LinOp> b, ptr_param<const LinOp> beta, ptr_param<LinOp> c)
{
    spruce::detail::require_pointers("her2k", alpha, a, b, beta, c);
    dispatch(c.get(), [&](auto& local_c) {
        using V = typename std::decay_t<decltype(local_c)>::value_type;
        forbid<V>("her2k", op, transposition::transpose);
        update_rank_twice<V, real_scalar>("her2k", written, op, mirroring::hermitian, alpha, a, b, beta, local_c);
        kernels::dense::make_diagonal_real<V>(*local_c.get_executor(), local_c);
    });
}

void trmm(side where, triangle stored, transposition op, diagonal ones, ptr_param<const LinOp> alpha,
          ptr_param<const LinOp> a, ptr_param<LinOp> b)
{
    spruce::detail::require_pointers("trmm", alpha, a, b);
    dispatch(b.get(), [&](auto& local_b) {
        using V = typename std::decay_t<decltype(local_b)>::value_type;
        require_square("trmm", a.get());
        if (where == side::left) {
            require_product("trmm", a->get_size(), local_b.get_size(), local_b.get_size());
        } else {
            require_product("trmm", local_b.get_size(), a->get_size(), local_b.get_size());
        }
        const auto local_a = matrix_for("trmm", local_b, a, "a");
        const scalar<V> local_alpha{"trmm", local_b, alpha};
        if (local_a->get_size()[0] > 0) {
            triangular_product<V>{where, stored, op, ones, *local_alpha, local_b}.run(*local_a, local_b);
        }
    });
}

}  // namespace spruce::blas
