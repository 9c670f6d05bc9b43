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

/// Constants that are made of weights (converted, transposed, folded): all graphs and plans of a model have one
/// together, so that what is packed of it is shared, too. Each lives as long as somebody holds it. Thread-safe. Small
/// ones, strings and containers are not shared.
class SharedConstants {
 public:
  using Values = std::vector<Tensor>;

  /// What a deterministic node computes of these constants: what was computed of the same before, while somebody has
  /// it, else what compute() gives. Who needs what another thread computes waits for it.
  Values computed(const Node& node, std::span<const Fact> in, std::span<const Fact> out,
                  const std::function<Values()>& compute);
  /// For a constant of a graph: one of the same contents that was given before and still lives, else the one given.
  /// What is in a file is not shared.
  Tensor share(const Tensor& constant);
  /// Gives it to nobody any more. Before its memory is used for something else.
  void forget(const Tensor& constant);

 private:
  /// How a constant is computed: of which operators and inputs, down to constants that nobody computed.
  struct Origin {
    Checksum sum;
    std::vector<WeakTensor> roots;  // whose addresses are in `sum`
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
