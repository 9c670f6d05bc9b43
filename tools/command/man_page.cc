#include "command/man_page.h"

#include <CLI/CLI.hpp>
#include <map>
#include <sstream>

namespace linnet::tool {
namespace {

/// Text that roff prints literally: hyphens stay hyphens, and no line is interpreted as a request.
std::string literal(const std::string& text) {
  std::string result = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) result += c == '-' ? "\\-" : c == '\\' ? "\\e" : c == '\n' ? "\n.br\n" : std::string(1, c);
  return result;
}

/// "-x, --threads": the names of an option, or the name of an argument.
std::string names(const CLI::Option& option) {
  std::string text;
  for (const std::string& name : option.get_snames()) text += (text.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames()) text += (text.empty() ? "--" : ", --") + name;
  return text.empty() ? option.get_type_name() : text;
}

void write_option(std::ostream& out, const CLI::Option& option) {
  const std::string type =
      option.get_positional() || option.get_items_expected_max() == 0 ? "" : option.get_type_name();
  out << ".TP\n\\fB" << literal(names(option)) << "\\fR" << (type.empty() ? "" : " \\fI" + literal(type) + "\\fR");
  out << "\n" << literal(option.get_description());
  if (!option.get_default_str().empty()) out << " (default: " << literal(option.get_default_str()) << ")";
  out << "\n";
}

/// Writes the options of a verb, or of a group of options.
void write_options(std::ostream& out, const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) write_option(out, *option);
  }
}

void write_section(std::ostream& out, const std::string& title, const std::string& text) {
  out << ".SH " << title << "\n" << literal(text) << "\n";
}

bool is_group(const CLI::App* app) { return app->get_name().empty(); }
bool is_verb(const CLI::App* app) { return !is_group(app); }

void write_synopsis(std::ostream& out, const CLI::App& verb) {
  out << ".B " << verb.get_parent()->get_name() << " " << verb.get_name() << "\n[\\fIOPTION\\fR...]";
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_positional()) out << " \\fI" << option->get_type_name() << "\\fR";
  }
  out << "\n.br\n";
}

/// Writes each group once, even if several verbs have it.
void write_groups(std::ostream& out, const std::vector<const CLI::App*>& verbs) {
  std::map<std::string, std::string> verbs_of;
  std::map<std::string, const CLI::App*> groups;
  for (const CLI::App* verb : verbs) {
    for (const CLI::App* group : verb->get_subcommands(is_group)) {
      verbs_of[group->get_group()] += " " + verb->get_name();
      groups[group->get_group()] = group;
    }
  }
  for (const auto& [name, group] : groups) {
    write_section(out, literal(name) + " options", "Of the verbs" + verbs_of[name] + ":");
    write_options(out, *group);
  }
}

}  // namespace

std::string man_page(const CLI::App& app, const std::string& environment) {
  std::ostringstream out;
  const std::vector<const CLI::App*> verbs = app.get_subcommands(is_verb);
  out << ".TH " << app.get_name() << " 1\n.SH NAME\n" << app.get_name() << " \\- run ONNX models\n.SH SYNOPSIS\n";
  for (const CLI::App* verb : verbs) write_synopsis(out, *verb);
  write_section(out, "DESCRIPTION", app.get_description());
  write_options(out, app);
  for (const CLI::App* verb : verbs) {
    write_section(out, verb->get_name(), verb->get_description());
    write_options(out, *verb);
  }
  write_groups(out, verbs);
  write_section(out, "EXIT STATUS", verbs.front()->get_footer());
  write_section(out, "ENVIRONMENT", environment);
  return out.str();
}

}  // namespace linnet::tool
