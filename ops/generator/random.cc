#include "generator/random.h"

#include <bit>

namespace linnet {
namespace {

struct StreamState final : public KernelState {
  RandomStream stream;
};

std::array<uint32_t, 4> philox(std::array<uint32_t, 4> c, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * c[0], b = uint64_t{0xCD9E8D57} * c[2];
    c = {uint32_t(b >> 32) ^ c[1] ^ key[0], uint32_t(b), uint32_t(a >> 32) ^ c[3] ^ key[1], uint32_t(a)};
    key = {key[0] + 0x9E3779B9, key[1] + 0xBB67AE85};
  }
  return c;
}

double to_unit(uint32_t high, uint32_t low) { return double((uint64_t{high} << 32 | low) >> 11) * 0x1p-53; }

}  // namespace

std::array<double, 2> RandomStream::uniform_pair(uint64_t i) const {
  const auto bits = philox({uint32_t(i), uint32_t(i >> 32), uint32_t(run), uint32_t(run >> 32)},
                           {uint32_t(seed), uint32_t(seed >> 32)});
  return {to_unit(bits[0], bits[1]), to_unit(bits[2], bits[3])};
}

std::optional<float> seed_attribute(const NodeSpec& node) {
  const float* seed = node.find<float>("seed");
  return seed ? std::optional(*seed) : std::nullopt;
}

std::unique_ptr<KernelState> RandomKernel::make_state() const { return std::make_unique<StreamState>(); }

void RandomKernel::run(KernelContext& context) const {
  RandomStream& stream = static_cast<StreamState*>(context.state())->stream;
  if (stream.run == 0) stream.seed = seed_ ? std::bit_cast<uint32_t>(*seed_) : context.draw_seed();
  fill(context, stream);
  ++stream.run;
}

}  // namespace linnet
