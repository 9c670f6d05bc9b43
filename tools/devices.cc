#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "kernels/isa.h"
#include "linnet/error.h"
#include "linnet/executor.h"
#include "report.h"
#include "verbs.h"

namespace linnet::tool {
namespace {

std::string processor_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

/// Bytes of a cache; 0 where the system does not tell.
int64_t cache_bytes([[maybe_unused]] int level) {
#ifdef _SC_LEVEL1_DCACHE_SIZE
  static constexpr int kNames[]{_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE};
  return std::max<int64_t>(sysconf(kNames[level - 1]), 0);
#else
  return 0;
#endif
}

struct Choice {
  std::string name, reason;
};

Choice chosen() {
  const char* forced = std::getenv("LINNET_ISA");
  const bool is_forced = forced && *forced;
  try {
    return {std::string(isa_name(resolve_isa(Isa::kAuto))),
            is_forced ? str("LINNET_ISA=", forced) : "the best that this machine supports"};
  } catch (const Error& error) {
    return {"none", error.message()};
  }
}

}  // namespace

ExitCode devices_verb(const Options& options) {
  const Choice choice = chosen();
  const int threads = make_openmp_executor()->workers();
  const unsigned cores = std::thread::hardware_concurrency();
  Json isas = Json::array();
  std::string text = "processor  " + processor_name() + "\n";
  for (const IsaSupport& entry : isa_support()) {
    text += "isa        " + std::string(entry.name) + (entry.supported ? "" : "  not supported by this machine");
    text += entry.name == choice.name ? "  chosen: " + choice.reason + "\n" : "\n";
    isas.push_back({{"name", entry.name}, {"supported", entry.supported}, {"chosen", entry.name == choice.name}});
  }
  if (choice.name == "none") text += "isa        none chosen: " + choice.reason + "\n";
  text += format("cores      %u\nthreads    %d\n", cores, threads);
  Json caches = Json::object();
  for (int level = 1; level <= 3; ++level) {
    caches[format("l%d_bytes", level)] = cache_bytes(level);
    text +=
        format("cache L%d   ", level) + (cache_bytes(level) > 0 ? human_bytes(cache_bytes(level)) : "unknown") + "\n";
  }
  report(text,
         {{"processor", processor_name()},
          {"isas", isas},
          {"chosen", choice.name},
          {"reason", choice.reason},
          {"cores", cores},
          {"threads", threads},
          {"caches", caches}},
         options.json);
  return ExitCode::kOk;
}

}  // namespace linnet::tool
