#include "command/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>

#include "command/check_options.h"
#include "command/failure.h"
#include "command/man_page.h"
#include "command/verb_options.h"
#include "linnet/did_you_mean.h"

namespace linnet::tool {
namespace {

constexpr const char* kEnvironment =
    "LINNET_ISA names the instruction set where --isa does not.\n"
    "OMP_NUM_THREADS is the number of threads where --threads does not give one.\n"
    "NO_COLOR, set to anything, leaves out colours, which only terminals get.";

/// Binds the value of "--vs-ort", which has one only if the next word names a library or a folder. Otherwise the next
/// word is the model.
void bind_library(std::vector<std::string>& arguments) {
  const auto flag = std::find(arguments.begin(), arguments.end(), "--vs-ort");
  if (flag == arguments.end()) return;
  const auto next = flag + 1;
  const bool given =
      next != arguments.end() && (next->find(".so") != std::string::npos || std::filesystem::is_directory(*next));
  *flag += "=" + (given ? *next : std::string("libonnxruntime.so"));
  if (given) arguments.erase(next);
}

/// Throws Failure if the first word is neither a file nor a flag, but similar to a verb.
void check_verb(const CLI::App& app, const std::string& word) {
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands({})) verbs.push_back(verb->get_name());
  const std::string hint = did_you_mean(word, verbs);
  if (hint.empty() || word.starts_with("-") || std::filesystem::exists(word)) return;
  throw Failure(ExitCode::kUsage, "there is no verb and no file '" + word + "'" + hint);
}

/// The command line in CLI11's reversed order, with "run" inserted if it does not start with a verb.
std::vector<std::string> reversed_arguments(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty()) return {"--help"};
  static const std::set<std::string> kGlobal{"-h", "--help", "--man", "--version"};
  const auto verbs = app.get_subcommands([&](const CLI::App* verb) { return verb->check_name(arguments[0]); });
  if (verbs.empty() && !kGlobal.contains(arguments[0])) {
    check_verb(app, arguments[0]);
    arguments.insert(arguments.begin(), "run");
  }
  bind_library(arguments);
  std::reverse(arguments.begin(), arguments.end());
  return arguments;
}

/// The message, followed by where to find help.
std::string with_help(const std::string& message, const CLI::App& app) {
  const auto verbs = app.get_subcommands();
  const std::string verb = verbs.empty() ? "" : verbs.front()->get_name() + " ";
  return message + (message.ends_with('?') ? " " : "; ") + "run_model " + verb + "--help lists the flags";
}

/// The long names of the flags of a verb and of its groups.
void add_flags(const CLI::App& app, std::vector<std::string>& flags) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  for (const CLI::App* group : app.get_subcommands([](const CLI::App* part) { return part->get_name().empty(); })) {
    add_flags(*group, flags);
  }
}

std::string similar_flag(const CLI::App& app, const std::string& flag) {
  std::vector<std::string> flags;
  for (const CLI::App* verb : app.get_subcommands()) add_flags(*verb, flags);
  return did_you_mean(flag.substr(0, flag.find('=')), flags);
}

/// Names the first unknown flag, or the first superfluous word.
Failure unexpected(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining(true);
  const auto flag = std::find_if(words.begin(), words.end(), [](auto& word) { return word.starts_with("-"); });
  const std::string what = flag != words.end() ? "unknown flag '" + *flag + "'" + similar_flag(app, *flag)
                                               : "unexpected argument '" + words.front() + "'";
  return {ExitCode::kUsage, with_help(what, app)};
}

}  // namespace

std::string json_target(int argc, char** argv) {
  static constexpr std::string_view kFlag = "--json";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == kFlag) return i + 1 < argc ? argv[i + 1] : "";
    if (word.starts_with(kFlag) && word[kFlag.size()] == '=') return std::string(word.substr(kFlag.size() + 1));
  }
  return {};
}

bool parse_options(int argc, char** argv, Options& o) {
  CLI::App app("Runs ONNX models with Linnet. Without a subcommand: run_model MODEL runs the model once.", "run_model");
  app.set_version_flag("--version", "run_model " LINNET_VERSION);
  const auto print_man_page = [&] {
    std::cout << man_page(app, kEnvironment);
    throw CLI::Success();
  };
  app.add_flag_callback("--man", print_man_page, "Print the manual page in roff and exit")->trigger_on_parse();
  app.require_subcommand(1);
  app.footer("run_model VERB --help lists the flags of a verb.\n" + std::string(kExitCodes));
  add_verbs(app, o);
  try {
    app.parse(reversed_arguments(app, argc, argv));
  } catch (const CLI::Success& e) {
    app.exit(e);
    return false;
  } catch (const CLI::ExtrasError&) {
    throw unexpected(app);
  } catch (const CLI::ParseError& e) {
    throw Failure(ExitCode::kUsage, with_help(e.what(), app));
  }
  const CLI::App* verb = app.get_subcommands().front();
  for (const char* flag : {"--fill", "--seed", "--range", "--shape"}) {
    const CLI::Option* option = verb->get_option_no_throw(flag);
    o.input.generate |= option && option->count() > 0;
  }
  o.model.seed = o.input.seed;
  o.input.named_dims = !o.save_memory_plan.empty();
  check_combination(o);
  return true;
}

}  // namespace linnet::tool
