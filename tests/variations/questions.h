#pragma once

#include <set>
#include <string>
#include <vector>

#include "case.h"
#include "forms.h"

namespace linnet {

/// Takes the questions about one case, one after the other.
class Questioner {
 public:
  virtual ~Questioner() = default;
  /// Which others depend on `probe`, so that it is asked always.
  virtual Answer take(const Case& node, const Form& form, bool probe) = 0;
  /// The case itself gave no result in any form.
  virtual void refuses_all(const std::string& message) = 0;
  /// Whether to find out which attributes the operator reads that the case does not give, and to vary these.
  virtual bool wants_further_attributes() const = 0;
};

/// Puts all questions about variations of a case, always the same ones in the same order. `words`: what may be names of
/// attributes, and what these may say: those that the operator reads and takes are found out.
void put_questions(const Case& base, const std::vector<std::string>& words, Questioner& questioner);

}  // namespace linnet
