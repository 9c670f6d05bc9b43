#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "compile/sweeper.h"
#include "environment/in_progress.h"
#include "graph/graph.h"
#include "tensor/checksum.h"
#include "tensor/weak_tensor.h"

namespace linnet {

/// Constants that are made from weights (converted, transposed, folded). All graphs and plans of a model share one copy
/// of each, and therefore also what is packed from it. A constant lives as long as something refers to it. Thread-safe.
/// Small constants, strings and containers are not shared.
class SharedConstants {
 public:
  using Values = std::vector<Tensor>;

  /// What a deterministic node computes from these constants: an earlier result for the same constants if it still
  /// exists, otherwise that of compute(). A caller waits if another thread is computing the same.
  Values computed(const Node& node, std::span<const Fact> in, std::span<const Fact> out,
                  const std::function<Values()>& compute);
  /// Takes a constant of a graph and returns an earlier one with the same contents if that still exists, otherwise the
  /// constant itself. Constants in files are not shared.
  Tensor share(const Tensor& constant);
  /// Stops sharing the constant. Call it before its memory is used for something else.
  void forget(const Tensor& constant);

 private:
  /// How a constant is computed: the operators and inputs, down to constants that are not computed.
  struct Origin {
    Checksum sum;
    std::vector<WeakTensor> roots;  // whose addresses are part of `sum`
  };
  struct Computed {
    std::vector<WeakTensor> roots, values;

    bool expired() const;
  };
  struct Known {
    WeakTensor tensor;
    std::optional<Origin> origin{};
    bool shared = false;
  };
  Origin origin(const Node& node, std::span<const Fact> in) const;
  const Known* known(const Tensor& constant) const;
  Tensor locked(const WeakTensor& value) const;
  std::optional<Values> find(const Checksum& sum) const;
  void keep(const Origin& origin, const Values& values);
  Known& know(const Tensor& constant);

  std::mutex mutex_;
  InProgress<Checksum> computing_, sharing_;
  std::map<Checksum, Computed> computed_;
  std::multimap<Checksum, WeakTensor> by_contents_;
  std::map<const void*, Known> known_;  // by address
  Sweeper computed_sweeper_, contents_sweeper_, known_sweeper_;
};

}  // namespace linnet
