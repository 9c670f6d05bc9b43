// replace_weights MODEL INITIALIZER VALUE...: replaces the contents of an initializer while another thread serves
// requests. Each request runs entirely with the old or entirely with the new weights.

#include <linnet/onnx.h>

#include <atomic>
#include <iostream>
#include <mutex>
#include <thread>

#include "constant_inputs.h"

namespace {

/// The model that serves new requests.
class Served {
 public:
  explicit Served(linnet::Model model) : model_(std::move(model)) {}
  linnet::Model get() const {
    const std::lock_guard lock(mutex_);
    return model_;
  }
  void set(linnet::Model model) {
    const std::lock_guard lock(mutex_);
    model_ = std::move(model);
  }

 private:
  mutable std::mutex mutex_;
  linnet::Model model_;
};

float answer(const linnet::Model& model) {
  linnet::Context context(model);
  const linnet::Tensor y = context.run(constant_inputs(model, 1))[0];
  if (y.dtype() != linnet::DType::kFloat32 || y.size() == 0) {
    throw std::invalid_argument("the first output is " + describe(y) + "; expected float32");
  }
  return y.data<float>()[0];
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 4) throw std::invalid_argument("usage: replace_weights MODEL INITIALIZER VALUE...");
  linnet::ModelOptions options;
  options.replaceable_weights = true;
  Served served(linnet::load_onnx(argv[1], options));
  const float before = answer(served.get());

  std::vector<float> values;
  for (int i = 3; i < argc; ++i) values.push_back(std::stof(argv[i]));
  const linnet::Model changed = served.get().with_weights({{argv[2], linnet::Tensor::of(values)}});
  const float after = answer(changed);

  std::atomic<bool> done = false;
  std::atomic<int> old_answers = 0, new_answers = 0, others = 0;
  std::jthread server([&] {
    while (!done || new_answers == 0) {
      const float y = answer(served.get());
      ++(y == before ? old_answers : y == after ? new_answers : others);
    }
  });
  while (old_answers == 0) std::this_thread::yield();
  served.set(changed);
  done = true;
  server.join();
  std::cout << before << ", then " << after << "; " << others << " other answers\n";
  return others == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
