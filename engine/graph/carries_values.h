#pragma once

#include <cstddef>
#include <vector>

namespace linnet {

/// A value that an operator passes from one run of its body to the next: the input of the node that it begins as, the
/// input and output of the body that it is, and the output of the node that it ends as.
struct CarriedValue {
  size_t input = 0, body_input = 0, body_output = 0, output = 0;
};

/// An additional interface of an Op with one body that carries values. Such an Op passes a value on as it came if no
/// run changes it, and returns it as it came if the body does not run.
class CarriesValues {
 public:
  virtual std::vector<CarriedValue> carried_values() const = 0;

 protected:
  ~CarriesValues() = default;
};

/// An additional interface of an Op whose output is its input, whatever that is.
class GivesItsInput {
 protected:
  ~GivesItsInput() = default;
};

}  // namespace linnet
