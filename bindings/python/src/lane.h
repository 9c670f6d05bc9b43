#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "profile.h"
#include "signature.h"

namespace linnet::python {

class Interrupts;

/// A context for one run at a time, which ends a run if a signal handler of Python raises an exception.
class Lane {
 public:
  /// profile: records all nodes; nullptr: none are recorded.
  Lane(const Model& model, const ContextOptions& options, std::shared_ptr<Profile> profile);

  Context& context() { return context_; }
  /// Returns the outputs by name, in the requested order. If `outputs` is `None`, returns all but states. Outputs that
  /// have an array in `out` are written to it. deadline_ms: of this run, or None. Runs without the interpreter's lock.
  /// Ctrl-C ends the run after the current node.
  nb::dict run(const Signature& signature, nb::handle inputs, nb::handle outputs, nb::handle out,
               nb::handle cancellation, nb::handle deadline_ms);

  /// Makes `output` the state of `input`. From now on, neither is in the dicts of inputs and outputs.
  void bind_state(const Signature& signature, nb::handle output, nb::handle input, nb::handle initial,
                  int64_t capacity);
  /// Returns another lane with the same states.
  std::unique_ptr<Lane> fork() const;

 private:
  Lane(std::shared_ptr<Profile> profile, std::shared_ptr<Interrupts> interrupts, Context context);
  std::vector<size_t> output_indices(const Signature& signature, nb::handle outputs) const;

  std::shared_ptr<Profile> profile_;
  std::shared_ptr<Interrupts> interrupts_;
  Context context_;
  std::vector<bool> state_inputs_;
  std::vector<size_t> listed_;  // ascending indices of the outputs that are not states
};

}  // namespace linnet::python
