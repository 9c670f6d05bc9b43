#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "linnet/model.h"
#include "profile.h"
#include "values.h"

namespace linnet::python {

/// A loaded model that any number of threads run at the same time, each in a context of its own.
class Session {
 public:
  Session(Model model, Limits limits, std::optional<uint64_t> seed, bool profiled);
  ~Session();

  const Model& model() const { return model_; }
  /// What ran so far; empty unless profiled.
  const Profile& profile() const { return *profile_; }
  /// A session of the model with other contents of initializers, by name; nothing ran in it so far.
  std::unique_ptr<Session> with_weights(const nb::dict& weights) const;
  /// The outputs by name, in the order asked for: all where `outputs` is None. Those that `out` has an array for, are
  /// written there. Runs without the interpreter's lock; Ctrl-C ends it after the node that runs.
  nb::dict run(const nb::dict& inputs, nb::handle outputs, const nb::dict& out,
               std::shared_ptr<CancellationToken> cancellation);

 private:
  struct Lane;
  /// An input or output of the model.
  struct Value {
    nb::str name;
    const Fact* fact;
    std::string what;  // "input 'x'"
  };
  static std::vector<Value> values_of(const char* side, const std::vector<ValueInfo>& infos);
  std::unique_ptr<Lane> take_lane();
  void give_back(std::unique_ptr<Lane> lane);
  std::vector<Tensor> ordered(const nb::dict& inputs) const;
  void refuse_unknown(const nb::dict& inputs) const;
  std::vector<size_t> output_indices(nb::handle names) const;
  size_t output_index(nb::handle name) const;
  std::vector<Tensor> memory_of(const nb::dict& out) const;

  Model model_;
  ContextOptions options_;
  std::shared_ptr<Profile> profile_;
  bool profiled_;
  std::vector<Value> inputs_, outputs_;  // behind the inputs those that may be left out: overridable initializers
  size_t required_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> idle_;
};

}  // namespace linnet::python
