#include "inspect/memory_picture.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "inspect/svg.h"
#include "report/report.h"

namespace linnet::tool {
namespace {

constexpr double kLeft = 120, kRight = 90, kTop = 122, kHeight = 440, kBottom = 215;
constexpr double kLeastWidth = 880;  // required by the captions
constexpr double kLabelPitch = 14;   // between the names of nodes that do not touch
constexpr double kLetter = 6;        // approximate width of a letter
constexpr size_t kLabelLetters = 32;
constexpr const char* kStyleSheet =
    "text{font:11px sans-serif;fill:#333}.title{font-size:17px;font-weight:bold}.caption{font-size:12px}"
    ".number{font-size:9px;text-anchor:middle}.middle{text-anchor:middle}.end{text-anchor:end}"
    ".axis{stroke:#333}.grid{stroke:#e4e4e4}"
    ".peak{stroke:#c00;stroke-dasharray:5 3}text.peak{stroke:none;fill:#c00;font-weight:bold}"
    ".value rect{stroke:#fff;stroke-width:.7}.apart rect{stroke:#333;stroke-dasharray:2 2}"
    ".value:hover rect{stroke:#000;stroke-width:1.5}.value text{fill:#111}";
// Okabe and Ito's colours, which colour-blind people can distinguish, lightened so that black text is readable on them.
constexpr const char* kColours[]{"#8cc8ee", "#f2c14e", "#66c2a5", "#e8a0bf", "#f0955c", "#9db4e8", "#f0e676"};
constexpr const char* kOtherColour = "#cfcfcf";

std::string counted(size_t n, const char* what) { return str(n, " ", what, n == 1 ? "" : "s"); }

/// Powers of two and their multiples need at most four digits.
std::string tick_text(int64_t bytes) {
  static constexpr const char* kUnits[]{"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  double value = double(bytes);
  for (; value >= 1024 && unit < 4; ++unit) value /= 1024;
  return format("%.4g %s", value, kUnits[unit]);
}

/// The colours of operators. The operators whose values take the most bytes over the most nodes have separate colours.
class Colours {
 public:
  explicit Colours(const MemoryMap& map) {
    std::map<std::string, double> area;
    for (const PlacedValue& value : map.values) {
      area[map.nodes[size_t(value.written)].op_type] += double(value.bytes) * (value.end - value.written);
    }
    std::vector<std::pair<std::string, double>> order(area.begin(), area.end());
    std::stable_sort(order.begin(), order.end(), [](auto& a, auto& b) { return a.second > b.second; });
    for (const auto& [op_type, bytes] : order) {
      legend_.emplace_back(op_type, kColours[legend_.size()]);
      if (legend_.size() == std::size(kColours)) break;
    }
    has_others_ = order.size() > legend_.size();
  }

  const char* of(const std::string& op_type) const {
    const auto found =
        std::find_if(legend_.begin(), legend_.end(), [&](auto& entry) { return entry.first == op_type; });
    return found == legend_.end() ? kOtherColour : found->second;
  }
  void draw_legend(Svg& svg) const {
    double x = 20;
    for (const auto& [op_type, colour] : legend_) x = draw_entry(svg, x, without_begin(op_type, 28), colour);
    if (has_others_) draw_entry(svg, x, "other operators", kOtherColour);
  }

 private:
  static double draw_entry(Svg& svg, double x, const std::string& name, const char* colour) {
    svg.rectangle(x, 83, 12, 12, colour);
    svg.text(x + 17, 93, "key", name);
    return x + 36 + kLetter * double(length_of(name));
  }

  std::vector<std::pair<std::string, const char*>> legend_;
  bool has_others_;
};

class Picture {
 public:
  Picture(const MemoryMap& map, double cell)
      : map_(map),
        colours_(map),
        cell_(cell),
        width_(std::max(kLeastWidth, right() + kRight)),
        svg_(width_, kTop + kHeight + kBottom, kStyleSheet) {}

  std::string draw(const std::string& model, const MemoryReport& memory) {
    draw_captions(model, memory);
    colours_.draw_legend(svg_);
    draw_bytes_axis();
    draw_nodes_axis();
    for (const PlacedValue& value : map_.values) draw_value(value);
    draw_peak();
    return svg_.file();
  }

 private:
  double x(double node) const { return kLeft + node * cell_; }
  double y(int64_t bytes) const { return kTop + kHeight - kHeight * double(bytes) / std::max(1.0, double(map_.bytes)); }
  double right() const { return x(double(map_.nodes.size())); }

  std::string node_name(int node) const {
    const MemoryMap::Node& n = map_.nodes[size_t(node)];
    return str("node ", node, ": ", n.op_type, n.name.empty() ? "" : " '" + n.name + "'");
  }

  void draw_captions(const std::string& model, const MemoryReport& memory) {
    svg_.text(20, 30, "title", "Memory plan of " + without_end(model, 80));
    svg_.text(20, 52, "caption",
              counted(map_.nodes.size(), "node") + ", " + counted(map_.values.size(), "value") + "; arena " +
                  human_bytes(map_.arena_bytes) + ", of which values take at most " + human_bytes(map_.peak_bytes) +
                  " at a time; outputs, in separate memory, " + human_bytes(map_.bytes - map_.arena_bytes));
    svg_.text(20, 70, "caption",
              "not shown: weights " + human_bytes(memory.weights_bytes) + " + packed " +
                  human_bytes(memory.packed_bytes) + ", scratch " + human_bytes(memory.scratch_bytes) +
                  ", inputs, which are the caller's");
  }

  void draw_bytes_axis() {
    int64_t tick = 64;
    while (tick * 10 < map_.bytes) tick *= 2;
    for (int64_t bytes = 0; bytes <= map_.bytes; bytes += tick) {
      svg_.line(kLeft, y(bytes), right(), y(bytes), "grid");
      svg_.text(kLeft - 8, y(bytes) + 4, "end", tick_text(bytes));
      svg_.text(right() + 8, y(bytes) + 4, "begin", tick_text(bytes));
    }
    svg_.line(kLeft, kTop, kLeft, kTop + kHeight, "axis");
    svg_.text(30, kTop + kHeight / 2, "middle", "offset in memory", -90);
  }

  void draw_nodes_axis() {
    constexpr double kBase = kTop + kHeight;
    svg_.line(kLeft, kBase, right(), kBase, "axis");
    const int every = std::max(1, int(std::ceil(kLabelPitch / cell_)));
    const int numbered = cell_ >= 2 * kLabelPitch ? 1 : 5 * every;
    for (int i = 0; i < int(map_.nodes.size()); i += every) {
      const double middle = x(i + 0.5);
      svg_.line(middle, kBase, middle, kBase + 4, "axis");
      if (i % numbered == 0) svg_.text(middle, kBase + 14, "number", std::to_string(i));
      svg_.begin_group("node", node_name(i));
      svg_.text(middle + 3, kBase + 26, "end", label(map_.nodes[size_t(i)]), -60);
      svg_.end_group();
    }
  }
  static std::string label(const MemoryMap::Node& node) {
    const std::string op_type = without_begin(node.op_type, kLabelLetters);
    const size_t letters = length_of(op_type);
    if (node.name.empty() || letters + 5 > kLabelLetters) return op_type;
    return op_type + " " + without_begin(node.name, kLabelLetters - letters - 1);
  }

  void draw_value(const PlacedValue& value) {
    const double left = x(value.written), top = y(value.offset + value.bytes);
    const double width = x(value.end) - left, height = y(value.offset) - top;
    svg_.begin_group(value.apart ? "value apart" : "value", tooltip(value));
    svg_.rectangle(left, top, width, height, colours_.of(map_.nodes[size_t(value.written)].op_type));
    const double letters = (width - 8) / kLetter, middle = top + height / 2 + 4;
    const std::string shape = str(value.shape);
    const bool two_lines = height >= 28 && letters >= double(shape.size());
    if (height >= 14 && letters >= 4) {
      svg_.text(left + 4, middle - (two_lines ? 7 : 0), "name", without_end(value.name, size_t(letters)));
    }
    if (two_lines) svg_.text(left + 4, middle + 7, "shape", shape);
    svg_.end_group();
  }
  std::string tooltip(const PlacedValue& value) const {
    return str(value.name, "\n", value.dtype, value.shape, ", ", value.bytes, " bytes (", human_bytes(value.bytes),
               ") ", value.apart ? "in separate memory" : str("at ", value.offset), "\nwritten by ",
               node_name(value.written), "\n", last_reader(value));
  }
  std::string last_reader(const PlacedValue& value) const {
    if (value.read == int(map_.nodes.size())) return "kept to the end";
    return value.read == value.written ? "read by no node" : "read last by " + node_name(value.read);
  }

  void draw_peak() {
    if (map_.peak_bytes == 0) return;
    const double middle = x(map_.peak_node + 0.5);
    const bool in_front = middle > width_ / 2;
    svg_.line(middle, kTop - 4, middle, kTop + kHeight, "peak");
    svg_.text(middle + (in_front ? -4 : 4), kTop - 7, in_front ? "peak end" : "peak",
              "peak " + human_bytes(map_.peak_bytes) + ", " + without_end(node_name(map_.peak_node), 60));
  }

  const MemoryMap& map_;
  Colours colours_;
  double cell_, width_;
  Svg svg_;
};

/// The width of a node. It suffices for the names of all nodes unless there are very many.
double node_width(size_t nodes) {
  constexpr double kNamed = 600;
  const double n = std::max(1.0, double(nodes));
  return n <= kNamed ? std::clamp(1000 / n, kLabelPitch, 70.0) : std::max(kNamed * kLabelPitch / n, 1.0);
}

}  // namespace

std::string memory_picture(const std::string& model, const MemoryMap& map, const MemoryReport& memory) {
  return Picture(map, node_width(map.nodes.size())).draw(model, memory);
}

}  // namespace linnet::tool
