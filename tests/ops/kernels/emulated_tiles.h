#pragma once

// The tile registers of Intel AMX in plain C++. Only emulated_amx.simd.cc includes this file.
// Source: Intel Software Developer's Manual, volume 2: LDTILECFG, TILERELEASE, TILELOADD, TILESTORED, TILEZERO,
// TDPBUSD, TDPBF16PS.
#include <cstring>

#include "kernels/tile_config.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// The state of a thread. Tests of these kernels use one thread.
struct TileState {
  struct Register {
    int rows, row_bytes;
    uint8_t data[16][64];
  };

  bool configured;
  Register registers[8];
  const char* fault;
  int64_t multiply_adds;
};
TileState tile_state;

struct EmulatedTiles {
  static void refuse(bool refused, const char* why) {
    if (refused && !tile_state.fault) tile_state.fault = why;
  }

  static void configure(const TileConfig& config) {
    uint8_t memory[64];
    std::memcpy(memory, &config, sizeof memory);
    refuse(memory[0] != 1, "palette 1 is the only one that has registers");
    for (int i = 1; i < 16; ++i) refuse(memory[i] != 0, "start_row, or a reserved byte of the configuration");
    for (int t = 0; t < 16; ++t) {
      const int rows = memory[48 + t], row_bytes = memory[16 + 2 * t] + 256 * memory[17 + 2 * t];
      refuse(rows > 16 || row_bytes > 64, "a register larger than 16 rows of 64 bytes");
      refuse((rows == 0) != (row_bytes == 0), "a register with rows or bytes only");
      refuse(t >= 8 && rows > 0, "a register that there is not");
      if (t < 8) tile_state.registers[t] = {rows, row_bytes, {}};
    }
    tile_state.configured = true;
  }
  static void release() {
    tile_state.configured = false;
    for (auto& r : tile_state.registers) r = {};
  }

  template <int T>
  static TileState::Register& used() {
    static_assert(T >= 0 && T < 8);
    refuse(!tile_state.configured || tile_state.registers[T].rows == 0, "a register that is not configured");
    return tile_state.registers[T];
  }
  template <int T>
  static void zero() {
    std::memset(used<T>().data, 0, sizeof used<T>().data);
  }
  template <int T>
  static void load(const void* from, int64_t stride) {
    zero<T>();
    auto& r = used<T>();
    for (int i = 0; i < r.rows; ++i) {
      std::memcpy(r.data[i], static_cast<const std::byte*>(from) + i * stride, size_t(r.row_bytes));
    }
  }
  template <int T>
  static void store(void* to, int64_t stride) {
    const auto& r = used<T>();
    for (int i = 0; i < r.rows; ++i) {
      std::memcpy(static_cast<std::byte*>(to) + i * stride, r.data[i], size_t(r.row_bytes));
    }
  }

 protected:
  /// Calls f(row, step, column) for all products of registers that fit.
  template <int Y, int A, int B, class F>
  static void for_products(const F& f) {
    const auto &y = used<Y>(), &a = used<A>(), &b = used<B>();
    refuse(Y == A || A == B || Y == B, "registers that are not different");
    refuse(y.rows != a.rows || y.row_bytes != b.row_bytes || a.row_bytes != 4 * b.rows, "registers of other sizes");
    for (int i = 0; i < y.rows; ++i) {
      for (int k = 0; k < a.row_bytes / 4; ++k) {
        for (int j = 0; j < y.row_bytes / 4; ++j) f(i, k, j);
      }
    }
  }
  template <class T>
  static T element(const TileState::Register& r, int row, int index) {
    T value;
    std::memcpy(&value, r.data[row] + size_t(index) * sizeof value, sizeof value);
    return value;
  }
  template <class T>
  static void set(TileState::Register& r, int row, int index, T value) {
    std::memcpy(r.data[row] + size_t(index) * sizeof value, &value, sizeof value);
  }
};

struct EmulatedBytes : EmulatedTiles {
  template <int Y, int A, int B>
  static void multiply_add() {
    auto &y = used<Y>(), &a = used<A>(), &b = used<B>();
    for_products<Y, A, B>([&](int i, int k, int j) {
      auto sum = element<uint32_t>(y, i, j);
      for (int u = 0; u < 4; ++u) sum += uint32_t(a.data[i][4 * k + u] * int8_t(b.data[k][4 * j + u]));
      set(y, i, j, sum);
      tile_state.multiply_adds += 4;
    });
  }
};

struct EmulatedPairs : EmulatedTiles {
  static float widened(const TileState::Register& r, int row, int index) {
    return __builtin_bit_cast(float, uint32_t{element<uint16_t>(r, row, index)} << 16);
  }
  /// Even and odd products have separate sums, which begin at zero.
  template <int Y, int A, int B>
  static void multiply_add() {
    auto &y = used<Y>(), &a = used<A>(), &b = used<B>();
    float sums[16][16][2] = {};
    for_products<Y, A, B>([&](int i, int k, int j) {
      for (int u = 0; u < 2; ++u) {
        sums[i][j][u] = __builtin_fmaf(widened(a, i, 2 * k + u), widened(b, k, 2 * j + u), sums[i][j][u]);
      }
      tile_state.multiply_adds += 2;
    });
    for (int i = 0; i < y.rows; ++i) {
      for (int j = 0; j < y.row_bytes / 4; ++j) {
        set(y, i, j, element<float>(y, i, j) + (sums[i][j][0] + sums[i][j][1]));
      }
    }
  }
};

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
