#pragma once

#include "linnet/fact.h"

namespace linnet {

/// A node of a graph whose states grow. Some of its values have, along one axis, memory for more rows than are in use.
/// The rows in use come first, and what is behind them has no meaning. Op::prefix() says how the node runs on them.
class LINNET_API Prefix {
 public:
  virtual ~Prefix() = default;

  /// Facts with as many rows as are in use: expressions. Not present() where a value is omitted.
  virtual const Fact& input(int i) const = 0;
  virtual const Fact& output(int i) const = 0;
  /// The axis along which a value has more rows than are in use; -1: none.
  virtual int input_axis(int i) const = 0;
  virtual int output_axis(int i) const = 0;
  /// Whether these axes, counted from the last dim, are the same for output 0 and all inputs that have one.
  bool aligned() const;

  /// Runs the node as it is, on all the rows that there is memory for. That is right where row i of an output depends
  /// on no row of the inputs behind row i, whatever those hold. False, and nothing is done, where numbers of rows
  /// differ or the shapes of the outputs would be others.
  virtual bool carry() = 0;

 protected:
  virtual int inputs() const = 0;
};

}  // namespace linnet
