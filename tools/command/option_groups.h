#pragma once

#include <CLI/CLI.hpp>

#include "command/options.h"

namespace linnet::tool {

// Checks of values. Each of them rejects NaN.
CLI::Validator positive();
CLI::Validator not_negative();
CLI::Validator percent(int least);
CLI::Validator number();
/// From 0 to 2^64 - 1.
CLI::Validator unsigned_number();

// Flags that several verbs share.
void add_load_flags(CLI::App& verb, ModelFlags& flags);
void add_model_flags(CLI::App& verb, ModelFlags& flags);
void add_generator_flags(CLI::App& verb, InputFlags& flags);
void add_input_flags(CLI::App& verb, InputFlags& flags);
void add_accuracy_flags(CLI::App& verb, AccuracyFlags& flags);
void add_profile_flags(CLI::App& verb, Options& options);

}  // namespace linnet::tool
