#include "traditionalml/key_table.h"

#include <bit>
#include <cmath>
#include <limits>

#include "elements/dispatch.h"
#include "movement/copy.h"
#include "partition/parallel.h"

namespace linnet {
namespace {

/// Returns a key that is equal for equal numbers (or bits) and different for others of the same dtype.
template <class T>
uint64_t number_key(T x, bool by_bits) {
  if constexpr (std::is_floating_point_v<T>) {
    if (by_bits) return std::bit_cast<std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>(x);
    if (std::isnan(x)) return std::bit_cast<uint64_t>(std::numeric_limits<double>::quiet_NaN());
    return std::bit_cast<uint64_t>(double(x) + 0.0);  // -0 + 0 is 0
  } else {
    return uint64_t(int64_t(x));
  }
}

/// Calls f with the type of a numeric key dtype.
template <class F>
auto dispatch_key(DType dtype, F&& f) {
  return dispatch_among<int64_t, int32_t, int16_t, float, double>(dtype, f);
}

/// Sets y[i] to values[places[i]], or to the last value if the place is -1.
using PlaceReader = void (*)(const void* values, int64_t last, const int64_t* places, int64_t n, void* y);

PlaceReader place_reader(DType dtype) {
  return dispatch_width(dtype, []<class T>() -> PlaceReader {
    return [](const void* values, int64_t last, const int64_t* places, int64_t n, void* y) {
      const T* from = static_cast<const T*>(values);
      for (int64_t i = 0; i < n; ++i) static_cast<T*>(y)[i] = from[places[i] < 0 ? last : places[i]];
    };
  });
}

class LookupKernel final : public Kernel {
 public:
  LookupKernel(std::shared_ptr<const KeyTable> table, const Tensor& values)
      : table_(std::move(table)),
        values_(values),
        read_(place_reader(values.dtype())),
        bytes_(element_bytes(values.dtype())) {}

  void run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    auto* y = static_cast<std::byte*>(context.output(0).raw());
    parallel_items(context.executor(), x.size(), kElementCost, [&](int64_t begin, int64_t end, int) {
      int64_t places[kBlock];
      for (int64_t at = begin; at < end; at += kBlock) {
        const int64_t n = std::min(kBlock, end - at);
        table_->find(x, at, at + n, places);
        read_(values_.raw(), values_.size() - 1, places, n, y + at * bytes_);
      }
    });
  }

 private:
  static constexpr int64_t kBlock = 256, kElementCost = 8;

  std::shared_ptr<const KeyTable> table_;
  Tensor values_;
  PlaceReader read_;
  int64_t bytes_;
};

/// The number of slots for `keys` keys. At least half of them stay empty.
size_t slots_for(int64_t keys) { return std::bit_ceil(size_t(checked_mul(2, keys) + 2)); }

constexpr int64_t kKeyWork = 16;

int64_t text_work(const std::string& text) { return kKeyWork + int64_t(text.size()) / 4; }

}  // namespace

NumberTable::NumberTable(int64_t keys) : slots_(slots_for(keys)), shift_(1 + std::countl_zero(slots_.size())) {}

int64_t& NumberTable::at(uint64_t key, Checkpoints& checkpoints) {
  size_t at = first(key);
  while (slots_[at].place >= 0 && slots_[at].key != key) {
    checkpoints.add(8);
    at = (at + 1) & (slots_.size() - 1);
  }
  checkpoints.add(kKeyWork);
  slots_[at].key = key;
  return slots_[at].place;
}

void NumberTable::finish(uint64_t most) {
  uint64_t least = ~uint64_t{0}, greatest = 0;
  for (const Slot& slot : slots_) {
    if (slot.place < 0) continue;
    least = std::min(least, slot.key);
    greatest = std::max(greatest, slot.key);
  }
  if (least > greatest || greatest - least >= std::max<uint64_t>(most, slots_.size())) return;
  least_ = least;
  near_.assign(size_t(greatest - least) + 1, -1);
  for (const Slot& slot : slots_) {
    if (slot.place >= 0) near_[size_t(slot.key - least)] = slot.place;
  }
}

KeyTable::KeyTable(const Tensor& keys, KeyRules rules) : by_bits_(rules.by_bits) {
  if (keys.dtype() == DType::kString) {
    texts_ = keys;
    add_texts(rules.last_counts);
    return;
  }
  numbers_ = NumberTable(keys.size());
  Checkpoints checkpoints;
  dispatch_key(keys.dtype(), [&]<class T>() {
    for (int64_t i = 0; i < keys.size(); ++i) {
      int64_t& place = numbers_.at(number_key(keys.data<T>()[i], by_bits_), checkpoints);
      if (place < 0 || rules.last_counts) place = i;
    }
  });
  numbers_.finish();
}

void KeyTable::add_texts(bool last_counts) {
  const auto* texts = texts_.data<std::string>();
  places_.emplace(int64_t(slots_for(texts_.size())));
  Checkpoints checkpoints;
  for (int64_t i = 0; i < texts_.size(); ++i) {
    checkpoints.add(text_work(texts[i]));
    const auto equal = [&](int64_t place) { return texts[place] == texts[i]; };
    int64_t& place = places_->find(seeded_(texts[i]), equal, checkpoints);
    if (place < 0 || last_counts) place = i;
  }
}

int64_t KeyTable::find_text(const std::string& text, Checkpoints& checkpoints) const {
  checkpoints.add(text_work(text));
  const auto* texts = texts_.data<std::string>();
  return places_->find(
      seeded_(text), [&](int64_t place) { return texts[place] == text; }, checkpoints);
}

void KeyTable::find(const Tensor& x, int64_t begin, int64_t end, int64_t* places) const {
  if (x.dtype() == DType::kString) {
    const auto* texts = x.data<std::string>();
    Checkpoints checkpoints;
    for (int64_t i = begin; i < end; ++i) places[i - begin] = find_text(texts[i], checkpoints);
    return;
  }
  dispatch_key(x.dtype(), [&]<class T>() {
    const T* data = x.data<T>();
    for (int64_t i = begin; i < end; ++i) places[i - begin] = numbers_.find(number_key(data[i], by_bits_));
  });
}

int64_t KeyTable::find(int64_t number) const { return numbers_.find(number_key(number, by_bits_)); }

KernelPtr make_lookup_kernel(std::shared_ptr<const KeyTable> table, const Tensor& values) {
  return std::make_unique<LookupKernel>(std::move(table), values);
}

void require_exactly_one(std::initializer_list<bool> given, const std::string& names) {
  const auto count = std::count(given.begin(), given.end(), true);
  if (count != 1) throw Error(ErrorKind::kModel, str("exactly one of ", names, " must be given, got ", count));
}

}  // namespace linnet
