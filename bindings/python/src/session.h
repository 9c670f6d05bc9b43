#pragma once

#include <mutex>

#include "lane.h"

namespace linnet::python {

/// A loaded model. Any number of threads may run it at the same time, each in a separate context.
class Session {
 public:
  Session(Model model, Limits limits, std::optional<uint64_t> seed, bool profiled);

  const Model& model() const { return model_; }
  const std::shared_ptr<const Signature>& signature() const { return signature_; }
  /// The nodes that ran so far. It is empty unless profiling is on.
  const Profile& profile() const { return *profile_; }
  /// Returns a session of the model with other contents of initializers, by name, and an empty profile.
  std::unique_ptr<Session> with_weights(const nb::dict& weights) const;
  /// As Lane::run().
  nb::dict run(nb::handle inputs, nb::handle outputs, nb::handle out, nb::handle cancellation, nb::handle deadline_ms);
  /// Plans for inputs of these shapes, in the model's order, and packs the weights, in a context that a later run
  /// takes.
  void prepare(const std::vector<std::vector<int64_t>>& shapes);
  /// The memory of the model and of the contexts that are not running.
  MemoryReport memory();
  std::unique_ptr<Lane> new_lane() const;

 private:
  std::unique_ptr<Lane> take_lane();
  void give_back(std::unique_ptr<Lane> lane);
  /// Returns what f returns for a lane that no other thread uses meanwhile.
  template <class F>
  auto with_lane(F&& f);

  Model model_;
  std::shared_ptr<const Signature> signature_;
  ContextOptions options_;
  std::shared_ptr<Profile> profile_;
  bool profiled_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> idle_;
};

}  // namespace linnet::python
