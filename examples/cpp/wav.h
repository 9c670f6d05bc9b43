#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

/// Samples in -1..1, one channel.
struct Sound {
  uint32_t rate = 0;  ///< samples a second
  std::vector<double> samples;
};

/// A little-endian number of some bytes; 0 beyond the end.
inline uint32_t number_at(const std::string& bytes, size_t at, size_t count) {
  uint32_t value = 0;
  for (size_t i = 0; i < count && at + i < bytes.size(); ++i) {
    value |= uint32_t(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return value;
}

/// Where the contents of a chunk begin; throws std::invalid_argument where there is no such chunk.
inline size_t chunk(const std::string& bytes, const char* name) {
  for (size_t at = 12; at + 8 <= bytes.size();) {
    if (bytes.compare(at, 4, name) == 0) return at + 8;
    const size_t size = number_at(bytes, at + 4, 4);
    at += 8 + size + size % 2;
  }
  throw std::invalid_argument(std::string("it has no part '") + name + "'");
}

inline Sound sound_in(const std::string& bytes) {
  constexpr uint32_t kIntegers = 1, kExtended = 0xfffe;
  if (!bytes.starts_with("RIFF") || bytes.compare(8, 4, "WAVE") != 0)
    throw std::invalid_argument("it begins otherwise");
  const size_t format = chunk(bytes, "fmt "), data = chunk(bytes, "data");
  const uint32_t kind = number_at(bytes, format, 2), channels = number_at(bytes, format + 2, 2);
  const uint32_t width = number_at(bytes, format + 14, 2) / 8;
  Sound sound{number_at(bytes, format + 4, 4), {}};
  if ((kind != kIntegers && kind != kExtended) || width < 1 || width > 4 || channels == 0 || sound.rate == 0) {
    throw std::invalid_argument("format " + std::to_string(kind) + " of " + std::to_string(8 * width) + " bits");
  }
  const size_t frame = size_t(width) * channels, end = std::min(bytes.size(), data + number_at(bytes, data - 4, 4));
  for (size_t at = data; at + frame <= end; at += frame) {
    double sum = 0;
    for (size_t c = 0; c < channels; ++c) {
      const uint32_t part = number_at(bytes, at + c * width, width) ^ (width == 1 ? 0x80u : 0u);  // bytes have no sign
      sum += double(int32_t(part << (32 - 8 * width))) / 2147483648.0;
    }
    sound.samples.push_back(sum / channels);
  }
  return sound;
}

/// A WAV file of integers (PCM). Channels are averaged. Throws std::invalid_argument for other files.
inline Sound read_wav(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::invalid_argument(path + ": cannot be read");
  try {
    return sound_in({std::istreambuf_iterator<char>(file), {}});
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(path + ": not a WAV file of integers (PCM): " + error.what());
  }
}

/// The same at another rate: each sample is the mean of those during it.
inline std::vector<float> resampled(const Sound& sound, uint32_t rate) {
  if (sound.rate == rate) return {sound.samples.begin(), sound.samples.end()};
  std::vector<double> sums{0};
  for (const double sample : sound.samples) sums.push_back(sums.back() + sample);
  const double step = double(sound.rate) / rate;
  const auto sum_before = [&](double at) {
    const auto whole = std::min(size_t(at), sums.size() - 1);
    return sums[whole] + (at - double(whole)) * (sums[std::min(whole + 1, sums.size() - 1)] - sums[whole]);
  };
  std::vector<float> samples(size_t(uint64_t(sound.samples.size()) * rate / sound.rate));
  for (size_t i = 0; i < samples.size(); ++i) {
    samples[i] = float((sum_before(double(i + 1) * step) - sum_before(double(i) * step)) / step);
  }
  return samples;
}
