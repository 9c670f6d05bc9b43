#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "adapters.h"
#include "context.h"
#include "files.h"
#include "linnet/did_you_mean.h"
#include "linnet/image.h"
#include "linnet/load.h"
#include "linnet/onnx.h"
#include "linnet/registry.h"
#include "linnet/version.h"
#include "load_errors.h"
#include "numpy_arrays.h"
#include "operator_library.h"
#include "shape_mismatch.h"
#include "values.h"

namespace linnet::python {
namespace {

/// The name of Python's exception for each kind of Error, in order. linnet/errors.py defines them.
constexpr const char* kExceptions[] = {"ModelError", "UnsupportedError", "TypeError",      "ShapeError",
                                       "IoError",    "LimitError",       "CancelledError", "InternalError"};

PyObject* exception_of(ErrorKind kind) {
  return nb::module_::import_("linnet.errors").attr(kExceptions[size_t(kind)]).ptr();
}

ErrorKind kind_of(nb::handle exception) {
  const std::string name = nb::cast<std::string>(exception.type().attr("__name__"));
  return ErrorKind(std::ranges::find(kExceptions, name) - std::begin(kExceptions));
}

void translate(const std::exception_ptr& pointer, void*) {
  try {
    std::rethrow_exception(pointer);
  } catch (const Error& error) {
    PyErr_SetString(exception_of(error.kind()), error.what());
  }
}

nb::object dim_to_python(const Dim& dim) {
  if (dim.known()) return nb::int_(dim.value());
  const std::string text = dim.text();
  return text.empty() ? nb::none() : nb::object(nb::str(text.c_str()));
}

nb::object shape_to_python(const Fact& fact) {
  if (fact.dtype == DType::kOptional) return shape_to_python(*fact.element);
  if (!fact.has_rank() || is_container(fact.dtype)) return nb::none();
  nb::list dims;
  for (const Dim& dim : *fact.dims) dims.append(dim_to_python(dim));
  return nb::tuple(dims);
}

nb::tuple words_to_python(const std::vector<std::string>& words) {
  nb::list list;
  for (const std::string& word : words) list.append(nb::str(word.c_str(), word.size()));
  return nb::tuple(list);
}

/// Returns tuples (name, "float32" or "sequence(int64)" ..., shape or None, denotations of the dims).
nb::list values_to_python(const std::vector<ValueInfo>& infos) {
  nb::list list;
  for (const ValueInfo& info : infos) {
    const std::string type = is_container(info.fact.dtype) ? str(without_shape(info.fact)) : str(info.fact.dtype);
    list.append(nb::make_tuple(info.name, type, shape_to_python(info.fact), words_to_python(info.denotation.dims)));
  }
  return list;
}

nb::dict metadata_to_python(const ModelMetadata& m) {
  nb::dict dict;
  dict["producer_name"] = m.producer_name;
  dict["producer_version"] = m.producer_version;
  dict["domain"] = m.domain;
  dict["description"] = m.description;
  dict["graph_name"] = m.graph_name;
  dict["graph_description"] = m.graph_description;
  dict["version"] = m.version;
  dict["properties"] = m.properties;
  dict["overridable"] = values_to_python(m.overridable);
  return dict;
}

/// The options of linnet.Session.
struct Options {
  int threads, optimization;
  std::vector<std::string> op_libraries, disabled_rewrites;
  int64_t max_memory, deadline_ms;
  std::optional<uint64_t> seed;
  bool profile, overridable_initializers, replaceable_weights;
  std::string cache_dir;
  bool fast_int4, batch_invariant;
  std::string precision;
  std::optional<int64_t> plan_cache_bytes;
  std::string executor;
  std::shared_ptr<PythonFiles> files;
};

std::shared_ptr<PythonFiles> files_of(nb::object files) {
  return files.is_none() ? nullptr : std::make_shared<PythonFiles>(std::move(files));
}

Options read_options(const nb::dict& values) {
  return {nb::cast<int>(values["threads"]),
          nb::cast<int>(values["optimization"]),
          nb::cast<std::vector<std::string>>(values["op_libraries"]),
          nb::cast<std::vector<std::string>>(values["disabled_rewrites"]),
          nb::cast<int64_t>(values["max_memory"]),
          nb::cast<int64_t>(values["deadline_ms"]),
          nb::cast<std::optional<uint64_t>>(values["seed"]),
          nb::cast<bool>(values["profile"]),
          nb::cast<bool>(values["overridable_initializers"]),
          nb::cast<bool>(values["replaceable_weights"]),
          nb::cast<std::string>(values["cache_dir"]),
          nb::cast<bool>(values["fast_int4"]),
          nb::cast<bool>(values["batch_invariant"]),
          nb::cast<std::string>(values["precision"]),
          nb::cast<std::optional<int64_t>>(values["plan_cache_bytes"]),
          nb::cast<std::string>(values["executor"]),
          files_of(values["files"])};
}

std::shared_ptr<Executor> make_executor(const Options& options) {
  if (options.executor == "serial" || options.threads == 1) return make_serial_executor();
  return options.executor == "openmp" ? make_openmp_executor(options.threads) : make_thread_executor(options.threads);
}

ModelOptions model_options(const Options& options) {
  ModelOptions result;
  result.optimization = options.optimization;
  result.executor = make_executor(options);
  result.disabled_rewrites.insert(options.disabled_rewrites.begin(), options.disabled_rewrites.end());
  result.limits.memory_bytes = options.max_memory;
  result.limits.deadline_ms = options.deadline_ms;
  result.overridable_initializers = options.overridable_initializers;
  result.replaceable_weights = options.replaceable_weights;
  result.cache_dir = options.cache_dir;
  result.files = options.files;
  result.fast_int4 = options.fast_int4;
  result.batch_invariant = options.batch_invariant;
  if (options.plan_cache_bytes) result.plan_cache_bytes = *options.plan_cache_bytes;
  if (options.precision == "bfloat16") result.precision = ProductPrecision::kBFloat16;
  return result;
}

void check_rewrites(const std::vector<std::string>& names, const std::vector<std::string>& known) {
  std::string all;
  for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
  for (const std::string& name : names) {
    if (std::ranges::count(known, name) > 0) continue;
    throw nb::value_error(
        str("disabled_rewrites must be names of rewrites, got '", name, "'; known: ", all, did_you_mean(name, known))
            .c_str());
  }
}

/// Loads a path, or the bytes of a file.
Model load(nb::handle model, const Options& options) {
  const ModelOptions prepared = model_options(options);
  const bool in_memory = nb::isinstance<nb::bytes>(model);
  const std::string text = in_memory ? "" : nb::cast<std::string>(model);
  const auto bytes = in_memory ? nb::cast<nb::bytes>(model) : nb::bytes("", 0);
  const nb::gil_scoped_release unlocked;
  Registry registry = standard_registry();
  for (const std::string& path : options.op_libraries) add_operator_library(registry, path);
  check_rewrites(options.disabled_rewrites, registry.rewrite_names());
  if (!in_memory) return linnet::load(text, prepared, registry);
  return load_bytes(std::as_bytes(std::span(bytes.c_str(), bytes.size())), {}, prepared, registry);
}

void make_session(Session* session, nb::object model, const nb::dict& values) {
  const Options options = read_options(values);
  std::optional<Model> loaded;
  try {
    loaded = load(model, options);
  } catch (const Error& error) {
    if (options.files) options.files->raise_from_first(exception_of(error.kind()), error.what());
    throw;
  }
  const Limits limits = loaded->options().limits;
  new (session) Session(std::move(*loaded), limits, options.seed, options.profile);
}

nb::tuple memory_to_python(const MemoryReport& report) {
  return nb::make_tuple(report.weights_bytes, report.packed_bytes, report.arena_bytes, report.scratch_bytes);
}

double us(Observer::Clock::duration duration) { return std::chrono::duration<double, std::micro>(duration).count(); }

/// Returns tuples (name, op_type, domain, begin and duration in us, thread).
nb::list profile_to_python(const Profile& profile) {
  nb::list list;
  for (const Profile::Event& e : profile.events()) {
    list.append(nb::make_tuple(e.name, e.op_type, e.domain, us(e.begin.time_since_epoch()), us(e.end - e.begin),
                               std::hash<std::thread::id>()(e.thread)));
  }
  return list;
}

void save(const Session& session, const std::string& path) {
  const nb::gil_scoped_release unlocked;
  save_onnx(session.model(), path);
}

void define_context(nb::module_& module) {
  nb::class_<StatefulContext>(
      module, "Context",
      "Runs a session whose outputs are inputs of the next run: keys and values of a decoder, the state of a "
      "recurrent\n"
      "network. Session.context() creates one. Any thread may call it; one call runs at a time, the others wait.")
      .def("run", &StatefulContext::run, nb::arg("inputs").none(), nb::arg("outputs").none() = nb::none(),
           nb::kw_only(), nb::arg("out").none() = nb::none(), nb::arg("cancellation").none() = nb::none(),
           nb::arg("deadline_ms").none() = nb::none(),
           nb::sig("def run(self, inputs: dict[str, typing.Any], "
                   "outputs: collections.abc.Iterable[str] | None = None, *, out: dict[str, typing.Any] | None = None, "
                   "cancellation: Cancellation | None = None, deadline_ms: int | None = None) "
                   "-> dict[str, typing.Any]"),
           "Runs the model with the current states. A run that fails leaves all states unchanged.\n\n"
           "Args:\n"
           "    inputs: As in Session.run(), without the states.\n"
           "    outputs: The names of the outputs to return, which are not states. None: all that are not states.\n"
           "    out: As in Session.run().\n"
           "    cancellation: As in Session.run().\n"
           "    deadline_ms: As in Session.run().\n\n"
           "Returns:\n"
           "    The outputs by name.\n\n"
           "Raises:\n"
           "    ModelError: An output is a state, or what Session.run() raises it for.\n"
           "    ShapeError: A state gets a shape that its input cannot have, or what Session.run() raises it for.\n"
           "    Error: What Session.run() raises.")
      .def("bind_state", &StatefulContext::bind_state, nb::arg("output").none(), nb::arg("input").none(),
           nb::arg("initial").none() = nb::none(), nb::kw_only(), nb::arg("capacity").none() = 0,
           nb::sig("def bind_state(self, output: str, input: str, initial: typing.Any = None, *, capacity: int = 0) "
                   "-> None"),
           "Makes an output of each run an input of the next one.\n\n"
           "A state that each run extends by a known number of rows, along any axis, grows in place: new rows are\n"
           "written into memory that doubles whenever it is full.\n\n"
           "Args:\n"
           "    output: The name of the output.\n"
           "    input: The name of the input.\n"
           "    initial: The input of the first run, an array that is copied. None, which only an overridable\n"
           "        initializer allows: the value in the file.\n"
           "    capacity: The number of rows that there is memory for from the beginning.\n\n"
           "Raises:\n"
           "    ModelError: A name is unknown or already bound.\n"
           "    TypeError: `initial` or the output has another dtype than the input.\n"
           "    ShapeError: `initial` or the output has a shape that the input cannot have.\n"
           "    UnsupportedError: The value is of strings, a container, or has elements smaller than a byte.")
      .def("state", &StatefulContext::state, nb::arg("input").none(),
           nb::sig("def state(self, input: str) -> typing.Any"),
           "Returns a copy of a state.\n\n"
           "Args:\n"
           "    input: The name of the input that the state is bound to.\n\n"
           "Returns:\n"
           "    The array that the next run gets as that input.\n\n"
           "Raises:\n"
           "    ModelError: The input is not a state.")
      .def("set_state", &StatefulContext::set_state, nb::arg("input").none(), nb::arg("value").none(),
           nb::sig("def set_state(self, input: str, value: typing.Any) -> None"),
           "Copies a value into a state.\n\n"
           "Args:\n"
           "    input: The name of the input that the state is bound to.\n"
           "    value: An array that fits the input.\n\n"
           "Raises:\n"
           "    ModelError: The input is not a state.\n"
           "    TypeError: The value has another dtype than the input.\n"
           "    ShapeError: The value has a shape that the input cannot have.")
      .def("truncate_states", &StatefulContext::truncate_states, nb::arg("length").none(),
           nb::sig("def truncate_states(self, length: int) -> None"),
           "Cuts states to their first rows, for example to take back tokens.\n\n"
           "It cuts every state that has grown along one axis or that, before the first run, can grow along only "
           "one.\n\n"
           "Args:\n"
           "    length: The number of rows to keep.\n\n"
           "Raises:\n"
           "    ShapeError: A state has fewer rows; none is cut.\n"
           "    ValueError: The length is negative.")
      .def("reset_states", &StatefulContext::reset_states, "Sets all states to their initial values.")
      .def("fork", &StatefulContext::fork,
           "Creates a context with a copy of the states, which change independently from then on; for beam search.\n\n"
           "Returns:\n"
           "    The new context.");
}

nb::object image_pixels(const std::string& path) {
  const Image image = [&] {
    const nb::gil_scoped_release unlocked;
    return read_image(path);
  }();
  Tensor pixels(DType::kUint8, {image.height, image.width, 3});
  std::copy(image.rgb.begin(), image.rgb.end(), pixels.data<uint8_t>());
  return to_python(pixels);
}

/// Defines what linnet.onnxruntime shares with the library that implements ONNX Runtime's C ABI.
void define_onnxruntime_terms(nb::module_& module) {
  module.def(
      "onnxruntime_load_failure",
      [](nb::handle error, const std::string& path) {
        const std::string message = nb::cast<std::string>(nb::str(error));
        const ort::Failure failure = ort::load_failure(Error(kind_of(error), message), path);
        return nb::make_tuple(int(failure.code()), failure.what());
      },
      nb::arg("error"), nb::arg("path"),
      nb::sig("def onnxruntime_load_failure(error: Exception, path: str) -> tuple[int, str]"));
  module.def(
      "onnxruntime_shape_mismatch",
      [](const std::string& name, const std::vector<int64_t>& dims, const std::vector<int64_t>& shape) {
        Dims wanted;
        for (const int64_t dim : dims) wanted.push_back(dim < 0 ? Dim() : Dim(dim));
        return ort::shape_mismatch("input", name, Fact(DType::kUndefined, wanted), Shape(shape));
      },
      nb::arg("name"), nb::arg("dims"), nb::arg("shape"));
}

}  // namespace

NB_MODULE(_linnet, module) {
  module.attr("version") = LINNET_VERSION;
  module.def("set_dtypes", &set_dtypes,
             nb::sig("def set_dtypes(numpys: dict[int, numpy.dtype[typing.Any]], "
                     "load_all: collections.abc.Callable[[], dict[int, numpy.dtype[typing.Any]]]) -> None"));
  module.def(
      "did_you_mean",
      [](const std::string& name, const std::vector<std::string>& known) { return did_you_mean(name, known); },
      nb::arg("name"), nb::arg("known"));
  module.def("read_image", &image_pixels, nb::arg("path"), nb::sig("def read_image(path: str) -> typing.Any"));
  nb::register_exception_translator(translate);
  nb::class_<CancellationToken>(
      module, "Cancellation",
      "Cancels runs from any thread. A cancelled token stays cancelled; later runs need another one.")
      .def(nb::init<>())
      .def("cancel", &CancellationToken::cancel,
           "Cancels all runs that have this token: they end after the node that runs, with CancelledError.")
      .def_prop_ro("cancelled", &CancellationToken::cancelled, "Whether cancel() was called.");
  nb::class_<Session>(module, "Session")
      .def("__init__", &make_session,
           nb::sig("def __init__(self, model: str | bytes, options: dict[str, typing.Any]) -> None"))
      .def("run", &Session::run, nb::arg("inputs").none(), nb::arg("outputs").none(), nb::arg("out").none(),
           nb::arg("cancellation").none(), nb::arg("deadline_ms").none(),
           nb::sig("def run(self, inputs: dict[str, typing.Any], outputs: collections.abc.Iterable[str] | None, "
                   "out: dict[str, typing.Any] | None, cancellation: Cancellation | None, deadline_ms: int | None) "
                   "-> dict[str, typing.Any]"))
      .def("prepare", &Session::prepare)
      .def_prop_ro(
          "memory", [](Session& s) { return memory_to_python(s.memory()); },
          nb::sig("def memory(self) -> tuple[int, int, int, int]"))
      .def("with_weights", &Session::with_weights,
           nb::sig("def with_weights(self, weights: dict[str, typing.Any]) -> Session"))
      .def("context", [](const Session& s) { return std::make_unique<StatefulContext>(s); })
      .def("save", &save, nb::arg("path"))
      .def_prop_ro(
          "profile", [](const Session& s) { return profile_to_python(s.profile()); },
          nb::sig("def profile(self) -> list[tuple[str, str, str, float, float, int]]"))
      .def_prop_ro(
          "inputs", [](const Session& s) { return values_to_python(s.model().inputs()); },
          nb::sig("def inputs(self) -> list[tuple[str, str, tuple[int | str | None, ...] | None, tuple[str, ...]]]"))
      .def_prop_ro(
          "outputs", [](const Session& s) { return values_to_python(s.model().outputs()); },
          nb::sig("def outputs(self) -> list[tuple[str, str, tuple[int | str | None, ...] | None, tuple[str, ...]]]"))
      .def_prop_ro(
          "metadata", [](const Session& s) { return metadata_to_python(s.model().metadata()); },
          nb::sig("def metadata(self) -> dict[str, typing.Any]"));
  define_context(module);
  define_onnxruntime_terms(module);
  define_adapters(module);
}

}  // namespace linnet::python
