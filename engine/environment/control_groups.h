#pragma once

#include <string>

namespace linnet {

/// A figure that bounds the processes of a control group. Each function reads it in the folder of a group, 0: none.
struct GroupFigure {
  const char* controller;  ///< of version 1
  double (*of_version1)(const std::string& folder);
  double (*of_version2)(const std::string& folder);
};

/// The least figure of this process's control groups and those that they lie in; 0: there is none. `root` is where the
/// system's files are looked up: the parent of proc and sys.
double least_of_groups(const std::string& root, const GroupFigure& figure);

}  // namespace linnet
