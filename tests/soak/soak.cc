#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "linnet/onnx.h"

// soak MODEL RUNS: runs MODEL (one input float32[N,8]) RUNS times, a tenth as often with random N, and loads it, intact
// and damaged, a hundredth as often. Prints for each the trend of resident memory, file descriptors and threads: a line
// "what count bytes-per-1000 descriptors threads", with the last two as increases since the first fifth, which warms
// up.

namespace linnet {
namespace {

int64_t resident_bytes() {
  int64_t size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

int64_t entries(const char* folder) {
  const std::filesystem::directory_iterator found(folder);
  return std::distance(begin(found), end(found));
}

/// Returns the number of threads. One that has ended and was joined may stay listed for a moment.
int64_t threads_left() {
  int64_t least = entries("/proc/self/task");
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    least = std::min(least, entries("/proc/self/task"));
  }
  return least;
}

/// Returns the slope of the line with the least squares of distances to (x, y).
double slope(const std::vector<double>& x, const std::vector<double>& y) {
  double mean_x = 0, mean_y = 0, products = 0, squares = 0;
  for (size_t i = 0; i < x.size(); ++i) mean_x += x[i] / double(x.size()), mean_y += y[i] / double(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    products += (x[i] - mean_x) * (y[i] - mean_y);
    squares += (x[i] - mean_x) * (x[i] - mean_x);
  }
  return products / squares;
}

void soak(const std::string& what, int64_t count, const std::function<void()>& once) {
  constexpr int64_t kSamples = 50;
  const int64_t step = std::max<int64_t>(1, count / kSamples);
  std::vector<double> done, bytes;
  int64_t descriptors = 0, threads = 0;
  for (int64_t i = 1; i <= count; ++i) {
    once();
    if (i == count / 5) descriptors = entries("/proc/self/fd"), threads = threads_left();
    if (i < count / 5 || i % step != 0) continue;
    done.push_back(double(i));
    bytes.push_back(double(resident_bytes()));
  }
  std::cout << what << ' ' << count << ' ' << 1000 * slope(done, bytes) << ' ' << entries("/proc/self/fd") - descriptors
            << ' ' << threads_left() - threads << std::endl;
}

std::vector<std::byte> bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::vector<Tensor> rows(int64_t count) {
  Tensor x(DType::kFloat32, {count, 8});
  for (int64_t i = 0; i < x.size(); ++i) x.data<float>()[i] = float(i % 5);
  return {x};
}

/// Loads bytes that are changed or truncated at a random position. The result must be a model or an Error.
void load_damaged(std::vector<std::byte> bytes, std::mt19937& random) {
  const size_t at = random() % bytes.size();
  bytes[at] ^= std::byte(1 + random() % 255);
  if (random() % 2 == 0) bytes.resize(at);
  try {
    load_onnx_bytes(bytes);
  } catch (const Error&) {
  }
}

bool same(std::span<const Tensor> outputs, const std::vector<Tensor>& expected) {
  return std::equal(outputs.begin(), outputs.end(), expected.begin(), expected.end(), identical);
}

/// Makes contexts and runs them while other threads do the same. Every second run may be cancelled at any time, and is
/// then repeated. Returns the number of wrong results.
int64_t share(const Model& model, int seed, int64_t contexts) {
  std::mt19937 random{unsigned(seed)};
  int64_t wrong = 0;
  for (int64_t i = 0; i < contexts; ++i) {
    Context context(model), fresh(model);
    const std::vector<Tensor> inputs = rows(1 + int64_t(random() % 20));
    std::vector<Tensor> expected;
    for (const Tensor& output : fresh.run(inputs)) expected.push_back(output.clone());
    const auto token = std::make_shared<CancellationToken>();
    const auto delay = std::chrono::microseconds(random() % 200);
    std::jthread canceller([&] {
      std::this_thread::sleep_for(delay);
      token->cancel();
    });
    try {
      wrong += !same(context.run(inputs, {.cancellation = token}), expected);
    } catch (const Error& error) {
      wrong += error.kind() != ErrorKind::kCancelled;
    }
    wrong += !same(context.run(inputs), expected);
  }
  return wrong;
}

/// 64 threads share a model.
void share_all(const Model& model, int64_t contexts) {
  std::atomic<int64_t> wrong = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 64; ++t) threads.emplace_back([&, t] { wrong += share(model, t, contexts); });
  threads.clear();
  std::cout << "wrong-results " << 64 * contexts * 2 << ' ' << wrong << std::endl;
}

void soak_all(const std::string& path, int64_t runs) {
  std::mt19937 random(1);
  const std::vector<std::byte> bytes = bytes_of(path);
  ModelOptions options;
  options.executor = make_openmp_executor(2);
  options.plan_cache_bytes = 1 << 18;  // soon full
  const Model model = load_onnx(path, options);
  Context context(model), random_context(model);
  const std::vector<Tensor> inputs = rows(4);
  soak("runs", runs, [&] { context.run(inputs); });
  soak("random-shapes", runs / 10, [&] { random_context.run(rows(1 + int64_t(random() % 500))); });
  soak("loads", runs / 100, [&] { Context(load_onnx(path, options)).run(inputs); });
  soak("failing-loads", runs / 100, [&] { load_damaged(bytes, random); });
  share_all(model, std::max<int64_t>(5, runs / 10'000));
}

}  // namespace
}  // namespace linnet

int main(int count, char** arguments) {
  if (count != 3) return 2;
  linnet::soak_all(arguments[1], std::atoll(arguments[2]));
  return 0;
}
