#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <thread>

#include "command/verbs.h"
#include "kernels/kernels_for.h"
#include "linnet/error.h"
#include "linnet/executor.h"
#include "report/report.h"

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

/// The size of a cache in bytes; 0 if the system does not report it.
int64_t cache_bytes([[maybe_unused]] int level) {
#ifdef _SC_LEVEL1_DCACHE_SIZE
  static constexpr int kNames[]{_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE};
  return std::max<int64_t>(sysconf(kNames[level - 1]), 0);
#else
  return 0;
#endif
}

/// The instruction set that kernels run on and the reason for it; kAuto and an error if none can be used.
struct Choice {
  Isa isa;
  std::string reason;

  bool none() const { return isa == Isa::kAuto; }
  bool is_base(const IsaSupport& entry) const { return isa.base() == entry.isa.base(); }
  bool has(const IsaSupport& entry, const FeatureSupport& f) const {
    return is_base(entry) && isa.features().contains(f.feature);
  }
  std::string name() const { return none() ? "none" : isa_name(isa); }
};

Choice choose_isa() {
  const char* forced = std::getenv("LINNET_ISA");
  const bool is_forced = forced && *forced;
  try {
    return {resolve_isa(Isa::kAuto), is_forced ? str("LINNET_ISA=", forced) : "the best that this machine supports"};
  } catch (const Error& error) {
    return {Isa::kAuto, error.message()};
  }
}

std::string state(bool supported, bool is_chosen, const std::string& reason) {
  return (supported ? "" : "  not supported by this machine") + (is_chosen ? "  chosen" + reason : "") + "\n";
}

std::string isa_text(const Choice& choice) {
  std::string text;
  for (const IsaSupport& entry : isa_support()) {
    text += str("isa        ", entry.name, state(entry.supported, choice.is_base(entry), ": " + choice.reason));
    for (const FeatureSupport& f : entry.features) {
      text += str("           ", entry.name, "+", f.name, state(f.supported, choice.has(entry, f), ""));
    }
  }
  if (choice.none()) text += "isa        none chosen: " + choice.reason + "\n";
  return text;
}

Json isa_json(const Choice& choice) {
  Json isas = Json::array();
  for (const IsaSupport& entry : isa_support()) {
    Json features = Json::array();
    for (const FeatureSupport& f : entry.features) {
      features.push_back({{"name", f.name}, {"supported", f.supported}, {"chosen", choice.has(entry, f)}});
    }
    isas.push_back({{"name", entry.name},
                    {"supported", entry.supported},
                    {"chosen", choice.is_base(entry)},
                    {"features", features}});
  }
  return isas;
}

/// The chosen implementation by kernel family.
std::map<std::string, std::string> kernels(const Choice& choice) {
  std::map<std::string, std::string> chosen;
  if (choice.none()) return chosen;
  for (const ChosenKernels& k : chosen_kernels(choice.isa)) chosen.emplace(k.family, k.isa);
  return chosen;
}

}  // namespace

ExitCode devices_verb(const Options& options) {
  const Choice choice = choose_isa();
  const unsigned cores = std::thread::hardware_concurrency();
  std::string text = "processor  " + processor_name() + "\n" + isa_text(choice);
  const auto executor = make_thread_executor();
  const std::optional<Roofline> roofline =
      choice.none() ? std::nullopt : std::optional(measure_roofline(choice.isa, *executor));
  for (const auto& [family, isa] : kernels(choice))
    text += format("kernels    %-10s %s\n", family.c_str(), isa.c_str());
  text += format("cores      %u\nthreads    %d\n", cores, executor->workers());
  Json caches = Json::object();
  for (int level = 1; level <= 3; ++level) {
    caches[format("l%d_bytes", level)] = cache_bytes(level);
    text +=
        format("cache L%d   ", level) + (cache_bytes(level) > 0 ? human_bytes(cache_bytes(level)) : "unknown") + "\n";
  }
  if (roofline) text += "roofline   " + describe(*roofline) + "\n";
  report(text,
         {{"processor", processor_name()},
          {"isas", isa_json(choice)},
          {"chosen", choice.name()},
          {"reason", choice.reason},
          {"kernels", kernels(choice)},
          {"cores", cores},
          {"threads", executor->workers()},
          {"caches", caches},
          {"roofline", roofline ? to_json(*roofline) : Json()}},
         options.json);
  return ExitCode::kOk;
}

}  // namespace linnet::tool
