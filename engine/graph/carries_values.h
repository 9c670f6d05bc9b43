#pragma once

#include <cstddef>
#include <vector>

namespace linnet {

/// A value that an operator hands from one run of its body to the next: which input of the node it begins as, which
/// input and output of the body it is, and which output of the node it ends as.
struct CarriedValue {
  size_t input = 0, body_input = 0, body_output = 0, output = 0;
};

/// What an Op with one body is besides, if it carries values. It runs the body with a value as it came where no run has
/// changed it, and gives it as it came where there is no run.
class CarriesValues {
 public:
  virtual std::vector<CarriedValue> carried_values() const = 0;

 protected:
  ~CarriesValues() = default;
};

/// What an Op is besides, if its output is its input, whatever that is.
class GivesItsInput {
 protected:
  ~GivesItsInput() = default;
};

}  // namespace linnet
