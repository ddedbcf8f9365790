// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Contains an application in the style of those written for Ginkgo's interface. It must compile
// unchanged and print the results computed by hand.

#include <ginkgo/core/solver/lower_trs.hpp>  // some applications include single headers
#include <ginkgo/core/stop/residual_norm_reduction.hpp>
#include <ginkgo/ginkgo.hpp>

#include <cmath>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using V = double;
using I = int;
using Vec = gko::matrix::Dense<V>;
using Mtx = gko::matrix::Csr<V, I>;
using RVec = gko::matrix::Dense<gko::remove_complex<V>>;

#if GKO_VERSION_MAJOR < 1 || (GKO_VERSION_MAJOR == 1 && GKO_VERSION_MINOR < 11)
#error "the interface is that of 1.11"
#endif
#if GINKGO_BUILD_MPI || GINKGO_HAVE_GPU_AWARE_MPI || GINKGO_DPCPP_SINGLE_MODE || GKO_HAVE_METIS || GKO_HAVE_HWLOC
#error "features that are not there"
#endif

static int failures = 0;

static void check(bool condition, const char* claim)
{
    if (!condition) {
        std::cerr << "FAILED: " << claim << "\n";
        ++failures;
    }
}

// Some applications import all names of the namespace.
static gko::dim<2> unqualified(std::shared_ptr<const gko::Executor> exec)
{
    using namespace gko;
    const auto x = matrix::Dense<double>::create(exec, dim<2>{2, 1});
    auto criterion = stop::Iteration::build().with_max_iters(3u).on(exec);
    const auto factory = solver::Cg<double>::build().with_criteria(give(criterion)).on(exec);
    return x->get_size();
}

int main()
{
    // A table of executors is part of nearly every example. All entries must compile in every
    // build.
    std::map<std::string, std::function<std::shared_ptr<gko::Executor>()>> make{
        {"omp", [] { return gko::OmpExecutor::create(); }},
        {"cuda", [] { return gko::CudaExecutor::create(0, gko::OmpExecutor::create()); }},
        {"hip", [] { return gko::HipExecutor::create(0, gko::OmpExecutor::create()); }},
        {"reference", [] { return gko::ReferenceExecutor::create(); }}};
    const auto exec = make.at("reference")();
    auto host = exec->get_master();
    bool has_cuda = std::strcmp(gko::version_info::get().cuda_version.tag, "not compiled") != 0 &&
                    gko::CudaExecutor::get_num_devices() > 0;
    std::cout << gko::version_info::get() << has_cuda << std::endl;
    check(gko::HipExecutor::get_num_devices() >= 0, "the number of devices can be asked for in every build");
    check(std::strcmp(gko::version_info::get().dpcpp_version.tag, "not compiled") == 0, "the tag of an absent module");

    gko::matrix_data<V, I> md{gko::dim<2>{3, 3}};
    md.nonzeros.emplace_back(0, 0, 2.0);
    md.nonzeros.emplace_back(1, 1, 2.0);
    md.nonzeros.emplace_back(2, 2, 2.0);
    auto A0 = Mtx::create(exec);
    A0->read(md);
    auto A = gko::share(std::move(A0));
    auto b = gko::initialize<Vec>({1.0, 2.0, 3.0}, exec);
    auto B = gko::initialize<Vec>({{1.0, 2.0}, {3.0, 4.0}}, exec);
    auto x = Vec::create(exec, gko::dim<2>(3, 1));
    x->fill(0.0);
    auto one = gko::initialize<Vec>({1.0}, exec);
    auto neg = gko::initialize<Vec>({-1.0}, exec);
    auto nrm = gko::initialize<RVec>({0.0}, host);
    check(B->at(1, 0) == 3.0, "initialize takes rows");
    check(unqualified(exec) == gko::dim<2>{2, 1}, "names need no gko");

    // Views of foreign memory have three spellings.
    std::vector<V> raw(3, 1.0);
    std::vector<I> rp{0, 1, 2, 3}, ci{0, 1, 2};
    auto xv = Vec::create(exec, gko::dim<2>(raw.size(), 1), gko::array<V>::view(exec, raw.size(), raw.data()), 1);
    auto Av = Mtx::create(exec, gko::dim<2>(3), gko::make_array_view(exec, 3, raw.data()),
                          gko::make_array_view(exec, 3, ci.data()), gko::make_array_view(exec, 4, rp.data()),
                          std::make_shared<Mtx::classical>());
    auto Ac =
        Mtx::create_const(exec, gko::dim<2>(3), gko::array<V>::const_view(exec, 3, raw.data()),
                          gko::array<I>::const_view(exec, 3, ci.data()), gko::array<I>::const_view(exec, 4, rp.data()));
    check(
        xv->get_values() == raw.data() && Av->get_const_values() == raw.data() && Ac->get_const_values() == raw.data(),
        "views copy nothing");

    // Nested factories, criteria, loggers and factories with changed parameters.
    auto crit = gko::share(gko::stop::Combined::build()
                               .with_criteria(gko::stop::Iteration::build().with_max_iters(20u),
                                              gko::stop::ResidualNorm<V>::build()
                                                  .with_baseline(gko::stop::mode::absolute)
                                                  .with_reduction_factor(1e-8))
                               .on(exec));
    std::shared_ptr<gko::log::Convergence<V>> log = gko::log::Convergence<V>::create();  // create gives a unique_ptr
    crit->add_logger(log);
    auto fac = gko::solver::Cg<V>::build().with_criteria(crit).on(exec);
    auto params = fac->get_parameters();
    auto fac2 = params.with_criteria(gko::stop::Iteration::build().with_max_iters(10u)).on(exec);
    auto s = fac->generate(A);
    s->add_logger(log);
    s->set_stop_criterion_factory(crit);
    s->apply(b, x);
    check(x->at(0, 0) == 0.5 && x->at(1, 0) == 1.0 && x->at(2, 0) == 1.5, "Cg solves the system");
    check(log->has_converged() && log->get_num_iterations() == 1, "Convergence tells how it ended");
    s->apply(b.get(), x.get());
    check(log->get_num_iterations() == 0, "the data belong to the last apply");
    s->apply(gko::lend(b), gko::lend(x));
    s->apply(one, b, neg, x);
    check(std::abs(x->at(2, 0)) < 1e-15, "x = 1 A^-1 b - 1 x");
    auto c1 = Vec::create_const(exec, gko::dim<2>(3, 1), gko::array<V>::const_view(exec, 3, raw.data()), 1);
    x->fill(0.0);
    s->apply(c1, x);
    check(x->at(0, 0) == 0.5, "a constant view as right-hand side");
    s->apply(Vec::create_const(exec, gko::dim<2>(3, 1), gko::array<V>::const_view(exec, 3, raw.data()), 1), xv);
    A->apply(one, x, neg, b);
    check(b->at(0, 0) == 0.0 && b->at(2, 0) == -2.0, "b = A x - b");
    b->compute_norm2(nrm);
    check(std::abs(nrm->at(0, 0) - std::sqrt(5.0)) < 1e-15, "the norm arrives on the host");
    std::cout << log->get_num_iterations() << log->has_converged()
              << gko::as<RVec>(log->get_residual_norm())->get_size() << std::endl;

    // Older applications use these spellings.
    auto old = gko::solver::Cg<V>::build()
                   .with_criteria(gko::stop::ResidualNormReduction<V>::build().with_reduction_factor(1e-8),
                                  gko::stop::RelativeResidualNorm<V>::build().with_tolerance(1e-8),
                                  gko::stop::AbsoluteResidualNorm<V>::build().with_tolerance(1e-8))
                   .on(exec)
                   ->generate(A);
    x->fill(0.0);
    old->apply(c1, x);
    check(x->at(0, 0) == 0.25, "the older criteria end a solve");

    // One preconditioner is given, and another one is generated by the factory of a solver.
    auto inner = gko::share(fac2->generate(A));
    auto cg = gko::solver::Cg<V>::build()
                  .with_criteria(gko::stop::Iteration::build().with_max_iters(5u).on(exec))
                  .with_generated_preconditioner(inner)
                  .on(exec)
                  ->generate(A);
    auto nested = gko::solver::Cg<V>::build()
                      .with_criteria(gko::stop::Iteration::build().with_max_iters(5u))
                      .with_preconditioner(
                          gko::solver::Cg<V>::build().with_criteria(gko::stop::Iteration::build().with_max_iters(2u)))
                      .on(exec)
                      ->generate(A);
    auto comp = gko::Composition<V>::create(A, A);
    auto comb = gko::Combination<V>::create(gko::initialize<Vec>({1.0}, exec), A);
    comp->apply(c1, x);
    check(x->at(1, 0) == 2.0, "A A x");

    // Conversion, views, and output through argument-dependent lookup.
    auto At = gko::as<Mtx>(A->transpose());
    auto c = gko::clone(host, x);
    auto d = gko::copy_and_convert_to<gko::matrix::Coo<V, I>>(exec, A);
    check(d->get_num_stored_elements() == 3, "Csr converts to Coo");
    A->convert_to(gko::matrix::Dense<V>::create(exec));
    x->copy_from(b);
    x->copy_from(b.get());
    auto sub = x->create_submatrix(gko::span{0, 2}, gko::span{0, 1});
    sub->scale(one);
    std::ostringstream os;
    write(os, x);
    gko::write(os, A.get(), gko::layout_type::coordinate);
    check(os.str().find("%%MatrixMarket matrix array real general\n3 1\n") != std::string::npos, "write() is found");
    std::istringstream is("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 3.0\n");
    auto r = gko::read<Mtx>(is, exec);
    check(r->get_const_values()[0] == 3.0, "read() is found");
    std::shared_ptr<gko::LinOp> any = gko::clone(A);
    std::ostringstream os_any, os_csr;
    gko::write(os_any, any);
    gko::write(os_csr, A);
    check(os_any.str() == os_csr.str(), "write() finds out what a LinOp is");
    std::shared_ptr<gko::LinOp> gen = std::move(cg);
    exec->synchronize();

    // Assembly, device data, arrays, profiling.
    gko::matrix_assembly_data<V, I> as{gko::dim<2>{2, 2}};
    as.add_value(0, 0, 1.0);
    as.set_value(1, 1, 2.0);
    auto ordered = as.get_ordered_data();
    auto dd = gko::device_matrix_data<V, I>::create_from_host(exec, ordered);
    auto m = gko::share(Mtx::create(exec));
    m->read(dd);
    m->read(std::move(dd));
    m->write(md);
    check(md.nonzeros.size() == 2 && md.nonzeros[1].value == 2.0, "assembled data come back");
    gko::array<int> arr{exec, {1, 2, 3}};
    auto hv = arr.copy_to_host();
    check(gko::reduce_add(arr) == 6 && hv[2] == 3, "the sum of an array");
    arr.fill(0);
    auto ps = gko::log::ProfilerHook::create_summary(std::make_shared<gko::CpuTimer>());
    exec->add_logger(gko::share(std::move(ps)));
    auto st = gko::log::Stream<V>::create(gko::log::Logger::iteration_complete_mask, os);
    if (std::strcmp(gko::version_info::get().omp_version.tag, "not compiled") != 0) {
        auto h = gko::OmpExecutor::create(std::make_shared<gko::CpuAllocator>());
        check(h->get_num_cores() > 0, "cores");
    }

    try {
        A->apply(B, x);
        check(false, "sizes that do not fit throw");
    } catch (const gko::DimensionMismatch& error) {
        check(std::strlen(error.what()) > 0, "the exception has a message");
    }
    exec->clear_loggers();
    return failures == 0 ? 0 : 1;
}
