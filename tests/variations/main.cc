#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "case.h"
#include "linnet/registry.h"
#include "worker.h"

// usage: vary_operators [--every=N] [--jobs=N] [--part] [--only=TEXT] [--without=TEXT] FOLDER
// FOLDER contains valid cases of every operator, written by base_cases.py. Each input and attribute of each case is
// invalid in turn. Every answer must be a result or an Error. One question in N is asked. With --part, cases may be
// missing. --only and --without select the cases whose names contain TEXT, or do not. Prints the failures and the
// number of questions. The exit status is 1 if there was a failure or if an operator has no case.
namespace linnet {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  Plan plan;
  fs::path folder;
  std::string only, without;
  int jobs = 1;
  bool part = false;
};

Arguments parse(int argc, char** argv) {
  Arguments result;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::string value = argument.substr(argument.find('=') + 1);
    if (argument.starts_with("--every=")) {
      result.plan.every = std::stoll(value);
    } else if (argument.starts_with("--jobs=")) {
      result.jobs = std::stoi(value);
    } else if (argument.starts_with("--only=")) {
      result.only = value;
    } else if (argument.starts_with("--without=")) {
      result.without = value;
    } else if (argument == "--part") {
      result.part = true;
    } else {
      result.folder = argument;
    }
  }
  return result;
}

std::vector<fs::path> cases(const fs::path& folder) {
  std::vector<fs::path> result;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".onnx") result.push_back(entry.path());
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// Prints the registrations without a case, and returns their number.
int missing(const std::vector<fs::path>& paths) {
  std::map<std::pair<std::string, std::string>, std::vector<int64_t>> opsets;
  for (const fs::path& path : paths) {
    const Case found = read_case(path);
    opsets[{found.node().domain(), found.node().op_type()}].push_back(found.opset());
  }
  int result = 0;
  for (const Registry::Entry& entry : standard_registry().entries()) {
    const std::vector<int64_t>& known = opsets[{entry.domain, entry.op_type}];
    for (size_t i = 0; i < entry.since.size(); ++i) {
      const auto is_of = [&](int64_t opset) {
        return opset >= entry.since[i] && (i + 1 == entry.since.size() || opset < entry.since[i + 1]);
      };
      if (std::any_of(known.begin(), known.end(), is_of)) continue;
      std::printf("MISSING a case of %s of domain '%s', version %ld\n", entry.op_type.c_str(), entry.domain.c_str(),
                  long(entry.since[i]));
      ++result;
    }
  }
  return result;
}

Counts put_all(const std::vector<fs::path>& paths, const Arguments& arguments) {
  std::vector<std::unique_ptr<Worker>> workers;
  for (int i = 0; i < arguments.jobs; ++i) workers.push_back(std::make_unique<Worker>());
  size_t next = 0;
  for (bool busy = true; busy;) {
    busy = false;
    for (const auto& worker : workers) {
      if (!worker->poll() && next < paths.size()) worker->start(paths[next++], arguments.plan);
      busy |= worker->busy();
    }
    usleep(1000);
  }
  Counts sum;
  for (const auto& worker : workers) {
    const Counts counts = worker->counts();
    sum.asked += counts.asked;
    sum.results += counts.results;
    sum.errors += counts.errors;
    sum.wrong += counts.wrong;
  }
  return sum;
}

int run(int argc, char** argv) {
  Arguments arguments = parse(argc, argv);
  std::ifstream names(arguments.folder / "names.txt");
  for (std::string word; names >> word;) arguments.plan.words.push_back(word);
  std::vector<fs::path> paths = cases(arguments.folder);
  const int lacking = arguments.part ? 0 : missing(paths);
  std::erase_if(paths, [&](const fs::path& path) {
    const std::string name = path.filename().string();
    return name.find(arguments.only) == std::string::npos ||
           (!arguments.without.empty() && name.find(arguments.without) != std::string::npos);
  });
  const Counts counts = put_all(paths, arguments);
  std::printf("%zu cases, %ld questions: %ld results, %ld errors, %ld wrong; %d operators without a case\n",
              paths.size(), long(counts.asked), long(counts.results), long(counts.errors), long(counts.wrong), lacking);
  return counts.wrong == 0 && lacking == 0 && counts.results > 0 ? 0 : 1;
}

}  // namespace
}  // namespace linnet

int main(int argc, char** argv) {
  try {
    return linnet::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
