// many_threads MODEL: several threads share one model, each with its own context; all results have the same bits.

#include <linnet/onnx.h>

#include <atomic>
#include <iostream>
#include <thread>

#include "constant_inputs.h"

int main(int argc, char** argv) try {
  if (argc < 2) throw std::invalid_argument("usage: many_threads MODEL");
  linnet::ModelOptions options;
  options.executor = linnet::make_serial_executor();  // the callers are threads enough
  const linnet::Model model = linnet::load_onnx(argv[1], options);
  const std::vector<linnet::Tensor> inputs = constant_inputs(model, 0);
  linnet::Context first(model);
  const linnet::Tensor expected = first.run(inputs)[0];

  std::atomic<int> runs = 0, equal = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      linnet::Context own(model);
      for (int run = 0; run < 25; ++run, ++runs) equal += identical(own.run(inputs)[0], expected);
    });
  }
  threads.clear();  // waits for all
  std::cout << equal << " of " << runs << " runs are equal\n";
  return equal == runs ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
