#include "environment/control_groups.h"

#include <fstream>
#include <sstream>

namespace linnet {
namespace {

/// The lesser of two numbers, of which 0 means not set.
double lesser(double a, double b) { return a > 0 && (b <= 0 || a < b) ? a : b; }

/// The least number of a group and those that contain it. In a container the group's path may not exist.
double least_above(const std::string& mount, std::string group, double (*figure)(const std::string&)) {
  double least = 0;
  while (true) {
    least = lesser(figure(mount + group), least);
    if (group.empty()) return least;
    group.erase(group.rfind('/'));
  }
}

bool names(const std::string& controllers, const std::string& wanted) {
  std::istringstream list(controllers);
  for (std::string name; std::getline(list, name, ',');) {
    if (name == wanted) return true;
  }
  return false;
}

/// The number for a line "7:cpu,cpuacct:/group" or, in version 2, "0::/group".
double figure_of_line(const std::string& root, const std::string& line, const GroupFigure& figure) {
  const size_t first = line.find(':'), second = line.find(':', first + 1);
  if (second == std::string::npos || line.substr(second + 1, 1) != "/") return 0;
  const std::string controllers = line.substr(first + 1, second - first - 1);
  std::string group = line.substr(second + 1);
  if (group == "/") group.clear();
  const std::string mount = root + "/sys/fs/cgroup";
  if (controllers.empty()) return least_above(mount, group, figure.of_version2);
  if (!names(controllers, figure.controller)) return 0;
  return least_above(mount + "/" + figure.controller, group, figure.of_version1);
}

}  // namespace

double least_of_groups(const std::string& root, const GroupFigure& figure) {
  double least = 0;
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) least = lesser(figure_of_line(root, line, figure), least);
  return least;
}

}  // namespace linnet
