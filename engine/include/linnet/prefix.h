#pragma once

#include "linnet/fact.h"

namespace linnet {

/// A node in a graph whose states grow. Some of its values have, along one axis, memory for more rows than are in use.
/// The rows in use come first; the rows after them have no meaning. Op::prefix() decides how the node runs on such
/// values.
class LINNET_API Prefix {
 public:
  virtual ~Prefix() = default;

  /// Facts of the values with as many rows as are in use; these numbers are expressions. Not present() where a value is
  /// omitted.
  virtual const Fact& input(int i) const = 0;
  virtual const Fact& output(int i) const = 0;
  /// The axis along which a value has memory for more rows than are in use; otherwise -1.
  virtual int input_axis(int i) const = 0;
  virtual int output_axis(int i) const = 0;
  /// Whether these axes, counted from the last dim, are the same for output 0 and all inputs that have one.
  bool aligned() const;

  /// Runs the node unchanged on all rows that there is memory for. This is right if row i of an output depends on no
  /// row of the inputs after row i, whatever those rows contain. Returns false and does nothing if the numbers of rows
  /// differ or the shapes of the outputs would differ.
  virtual bool carry() = 0;

 protected:
  /// The number of inputs.
  virtual int inputs() const = 0;
};

}  // namespace linnet
