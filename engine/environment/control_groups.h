#pragma once

#include <string>

namespace linnet {

/// A number that limits the processes of a control group. Each function reads it from the folder of a group; 0 means
/// none.
struct GroupFigure {
  const char* controller;  ///< the controller's name in version 1
  double (*of_version1)(const std::string& folder);
  double (*of_version2)(const std::string& folder);
};

/// The least number in this process's control groups and those that contain them; 0 if it is not set. `root`: where the
/// system's files are looked up, the parent of proc and sys.
double least_of_groups(const std::string& root, const GroupFigure& figure);

}  // namespace linnet
