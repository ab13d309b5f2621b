#include "lab/map_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "lab/svg_text.hpp"
#include "lab/text_table.hpp"
#include "sim/expand.hpp"
#include "sim/notation.hpp"
#include "sim/plural.hpp"

namespace whybits {
namespace {

/// Colours that differ in lightness too (Okabe, Ito), again after eight.
constexpr std::array start_colours{"#56B4E9", "#E69F00", "#009E73", "#F0E442",
                                   "#0072B2", "#D55E00", "#CC79A7", "#999999"};

/// The parts that bars stand for; regions of a part may be cut.
std::vector<nccl::Part> bars(const AllReducePlan& plan, const AllReduceMessage& message) {
  if (plan.nccl && !plan.nccl->parts.empty()) return plan.nccl->parts;
  return {{0, 0, message.count}};
}

std::string start_text(const SchemaPtr& topology, std::uint64_t ranks) {
  const auto start = starting_rank(topology, ranks);
  return start ? std::to_string(*start) : "-";
}

}  // namespace

std::optional<std::uint64_t> starting_rank(const SchemaPtr& topology, std::uint64_t ranks) {
  const Tree tree = expand(*topology, ranks);
  const Node* node = &tree.root();
  std::int64_t leaf = 0, stride = 1;
  for (;;) {
    leaf += stride * node->offset;
    if (node->is_leaf()) return static_cast<std::uint64_t>(leaf);
    stride *= node->stride;
    const Shape& shape = *node->shape;
    if (shape.op == Shape::Op::any) return std::nullopt;
    if (shape.op == Shape::Op::fold && shape.begin == Shape::Begin::node)
      node = &shape.carry;
    else if (!shape.items.empty())
      node = &shape.items.runs()[0].node;
    else
      return std::nullopt;
  }
}

std::string map_table(const AllReducePlan& plan, const AllReduceMessage& message,
                      std::size_t most) {
  using enum TextTable::Align;
  const std::vector<nccl::Part> parts = bars(plan, message);
  const bool channels = plan.nccl && !plan.nccl->parts.empty();
  TextTable table(
      {channels ? "channel" : "part", "elements", "count", "starts at rank", "topology"},
      {right, left, right, right, left});
  std::size_t lines = 0, left_out = 0;
  for (const nccl::Part& part : parts)
    for (const MapRegion& region : plan.map.regions) {
      const std::uint64_t begin = std::max(part.begin, region.begin);
      const std::uint64_t end = std::min(part.end, region.end);
      if (begin >= end) continue;
      if (++lines > most) {
        ++left_out;
        continue;
      }
      table.row({std::to_string(part.channel), fmt::format("[{}, {})", begin, end),
                 grouped(end - begin), start_text(region.topology, message.ranks),
                 print(*region.topology)});
    }
  std::string out = table.text();
  if (left_out > 0)
    out += fmt::format("… and {} more (--json lists all)\n", counted_plainly(left_out, "region"));
  return out;
}

std::string map_svg(const AllReducePlan& plan, const AllReduceMessage& message) {
  constexpr int width = 960, label = 90, bar = 22, gap = 6, margin = 20, legend_line = 20;
  const std::vector<nccl::Part> parts = bars(plan, message);
  std::map<std::string, std::size_t> letters;  // topologies in order of appearance
  std::vector<std::pair<std::string, SchemaPtr>> legend;
  std::uint64_t longest = 1;
  for (const nccl::Part& part : parts) longest = std::max(longest, part.end - part.begin);
  const double scale =
      static_cast<double>(width - label - 2 * margin) / static_cast<double>(longest);
  std::string body;
  int y = margin + 30;
  for (const nccl::Part& part : parts) {
    body += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", margin, y + 16,
                        parts.size() > 1 ? fmt::format("channel {}", part.channel) : "message");
    for (const MapRegion& region : plan.map.regions) {
      const std::uint64_t begin = std::max(part.begin, region.begin);
      const std::uint64_t end = std::min(part.end, region.end);
      if (begin >= end) continue;
      const std::string text = print(*region.topology);
      const auto [found, fresh] = letters.try_emplace(text, letters.size());
      if (fresh) legend.emplace_back(text, region.topology);
      const double x = margin + label + static_cast<double>(begin - part.begin) * scale;
      const double w = static_cast<double>(end - begin) * scale;
      const std::string start = start_text(region.topology, message.ranks);
      body += fmt::format(
          "<rect x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\" "
          "stroke=\"#ffffff\"><title>[{}, {}): {}</title></rect>\n",
          x, y, w, bar, start_colours[found->second % start_colours.size()], begin, end,
          svg_text(text));
      if (w > 9.0 * static_cast<double>(start.size()))
        body += fmt::format("<text x=\"{:.2f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                            x + w / 2, y + 16, start);
    }
    y += bar + gap;
  }
  y += gap;
  for (std::size_t i = 0; i < legend.size(); ++i) {
    body += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"14\" height=\"14\" fill=\"{}\"/>\n"
        "<text x=\"{}\" y=\"{}\">starts at rank {}: {}</text>\n",
        margin, y, start_colours[i % start_colours.size()], margin + 22, y + 12,
        start_text(legend[i].second, message.ranks), svg_text(legend[i].first));
    y += legend_line;
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" font-family=\"monospace\" font-size=\"13\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
      "<text x=\"{2}\" y=\"{3}\" font-size=\"15\">{4}: {5} ranks, {6} {7}: the number is the rank "
      "that starts the sum</text>\n{8}</svg>\n",
      width, y + margin, margin, margin + 12, svg_text(plan.spec), message.ranks,
      grouped(message.count), format_name(message.type), body);
}

}  // namespace whybits
