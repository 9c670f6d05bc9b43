#include "model_cache.h"

#include <sys/random.h>

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <sstream>

#include "build_id.h"
#include "compile/pack_files.h"
#include "environment/sealed_file.h"
#include "file.h"
#include "kernels/isa.h"
#include "model_message.h"
#include "prepare_model.h"
#include "tensor/checksum.h"

namespace linnet {

namespace {

namespace fs = std::filesystem;

constexpr size_t kChecksumBytes = size_t{1} << 20;

/// Returns all settings that affect a prepared model, besides its contents. The number of threads does not.
std::string settings_of(const ModelOptions& options) {
  std::string text =
      str(build_id(), ' ', isa_name(resolve_isa(options.isa)), ' ', options.optimization, ' ', options.winograd_tile,
          ' ', options.fast_int4, ' ', options.batch_invariant, ' ', int(options.precision), ' ', options.guard_memory,
          ' ', options.allow_external_paths, ' ', options.allow_newer_opset, ' ', options.limits.file_bytes, ' ',
          options.limits.nodes, ' ', options.limits.depth, ' ', options.limits.memory_bytes);
  for (const std::string& rewrite : options.disabled_rewrites) text += ' ' + rewrite;
  return text;
}

/// Returns why a model cannot use the cache, or nullptr if it can.
const char* refusal(const ModelOptions& options, const Registry& registry) {
  if (options.replaceable_weights) return "with replaceable weights";
  if (options.overridable_initializers) return "with overridable initializers";
  if (options.files) return "with files that the program reads";
  if (options.external_data) return "with external data that the program provides";
  if (options.initializers) return "with initializers that the program provides";
  if (build_id().empty()) return "by a build of Linnet without a build id (-Wl,--build-id)";
  if (!registry.standard()) return "with operators besides Linnet's own";
  return nullptr;
}

struct Entry {
  SealedFile model, constants;
};

class Cache {
 public:
  /// `model_folder`: the folder of external data.
  Cache(const ModelOptions& options, const Registry& registry, const std::string& model_folder)
      : options_(options),
        registry_(registry),
        folder_(options.cache_dir),
        settings_(settings_of(options)),
        external_(model_folder, options) {
    std::error_code failed;
    const fs::path known = fs::canonical(model_folder, failed);
    model_folder_ = failed ? model_folder : known.string();
    fs::create_directories(folder_ / "files");
    read_secret();
  }

  /// Returns the key of an entry, from the file's identity or from the contents of a model in memory; empty if unknown.
  std::string key_of(const ByteSource& source) const {
    if (dynamic_cast<const MemorySource*>(&source)) return key_of(source, {});
    const std::string identity = source.identity();
    return identity.empty() ? "" : key_of_file(identity);
  }

  std::optional<Model> load(const std::string& key) const {
    const auto entry = find(key);
    if (!entry) return {};
    const auto& [model, constants] = *entry;
    LoadReport report;
    std::istringstream(model.text.substr(key.size())) >> report.nodes >> report.opset;
    return prepare_model({.parsed = parse_model(std::make_unique<MemorySource>(model.bytes), {}),
                          .external = ExternalData({constants.bytes, constants.owner}),
                          .limits = {},
                          .report = report,
                          .packs = std::make_shared<PackFiles>(folder_ / key, key, constants)},
                         options_, registry_);
  }

  /// Makes the entry of a model that was loaded from these files, which are read again. Returns its key. `state` is the
  /// source's state before loading. Throws Error(kIo) if files have changed since then.
  std::string save(const Model& model, const ByteSource& source, const std::string& state,
                   const ExternalFiles& files) const {
    const std::string key = key_of(source, files);
    check_unchanged(source, state, files);
    if (!find(key)) save_entry(model, key);
    const std::string identity = source.identity();
    if (identity == state && !identity.empty()) save_file(identity, key, files);
    return key;
  }

 private:
  void read_secret() {
    const std::string path = folder_ / "secret";
    auto secret = map_sealed(path);
    if (!secret || secret->bytes.size() != Checksummer::kSecretBytes) {
      std::array<std::byte, Checksummer::kSecretBytes> random{};
      if (::getrandom(random.data(), random.size(), 0) != ssize_t(random.size())) {
        throw Error(ErrorKind::kIo, "the system has no random numbers");
      }
      write_sealed(path, "", {random});
      secret = map_sealed(path);
    }
    if (!secret) throw Error(ErrorKind::kIo, str("cannot read '", path, "'"));
    secret_ = *secret;
  }

  std::string key_of(const ByteSource& source, const ExternalFiles& files) const {
    Checksummer sum(secret_.bytes);
    sum.add(settings_);
    add(source, sum);
    for (const auto& [location, file] : files) {
      sum.add(location);
      add(File(file.path), sum);
    }
    return sum.result().hex();
  }

  void check_unchanged(const ByteSource& source, const std::string& state, const ExternalFiles& files) const {
    bool same = source.state() == state;
    for (const auto& [location, file] : files) {
      const std::string path = external_.resolve(location);
      same = same && path == file.path && File(path).state() == file.state;
    }
    if (!same) throw Error(ErrorKind::kIo, "not used for a model whose files change while it is loaded");
  }

  static void add(const ByteSource& source, Checksummer& sum) {
    std::vector<std::byte> part(kChecksumBytes);
    int64_t offset = 0;
    while (const size_t got = source.read_some(part.data(), part.size(), offset)) {
      sum.add(std::span<const std::byte>(part).first(got));
      offset += int64_t(got);
    }
    sum.add(str(offset));
  }

  std::string file_path(const std::string& identity) const {
    Checksummer sum(secret_.bytes);
    sum.add(settings_);
    sum.add(model_folder_);
    sum.add(identity);
    return folder_ / "files" / sum.result().hex();
  }

  // The text holds the identity, the entry, and then the identity and location of each file of external data. Each
  // location is resolved again on every call, because links change.
  std::string key_of_file(const std::string& identity) const {
    const auto file = map_sealed(file_path(identity));
    std::istringstream lines(file ? file->text : "");
    std::string text, key;
    if (!std::getline(lines, text) || text != identity) return {};
    std::getline(lines, key);
    for (std::string location; std::getline(lines, text) && std::getline(lines, location);) {
      if (external_identity(location) != text) return {};
    }
    return key;
  }

  /// Returns an empty text if the location leads to no file; loading reports the reason.
  std::string external_identity(const std::string& location) const {
    try {
      return File(external_.resolve(location)).identity();
    } catch (const Error&) {
      return {};
    }
  }

  void save_file(const std::string& identity, const std::string& key, const ExternalFiles& files) const {
    std::string text = str(identity, '\n', key, '\n');
    for (const auto& [location, file] : files) {
      const std::string external = external_identity(location);
      if (external != file.state || location.find('\n') != std::string::npos) return;
      text += str(external, '\n', location, '\n');
    }
    write_sealed(file_path(identity), text, {});
  }

  std::optional<Entry> find(const std::string& key) const {
    auto model = map_sealed(folder_ / key / "model"), constants = map_sealed(folder_ / key / "constants");
    if (!model || !constants || constants->text != key || !model->text.starts_with(key)) return {};
    return Entry{std::move(*model), std::move(*constants)};
  }

  void save_entry(const Model& model, const std::string& key) const {
    const fs::path folder = folder_ / key;
    fs::create_directories(folder);
    ConstantParts constants;
    const std::string bytes = model_message(model, &constants).SerializeAsString();
    const LoadReport& report = model.load_report();
    write_sealed(folder / "constants", key, constants.parts);
    write_sealed(folder / "model", str(key, ' ', report.nodes, ' ', report.opset), {std::as_bytes(std::span(bytes))});
  }

  const ModelOptions& options_;
  const Registry& registry_;
  fs::path folder_;
  std::string settings_, model_folder_;
  ExternalData external_;
  SealedFile secret_;
};

/// Runs f and logs its errors as warnings: without the cache, the model still loads.
void in_cache(const ModelOptions& options, const std::function<void()>& f) {
  const auto warn = [&](const std::string& message) {
    if (options.log) options.log(LogLevel::kWarning, str("cache '", options.cache_dir, "': ", message));
  };
  try {
    f();
  } catch (const Error& error) {
    warn(error.message());
  } catch (const fs::filesystem_error& error) {
    warn(error.what());
  }
}

}  // namespace

Model load_with_cache(std::unique_ptr<const ByteSource> source, Format format, const std::string& folder,
                      const ModelOptions& options, const Registry& registry) {
  std::optional<Cache> cache;
  std::optional<Model> cached;
  const std::string state = source->state();
  in_cache(options, [&] {
    if (const char* reason = refusal(options, registry)) throw Error(ErrorKind::kUnsupported, str("not used ", reason));
    cache.emplace(options, registry, folder);
    if (!begins_as(*source, format)) return;
    if (const std::string key = cache->key_of(*source); !key.empty()) cached = cache->load(key);
  });
  if (cached) return *cached;
  ExternalFiles files;
  ParsedModel parsed = read_model(std::move(source), format, options.limits);
  const std::shared_ptr<const ByteSource> bytes = parsed.source;
  Model model = prepare_model({std::move(parsed), {folder, options}, options.limits}, options, registry, &files);
  in_cache(options, [&] {
    if (!cache) return;
    if (!model.metadata().overridable.empty()) {
      throw Error(ErrorKind::kUnsupported, "not used for models that list initializers as inputs");
    }
    cached = cache->load(cache->save(model, *bytes, state, files));
  });
  return cached ? *cached : model;
}

}  // namespace linnet
