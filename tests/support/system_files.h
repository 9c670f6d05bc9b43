#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "support/temporary_folder.h"

namespace linnet::testing {

/// A system's files, by their paths below its root, in a separate folder.
class SystemFiles {
 public:
  explicit SystemFiles(const std::map<std::string, std::string>& texts) {
    for (const auto& [path, text] : texts) {
      std::filesystem::create_directories(std::filesystem::path(folder_.path(path)).parent_path());
      std::ofstream(folder_.path(path)) << text;
    }
  }

  std::string root() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

}  // namespace linnet::testing
