#pragma once

#include <set>
#include <string>
#include <vector>

#include "case.h"
#include "forms.h"

namespace linnet {

/// Receives the questions about one case in sequence.
class Questioner {
 public:
  virtual ~Questioner() = default;
  /// Answers a question. `probe`: other questions depend on it, so it is always asked.
  virtual Answer take(const Case& node, const Form& form, bool probe) = 0;
  /// The case itself has no result in any form.
  virtual void refuses_all(const std::string& message) = 0;
  /// Whether to determine which attributes the operator reads that the case does not have, and to vary these.
  virtual bool wants_further_attributes() const = 0;
};

/// Asks all questions about variations of a case, always in the same order. `words`: possible names of attributes, and
/// possible values of these. The ones that the operator reads and accepts are determined.
void put_questions(const Case& base, const std::vector<std::string>& words, Questioner& questioner);

}  // namespace linnet
