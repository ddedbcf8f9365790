#include <fstream>
#include <iostream>
#include <spruce/spruce.hpp>

int main(int argc, char* argv[])
try {
    std::ifstream file(argc > 1 ? argv[1] : "matrix.mtx");
    const auto exec = spruce::OmpExecutor::create();  // or CudaExecutor::create(0, spruce::OmpExecutor::create())
    const auto a = spruce::share(spruce::read_generic<spruce::matrix::Csr<double, int>>(file, exec));
    const auto b = spruce::matrix::Dense<double>::create(exec, spruce::dim<2>(a->get_size()[0], 1));
    const auto x = spruce::matrix::Dense<double>::create(exec, spruce::dim<2>(a->get_size()[1], 1));
    b->fill(1.0);
    x->fill(0.0);  // the initial guess

    const auto solver = spruce::solver::Cg<double>::build()
                            .with_criteria(spruce::stop::Iteration::build().with_max_iters(10000u),
                                           spruce::stop::ResidualNorm<double>::build().with_reduction_factor(1e-8))
                            .on(exec)
                            ->generate(a);
    solver->apply(b, x);
    std::cerr << solver->get_stop_reasons()[0] << "\n";  // converged, or why it stopped
    spruce::write(std::cout, x);
} catch (const std::exception& error) {  // a missing file, for instance
    std::cerr << error.what() << "\n";
    return 1;
}
