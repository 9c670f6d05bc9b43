#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "profile.h"
#include "signature.h"

namespace linnet::python {

class Interrupts;

/// What one run at a time uses: a context, and what ends its runs where a signal handler of Python raises.
class Lane {
 public:
  /// profile: where all nodes are noted; nullptr: nowhere.
  Lane(const Model& model, const ContextOptions& options, std::shared_ptr<Profile> profile);

  Context& context() { return context_; }
  /// The outputs by name, in the order asked for: where `outputs` is None, all but states. Those that `out` has an
  /// array for, are written there. deadline_ms: of this run, or None. Runs without the interpreter's lock; Ctrl-C ends
  /// it after the node that runs.
  nb::dict run(const Signature& signature, nb::handle inputs, nb::handle outputs, nb::handle out,
               nb::handle cancellation, nb::handle deadline_ms);

  /// From now on `output` is the state of `input`: neither is a dict's any more.
  void bind_state(const Signature& signature, nb::handle output, nb::handle input, nb::handle initial,
                  int64_t capacity);
  /// Another lane with the same states.
  std::unique_ptr<Lane> fork() const;

 private:
  Lane(std::shared_ptr<Profile> profile, std::shared_ptr<Interrupts> interrupts, Context context);
  std::vector<size_t> wanted(const Signature& signature, nb::handle outputs) const;

  std::shared_ptr<Profile> profile_;
  std::shared_ptr<Interrupts> interrupts_;
  Context context_;
  std::vector<bool> state_inputs_, state_outputs_;
};

}  // namespace linnet::python
