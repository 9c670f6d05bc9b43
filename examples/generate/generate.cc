// generate: the text that a language model adds to a prompt, printed as it comes.

#include <linnet/onnx.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <iterator>
#include <map>
#include <random>
#include <sstream>

#include "decoder.h"
#ifdef LINNET_WITH_TOKENIZER
#include "tokenizer.h"
#else
struct Tokenizer {
  explicit Tokenizer(const std::string&) { throw std::runtime_error("built without LINNET_WITH_TOKENIZER"); }
  std::vector<int64_t> encode(const std::string&) const { return {}; }
  std::string decode(int64_t) const { return {}; }
};
#endif

/// Returns the likeliest token; with top_p, samples one of the likeliest that together have this probability.
/// Source: Holtzman et al., "The Curious Case of Neural Text Degeneration", 2020.
static int64_t sample(std::span<const float> scores, double top_p, double temperature, std::mt19937_64& random) {
  const auto most = std::max_element(scores.begin(), scores.end());
  if (top_p <= 0) return most - scores.begin();
  std::vector<std::pair<double, int64_t>> heap;
  double sum = 0, kept = 0;
  for (const float score : scores) {
    heap.emplace_back(std::exp(double(score - *most) / temperature), int64_t(heap.size()));
    sum += heap.back().first;
  }
  std::make_heap(heap.begin(), heap.end());
  auto rest = heap.end();  // the likeliest are moved to the end
  while (kept < top_p * sum && rest != heap.begin()) {
    kept += heap.front().first;
    std::pop_heap(heap.begin(), rest--);
  }
  double drawn = double(random() >> 11) * 0x1p-53 * kept;
  while (rest + 1 != heap.end() && (drawn -= rest->first) >= 0) ++rest;
  return rest->second;
}

int main(int argc, char** argv) try {
  std::map<std::string, std::string> flags{{"--tokenizer", ""}, {"--tokens", "64"},     {"--end", "-1"},
                                           {"--top-p", "0"},    {"--temperature", "1"}, {"--seed", "0"}};
  int flag = 3;
  for (; flag + 1 < argc && flags.contains(argv[flag]); flag += 2) flags[argv[flag]] = argv[flag + 1];
  if (argc < 3 || flag != argc) {
    throw std::invalid_argument(
        "usage: generate MODEL PROMPT [--tokenizer FOLDER --tokens 64 --end TOKEN --top-p 0 --temperature 1 --seed 0]");
  }
  std::unique_ptr<Tokenizer> tokenizer;
  if (!flags["--tokenizer"].empty()) tokenizer = std::make_unique<Tokenizer>(flags["--tokenizer"]);
  std::istringstream numbers(argv[2]);
  std::vector<int64_t> read(std::istream_iterator<int64_t>(numbers), {});
  if (tokenizer) read = tokenizer->encode(argv[2]);
  if (read.empty()) throw std::invalid_argument("without --tokenizer the prompt is tokens: \"1 5 7\"");
  const int64_t end = std::stoll(flags["--end"]), most = std::stoll(flags["--tokens"]);
  const double top_p = std::stod(flags["--top-p"]), temperature = std::stod(flags["--temperature"]);
  std::mt19937_64 random(std::stoull(flags["--seed"]));
  Decoder decoder(linnet::load_onnx(argv[1]));
  double prompt = 0, rest = 0;
  int64_t runs = 0;
  while (runs < most) {
    const auto start = std::chrono::steady_clock::now();
    const int64_t token = sample(decoder.append(read), top_p, temperature, random);
    (runs++ == 0 ? prompt : rest) += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (token == end) break;
    std::cout << (tokenizer ? tokenizer->decode(token) : std::to_string(token) + ' ') << std::flush;
    read = {token};
  }
  std::cerr << "\nprompt: " << prompt << " s; then " << double(runs - 1) / rest << " tokens per second\n";
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
