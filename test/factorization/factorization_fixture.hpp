// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <utility>
#include <vector>

#include <spruce/factorization/ic.hpp>
#include <spruce/factorization/ilu.hpp>
#include <spruce/factorization/par_ic.hpp>
#include <spruce/factorization/par_ict.hpp>
#include <spruce/factorization/par_ilu.hpp>
#include <spruce/factorization/par_ilut.hpp>

#include "test/utils/fixture.hpp"

namespace spruce::test {

/// Counts the factorizations whose sweeps failed.
struct FailureCounter : spruce::log::Logger {
    FailureCounter() : spruce::log::Logger(sweeps_failed_mask) {}
    void on_sweeps_failed(const spruce::LinOp* op) const override
    {
        ++num;
        last = op;
    }
    mutable int num{};
    mutable const spruce::LinOp* last{};
};

/// Replaces the diagonal by one that makes the matrix diagonally dominant.
inline host_matrix with_dominant_diagonal(host_matrix data)
{
    std::vector<double> sums(data.size[0], 1.0);
    data.nonzeros.erase(std::remove_if(data.nonzeros.begin(), data.nonzeros.end(),
                                       [](const auto& entry) { return entry.row == entry.column; }),
                        data.nonzeros.end());
    for (const auto& entry : data.nonzeros) {
        sums[entry.row] += std::abs(entry.value);
    }
    for (size_type row = 0; row < data.size[0]; ++row) {
        data.nonzeros.emplace_back(row, row, sums[row]);
    }
    data.sort_row_major();
    return data;
}

/// Creates the Hermitian matrix that has the lower triangle of a matrix and a dominant diagonal.
inline host_matrix hermitian_from_lower(const host_matrix& data)
{
    host_matrix result{data.size};
    for (const auto& entry : data.nonzeros) {
        if (entry.row > entry.column) {
            result.nonzeros.emplace_back(entry.row, entry.column, entry.value);
            result.nonzeros.emplace_back(entry.column, entry.row, std::conj(entry.value));
        }
    }
    return with_dominant_diagonal(std::move(result));
}

/// Creates a matrix whose entries are where has_entry(row, column) is true.
template <typename Function>
host_matrix matrix_of_pattern(size_type size, Function has_entry)
{
    host_matrix data{dim<2>{size, size}};
    for (size_type row = 0; row < size; ++row) {
        for (size_type col = 0; col < size; ++col) {
            if (has_entry(row, col)) {
                data.nonzeros.emplace_back(row, col,
                                           std::complex<double>{1.0 + static_cast<double>((3 * row + col) % 5),
                                                                static_cast<double>((row + 2 * col) % 3) - 1.0});
            }
        }
    }
    return with_dominant_diagonal(std::move(data));
}

/// Describes the factorization L U to tests of both kinds.
template <typename Types>
struct lu_kind {
    using type = factorization::Ilu<typename Types::value_type, typename Types::index_type>;
    using by_sweeps = factorization::ParIlu<typename Types::value_type, typename Types::index_type>;
    using by_threshold = factorization::ParIlut<typename Types::value_type, typename Types::index_type>;
    static constexpr bool is_hermitian = false;
    static host_matrix prepare(host_matrix data) { return data; }
    template <typename Product>
    static auto upper_factor(const Product& product)
    {
        return product.get_u_factor();
    }
};

/// Describes the factorization L L^H to tests of both kinds.
template <typename Types>
struct cholesky_kind {
    using type = factorization::Ic<typename Types::value_type, typename Types::index_type>;
    using by_sweeps = factorization::ParIc<typename Types::value_type, typename Types::index_type>;
    using by_threshold = factorization::ParIct<typename Types::value_type, typename Types::index_type>;
    static constexpr bool is_hermitian = true;
    static host_matrix prepare(const host_matrix& data) { return hermitian_from_lower(data); }
    template <typename Product>
    static auto upper_factor(const Product& product)
    {
        return product.get_lt_factor();
    }
};

template <typename Types>
class factorization_test : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Csr;

    template <typename Function>
    static void for_each_kind(Function check)
    {
        {
            SCOPED_TRACE("L U");
            check(lu_kind<Types>{});
        }
        {
            SCOPED_TRACE("L L^H");
            check(cholesky_kind<Types>{});
        }
    }

    template <typename Kind>
    static std::unique_ptr<typename Kind::type> factorize(Kind, std::shared_ptr<const LinOp> a)
    {
        return Kind::type::build().on(a->get_executor())->generate(a);
    }

    std::shared_ptr<Csr> make(const host_matrix& data) const { return share(make_csr<V, I>(this->exec, data)); }

    /// Returns the result of the reference for a matrix.
    template <typename Kind>
    auto expected(Kind kind, const host_matrix& data) const
    {
        return factorize(kind, share(make_csr<V, I>(this->ref, data)));
    }

    template <typename Kind, typename Product, typename Other>
    void expect_equal_factors(Kind kind, const Product& product, const Other& expected_product) const
    {
        const auto tolerance = 100 * this->tolerance_of_sum(product.get_size()[0]);
        EXPECT_MTX_NEAR(product.get_l_factor(), expected_product.get_l_factor(), tolerance);
        EXPECT_MTX_NEAR(kind.upper_factor(product), kind.upper_factor(expected_product), tolerance);
    }

    /// Returns the Frobenius norm of A - L U in the pattern of A, divided by that of A.
    double residual_on_pattern(const Csr& l, const Csr& u, const host_matrix& a) const
    {
        const auto product = matrix::Dense<V>::create(this->ref);
        clone(this->ref, &l)->multiply(clone(this->ref, &u))->convert_to(product);
        const auto values = make_dense<V>(this->ref, a);
        double residual{};
        double norm{};
        for (const auto& entry : a.nonzeros) {
            const auto value = values->at(entry.row, entry.column);
            residual += std::norm(std::complex<double>{product->at(entry.row, entry.column) - value});
            norm += std::norm(std::complex<double>{value});
        }
        return norm == 0 ? 0.0 : std::sqrt(residual / norm);
    }

    /// Expects that refresh() computes the factors that factorize(a) returns for new values, in the
    /// same objects and without allocations.
    template <typename Kind, typename Factorize>
    void expect_refreshed_in_place(Kind kind, Factorize factorize)
    {
        auto sorted = kind.prepare(with_dominant_diagonal(random_sparse(this->engine, 150, 150, nnz_per_row(0, 8))));
        const auto unsorted = with_unsorted_columns(this->engine, sorted);
        for (const auto& data : {sorted, unsorted}) {
            auto other_data = data;
            for (auto& entry : other_data.nonzeros) {
                entry.value *= entry.row == entry.column ? 3.0 : 0.5;
            }
            const auto product = factorize(this->make(data));
            const auto other = this->make(other_data);
            const auto l = product->get_l_factor();
            const auto u = kind.upper_factor(*product);
            const auto before = this->exec->get_counters();

            product->refresh(other);

            EXPECT_EQ((this->exec->get_counters() - before).allocations, 0u);
            EXPECT_EQ(product->get_l_factor(), l);
            EXPECT_EQ(kind.upper_factor(*product), u);
            const auto expected = factorize(other);
            EXPECT_MTX_STORED_ALIKE(l, expected->get_l_factor());
            EXPECT_MTX_STORED_ALIKE(u, kind.upper_factor(*expected));
        }
    }

    /// Creates matrices with sorted rows and a dominant diagonal.
    std::vector<host_matrix> matrices()
    {
        std::vector<host_matrix> result;
        for (const size_type size : {0, 1, 2, 32, 33, 65, 300, 1025}) {
            result.push_back(with_dominant_diagonal(
                random_sparse(this->engine, size, size, nnz_per_row(0, std::min<size_type>(size, 8)))));
        }
        std::vector<size_type> lengths(300, 3);
        lengths[0] = lengths[150] = lengths[151] = lengths[299] = 250;
        result.push_back(with_dominant_diagonal(random_sparse(this->engine, lengths, lengths.size())));
        // GPUs share long lists of terms among the lanes of a warp.
        result.push_back(matrix_of_pattern(150, [](size_type, size_type) { return true; }));
        // a chain of dependent rows; arrows
        result.push_back(matrix_of_pattern(100, [](size_type i, size_type j) { return i <= j + 1 && j <= i + 1; }));
        result.push_back(matrix_of_pattern(200, [](size_type i, size_type j) { return i == 0 || j == 0 || i == j; }));
        result.push_back(
            matrix_of_pattern(200, [](size_type i, size_type j) { return i == 199 || j == 199 || i == j; }));
        return result;
    }
};

}  // namespace spruce::test
