#include "weights.h"

#include <optional>
#include <utility>

#include "json.h"
#include "linnet/error.h"
#include "onnx/file_contents.h"
#include "program_reader.h"
#include "storage_view.h"
#include "tensor/bool_bytes.h"

namespace linnet::pt2 {

namespace {

// Limits on the bytes read and copied for views in all: kMostCopiedBytes plus kMostCopies times the bytes of the
// archive. A small file may name a storage often, or repeat its elements by strides of 0.
constexpr int64_t kMostCopiedBytes = int64_t{256} << 20;
constexpr int64_t kMostCopies = 16;

int64_t plain_size(const SymExpr& expr, JsonRef json) {
  if (!expr.is_integer()) json.fail(str("a stored tensor has sizes of numbers only, got ", expr.describe()));
  return expr.integer();
}

StorageView view_of(JsonRef json) {
  const TensorMeta meta = ProgramReader(Limits{}).tensor_meta(json);
  StorageView view{.dtype = meta.dtype};
  for (const SymExpr& size : meta.sizes) view.shape.push_back(plain_size(size, json));
  for (const SymExpr& stride : meta.strides) view.strides.push_back(plain_size(stride, json));
  view.offset = plain_size(meta.storage_offset, json);
  return view;
}

/// Returns the numbers that define a view.
std::vector<int64_t> numbers_of(const StorageView& view) {
  std::vector<int64_t> numbers{int64_t(view.dtype), view.offset};
  numbers.insert(numbers.end(), view.shape.begin(), view.shape.end());
  numbers.insert(numbers.end(), view.strides.begin(), view.strides.end());
  return numbers;
}

/// Weights or constants: a folder with a table that describes its members.
class Payloads {
 public:
  Payloads(const Archive& archive, std::string folder, const std::string& config)
      : archive_(archive), folder_(std::move(folder)) {
    const std::string name = str(folder_, config);
    if (!archive.contains(name)) return;
    text_ = archive.member(name);
    document_.emplace(name, text_.bytes);
    document_->root().at("config").for_members(
        [&](std::string_view weight, JsonRef payload) { payloads_.emplace(weight, payload); });
  }

  Tensor tensor(const std::string& name) {
    const auto found = payloads_.find(name);
    if (found == payloads_.end())
      throw Error(ErrorKind::kModel, str("'", name, "' is not among the files of ", folder_));
    check_readable(found->second);
    const JsonRef meta = found->second.at("tensor_meta");
    const StorageView view = view_of(meta);
    const std::string path = folder_ + std::string(found->second.at("path_name").text());
    Tensor& tensor = tensors_[{path, numbers_of(view)}];
    if (!tensor) tensor = read(name, path, view);
    return tensor;
  }

 private:
  static void check_readable(JsonRef payload) {
    const auto pickled = payload.find("use_pickle");
    if (!(pickled && pickled->boolean()) && payload.find("tensor_meta")) return;
    payload.fail(
        "is a pickle, which only Python can read: a tensor subclass (one quantized by torchao, for example) or an "
        "object: save the model with plain tensors",
        ErrorKind::kUnsupported);
  }

  Tensor read(const std::string& name, const std::string& path, const StorageView& view) {
    const ZipEntry* const entry = archive_.find(path);
    if (!entry) throw Error(ErrorKind::kModel, str("'", name, "': the archive has no member '", path, "'"));
    check_bytes(name, *entry, view);
    return is_dense(view) ? dense(name, *entry, view) : copied(name, *entry, view);
  }

  static void check_bytes(const std::string& name, const ZipEntry& entry, const StorageView& view) {
    const auto needed = int64_t(dtype_bytes(view.dtype, needed_elements(view)));
    if (entry.bytes == 0 && needed > 0) {
      throw Error(ErrorKind::kUnsupported, str("'", name,
                                               "' has no data: the program was saved with fake tensors; save "
                                               "it with its weights"));
    }
    if (needed > entry.bytes) {
      throw Error(ErrorKind::kModel, str("'", name, "': ", entry.name, " has ", entry.bytes, " bytes, ", view.dtype,
                                         view.shape, " needs ", needed));
    }
  }

  void count(const std::string& name, int64_t bytes) {
    copied_bytes_ = checked_add(copied_bytes_, bytes);
    const int64_t limit = checked_add(kMostCopiedBytes, checked_mul(kMostCopies, archive_.source()->size()));
    if (copied_bytes_ <= limit) return;
    throw Error(ErrorKind::kLimit, str("'", name, "': weights that are views of others take more than ", limit,
                                       " bytes in all; save them as separate tensors"));
  }

  /// Returns the bytes of a member from the view's first element to its last one.
  MemberBytes storage_of(const ZipEntry& entry, const StorageView& view) const {
    const auto begin = int64_t(dtype_bytes(view.dtype, view.offset));
    const int64_t bytes = int64_t(dtype_bytes(view.dtype, needed_elements(view))) - begin;
    return archive_.part(entry, begin, bytes);
  }

  Tensor copied(const std::string& name, const ZipEntry& entry, const StorageView& view) {
    if (view.shape.elements() == 0) return Tensor(view.dtype, view.shape);
    count(name, int64_t(dtype_bytes(view.dtype, needed_elements(view) - view.offset)));
    count(name, int64_t(dtype_bytes(view.dtype, view.shape.elements())));
    return normalized_bools(dense_copy(view, storage_of(entry, view).bytes.data()));
  }

  Tensor dense(const std::string& name, const ZipEntry& entry, const StorageView& view) {
    if (view.shape.elements() == 0) return Tensor(view.dtype, view.shape);
    const auto begin = int64_t(dtype_bytes(view.dtype, view.offset));
    if (archive_.shares_bytes()) return shared(name, entry, view);
    const int64_t offset = entry.offset + begin;
    if (const Tensor later = FileContents::tensor(archive_.source(), offset, view.dtype, view.shape, name))
      return later;
    Tensor tensor(view.dtype, view.shape);
    count(name, int64_t(tensor.bytes()));
    archive_.source()->read({static_cast<std::byte*>(tensor.raw()), tensor.bytes()}, offset);
    return normalized_bools(tensor);
  }

  Tensor shared(const std::string& name, const ZipEntry& entry, const StorageView& view) {
    const MemberBytes storage = storage_of(entry, view);
    const auto alignment = uintptr_t(dtype_bits(view.dtype)) / 8;
    if (reinterpret_cast<uintptr_t>(storage.bytes.data()) % alignment != 0) return copied(name, entry, view);
    auto* const data = const_cast<std::byte*>(storage.bytes.data());
    return normalized_bools(Tensor::share(view.dtype, view.shape, data, storage.owner));
  }

  const Archive& archive_;
  std::string folder_;
  MemberBytes text_;
  std::optional<JsonDocument> document_;
  std::map<std::string, JsonRef> payloads_;
  std::map<std::pair<std::string, std::vector<int64_t>>, Tensor> tensors_;  // by member and view
  int64_t copied_bytes_ = 0;
};

/// Whether the stored tensor fits the declaration of a value of the graph.
bool fits(const TensorMeta& meta, const Tensor& tensor) {
  bool same = meta.dtype == tensor.dtype() && meta.sizes.size() == size_t(tensor.rank());
  for (int i = 0; same && i < tensor.rank(); ++i) {
    const SymExpr& size = meta.sizes[size_t(i)];
    same = !size.is_integer() || size.integer() == tensor.dim(i);
  }
  return same;
}

std::string printed(const TensorMeta& meta) {
  std::string sizes;
  for (const SymExpr& size : meta.sizes) sizes += str(sizes.empty() ? "" : ",", size.describe());
  return str(meta.dtype, '[', sizes, ']');
}

void check_fits(const Program& program, const InputSpec& spec, const Tensor& tensor) {
  const TensorName* const value = spec.argument.get<TensorName>();
  const auto found = program.graph.tensor_values.find(value ? value->name : std::string());
  const bool known = found != program.graph.tensor_values.end();
  if (known && fits(found->second, tensor)) return;
  throw Error(ErrorKind::kModel, str("'", spec.target, "' is stored as ", describe(tensor), ", the graph expects ",
                                     known ? printed(found->second) : std::string("no tensor")));
}

}  // namespace

std::map<std::string, Tensor> read_weights(const Archive& archive, const Program& program) {
  using Kind = InputSpec::Kind;
  Payloads weights(archive, "data/weights/", str(program.name, "_weights_config.json"));
  Payloads constants(archive, "data/constants/", str(program.name, "_constants_config.json"));
  std::map<std::string, Tensor> tensors;
  for (const InputSpec& spec : program.input_specs) {
    if (spec.kind == Kind::kCustomObject) {
      throw Error(ErrorKind::kUnsupported, str("'", spec.target,
                                               "' is an object of a class of TorchBind, which only "
                                               "PyTorch can read: export the model without it"));
    }
    const bool weight = spec.kind == Kind::kParameter || (spec.kind == Kind::kBuffer && spec.persistent);
    const bool constant = spec.kind == Kind::kTensorConstant || (spec.kind == Kind::kBuffer && !spec.persistent);
    if (!weight && !constant) continue;
    const Tensor tensor = (weight ? weights : constants).tensor(spec.target);
    check_fits(program, spec, tensor);
    const auto [at, added] = tensors.emplace(spec.target, tensor);
    if (!added && at->second.address() != tensor.address()) {
      throw Error(ErrorKind::kModel, str("'", spec.target, "' is the name of two tensors"));
    }
  }
  return tensors;
}

}  // namespace linnet::pt2
