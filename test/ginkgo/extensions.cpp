// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Contains classes of an application in the style of those written for Ginkgo's interface:
// operator, factory, criterion, logger, vector and operations. It must compile unchanged.

#include <ginkgo/ginkgo.hpp>

#include <iostream>
#include <memory>

using V = double;
using Dense = gko::matrix::Dense<V>;

// A matrix-free operator.
class Shift : public gko::EnableLinOp<Shift>, public gko::EnableCreateMethod<Shift> {
public:
    Shift(std::shared_ptr<const gko::Executor> e, gko::dim<2> s = {}, V f = 1.0) : gko::EnableLinOp<Shift>(e, s), f_(f)
    {}

protected:
    void apply_impl(const gko::LinOp* b, gko::LinOp* x) const override
    {
        gko::as<Dense>(x)->copy_from(gko::as<Dense>(b));
    }
    void apply_impl(const gko::LinOp* alpha, const gko::LinOp* b, const gko::LinOp* beta, gko::LinOp* x) const override
    {
        gko::as<Dense>(x)->scale(beta);
        gko::as<Dense>(x)->add_scaled(alpha, b);
    }

private:
    V f_;
};

// The product of an application's factory.
struct Prec : gko::EnableLinOp<Prec>, gko::EnableCreateMethod<Prec> {
    GKO_CREATE_FACTORY_PARAMETERS(parameters, Factory)
    {
        int GKO_FACTORY_PARAMETER_SCALAR(steps, 3);
        std::shared_ptr<const gko::LinOpFactory> GKO_DEFERRED_FACTORY_PARAMETER(inner);
    };
    GKO_ENABLE_LIN_OP_FACTORY(Prec, parameters, Factory);
    GKO_ENABLE_BUILD_METHOD(Factory);
    explicit Prec(std::shared_ptr<const gko::Executor> e) : gko::EnableLinOp<Prec>(std::move(e)) {}
    Prec(const Factory* f, std::shared_ptr<const gko::LinOp> a)
        : gko::EnableLinOp<Prec>(f->get_executor(), gko::transpose(a->get_size())),
          parameters_{f->get_parameters()},
          a_{a}
    {}
    void apply_impl(const gko::LinOp* b, gko::LinOp* x) const override
    {
        gko::as<Dense>(x)->copy_from(gko::as<Dense>(b));
    }
    void apply_impl(const gko::LinOp*, const gko::LinOp*, const gko::LinOp*, gko::LinOp*) const override {}
    std::shared_ptr<const gko::LinOp> a_;
};

// A criterion.
class Limit : public gko::EnablePolymorphicObject<Limit, gko::stop::Criterion> {
    friend class gko::EnablePolymorphicObject<Limit, gko::stop::Criterion>;

public:
    GKO_CREATE_FACTORY_PARAMETERS(parameters, Factory) { gko::size_type GKO_FACTORY_PARAMETER_SCALAR(n, 10); };
    GKO_ENABLE_CRITERION_FACTORY(Limit, parameters, Factory);
    GKO_ENABLE_BUILD_METHOD(Factory);

protected:
    bool check_impl(gko::uint8 id, bool fin, gko::array<gko::stopping_status>* st, bool* changed,
                    const Updater& u) override
    {
        const bool stop = u.num_iterations_ >= parameters_.n;
        if (stop) {
            this->set_all_statuses(id, fin, st);
            *changed = true;
        }
        return stop;
    }
    explicit Limit(std::shared_ptr<const gko::Executor> e)
        : EnablePolymorphicObject<Limit, gko::stop::Criterion>(std::move(e))
    {}
    Limit(const Factory* f, const gko::stop::CriterionArgs&)
        : EnablePolymorphicObject<Limit, gko::stop::Criterion>(f->get_executor()), parameters_{f->get_parameters()}
    {}
};

// A logger with the three generations of one event.
struct Trace : gko::log::Logger {
    Trace() : gko::log::Logger(gko::log::Logger::iteration_complete_mask) {}
    void on_iteration_complete(const gko::LinOp*, const gko::LinOp*, const gko::LinOp*, const gko::size_type&,
                               const gko::LinOp*, const gko::LinOp*, const gko::LinOp*,
                               const gko::array<gko::stopping_status>*, bool) const override
    {
        ++calls;
    }
    void on_iteration_complete(const gko::LinOp*, const gko::size_type&, const gko::LinOp*, const gko::LinOp*,
                               const gko::LinOp*) const override
    {}
    void on_iteration_complete(const gko::LinOp*, const gko::size_type&, const gko::LinOp*, const gko::LinOp*,
                               const gko::LinOp*, const gko::LinOp*) const override
    {}
    mutable int calls = 0;
};

// A vector. Solvers must create temporary vectors through these two functions.
class Wrapped : public Dense {
public:
    Wrapped(std::shared_ptr<const gko::Executor> e, gko::size_type n = 0) : Dense(e, gko::dim<2>(n, 1)) {}
    static std::unique_ptr<Wrapped> create(std::shared_ptr<const gko::Executor> e, gko::size_type n)
    {
        return std::make_unique<Wrapped>(e, n);
    }
    static int made;

protected:
    std::unique_ptr<Dense> create_with_same_config() const override
    {
        ++made;
        return std::make_unique<Wrapped>(get_executor(), get_size()[0]);
    }
    std::unique_ptr<Dense> create_with_type_of_impl(std::shared_ptr<const gko::Executor> e, const gko::dim<2>& s,
                                                    gko::size_type) const override
    {
        ++made;
        return std::make_unique<Wrapped>(e, s[0]);
    }
};
int Wrapped::made = 0;

// An operation.
struct Hello : gko::Operation {
    void run(std::shared_ptr<const gko::OmpExecutor>) const override { ++calls; }
    void run(std::shared_ptr<const gko::CudaExecutor>) const override {}
    mutable int calls = 0;
};

// An operation with a kernel for each kind of executor, and one that runs on the host.
namespace gko {
namespace kernels {
namespace reference {
void add_entries(std::shared_ptr<const ReferenceExecutor>, const matrix::Dense<V>* x, V& sum)
{
    sum = 0.0;
    for (size_type i = 0; i < x->get_size()[0]; ++i) {
        sum += x->at(i, 0);
    }
}
}  // namespace reference
namespace omp {
void add_entries(std::shared_ptr<const OmpExecutor>, const matrix::Dense<V>*, V& sum) { sum = -1.0; }
}  // namespace omp
namespace cuda {
void add_entries(std::shared_ptr<const CudaExecutor>, const matrix::Dense<V>*, V& sum) { sum = -2.0; }
}  // namespace cuda
namespace hip {
void add_entries(std::shared_ptr<const HipExecutor>, const matrix::Dense<V>*, V& sum) { sum = -3.0; }
}  // namespace hip
}  // namespace kernels
}  // namespace gko
GKO_REGISTER_OPERATION(addition, add_entries);

void remember(V value, V& memory) { memory = value; }
GKO_REGISTER_HOST_OPERATION(memory, remember);

int main()
{
    auto e = gko::ReferenceExecutor::create();
    auto p = Prec::build()
                 .with_steps(4)
                 .with_inner(gko::solver::Cg<V>::build().with_criteria(gko::stop::Iteration::build()))
                 .on(e);
    auto m = gko::share(Shift::create(e, gko::dim<2>{2, 2}, 2.0));
    auto c = gko::solver::Cg<V>::build()
                 .with_criteria(Limit::build().with_n(3u))
                 .with_preconditioner(gko::give(p))
                 .on(e)
                 ->generate(m);
    auto trace = std::make_shared<Trace>();
    c->add_logger(trace);
    Hello hello;
    e->run(hello);
    e->run(
        "mine", [] {}, [] {}, [] {}, [] {}, [] {});
    auto w = Wrapped::create(e, 2);
    w->fill(1.0);
    auto w2 = gko::clone(w);
    w2->fill(0.0);
    try {
        c->apply(w, w2);
    } catch (const gko::Error& err) {
        std::cerr << err.what() << "\n";
        return 1;
    }
    V sum = 0.0;
    V remembered = 0.0;
    e->run(make_addition(w2.get(), sum));
    e->run(make_memory(2.0, remembered));
    auto prec = gko::as<Prec>(c->get_preconditioner().get());
    int refusals = 0;
    try {
        GKO_ASSERT_NO_CUBLAS_ERRORS(0);
        GKO_ASSERT_NO_HIP_ERRORS(3);
    } catch (const gko::HipError&) {
        ++refusals;
    }
    const bool good = refusals == 1 && w2->at(0, 0) == 1.0 && w2->at(1, 0) == 1.0 && trace->calls > 0 &&
                      hello.calls == 1 && Wrapped::made > 0 && prec->get_parameters().steps == 4 &&
                      prec->get_parameters().inner && sum == 2.0 && remembered == 2.0;
    std::cout << (good ? "good" : "NOT as expected") << "\n";
    return good ? 0 : 1;
}
