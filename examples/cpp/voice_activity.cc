// voice_activity MODEL SPEECH.wav: prints where speech begins and ends, by silero-vad (version 5) or a similar model.
// It takes 576 samples of 16 kHz (64 of them of the block before) and a state, and returns a probability and the next
// state.

#include <linnet/onnx.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iostream>

namespace {

/// The samples of a WAV file of 16 kHz, one channel, 16 bits, in -1..1.
std::vector<float> read_wav(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const auto number = [&]<class T>(size_t at, T value) {
    if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  };
  const size_t format = bytes.find("fmt "), data = bytes.find("data");
  if (format == std::string::npos || data == std::string::npos || number(format + 10, uint16_t{0}) != 1 ||
      number(format + 12, uint32_t{0}) != 16000 || number(format + 22, uint16_t{0}) != 16) {
    throw std::invalid_argument(path + ": not a WAV file of 16 kHz, one channel, 16 bits");
  }
  std::vector<float> samples;
  const size_t end = std::min(bytes.size(), data + 8 + number(data + 4, uint32_t{0}));
  for (size_t at = data + 8; at + 2 <= end; at += 2) samples.push_back(float(number(at, int16_t{0})) / 32768.0f);
  return samples;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) throw std::invalid_argument("usage: voice_activity MODEL SPEECH.wav");
  constexpr size_t kBlock = 512, kBefore = 64;
  linnet::Context context(linnet::load_onnx(argv[1]));
  std::vector<float> samples = read_wav(argv[2]);
  samples.insert(samples.begin(), kBefore, 0.0f);
  const linnet::Tensor rate = linnet::Tensor::scalar(int64_t{16000});
  linnet::Tensor state = linnet::Tensor::of({2, 1, 128}, std::vector<float>(256));
  bool speaking = false;
  for (size_t at = 0; at + kBefore + kBlock <= samples.size(); at += kBlock) {
    const linnet::Tensor x = linnet::Tensor::wrap(linnet::DType::kFloat32, {1, kBefore + kBlock}, samples.data() + at);
    const auto outputs = context.run({{"input", x}, {"state", state}, {"sr", rate}});
    state = outputs[1];  // outputs may be the next run's inputs
    const float probability = outputs[0].data<float>()[0];
    if (speaking ? probability < 0.35f : probability >= 0.5f) {
      speaking = !speaking;
      std::cout << double(at) / 16000 << (speaking ? " s: speech begins\n" : " s: speech ends\n");
    }
  }
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
