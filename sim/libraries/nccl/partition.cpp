#include "sim/libraries/nccl/partition.hpp"

#include <algorithm>

#include "sim/ceil_div.hpp"

namespace whybits::nccl {
namespace {

constexpr std::uint64_t vector_bytes = 16;  // of a load; chunks are whole ones

/// Numbers of cells: the first part, then `middle` parts of `each`, then the last one.
struct CellParts {
  std::uint64_t channel = 0;
  std::uint64_t first = 0, middle = 0, each = 0, last = 0;
};

/// As scheduleCollTasksToPlan deals `cells` to channels, each getting `target` of traffic.
CellParts deal_cells(std::uint64_t cells, std::uint64_t cell_traffic, std::uint64_t target,
                     std::uint64_t channels, bool first_rounds_up) {
  CellParts p;
  p.each = std::min(cells, ceil_div(target, cell_traffic));
  const std::uint64_t share =
      first_rounds_up ? ceil_div(target, cell_traffic) : target / cell_traffic;
  p.first = channels == 1 ? cells : std::min(cells, share);
  p.middle = (cells - p.first) / p.each;
  p.last = (cells - p.first) % p.each;
  const std::uint64_t used = (p.first != 0 ? 1 : 0) + p.middle + (p.last != 0 ? 1 : 0);
  if (used > channels) {
    p.middle = channels - 2;
    p.each = (cells - p.first) / (p.middle + 1);
    p.last = p.each + (cells - p.first) % (p.middle + 1);
  }
  if (p.last == 0 && p.middle > 0) {
    p.last = p.each;
    --p.middle;
  }
  if (p.first == 0) {
    ++p.channel;
    p.first = p.last;
    p.last = 0;
    if (p.middle > 0) {
      p.last = p.first;
      p.first = p.each;
      --p.middle;
    }
  }
  return p;
}

std::vector<Part> cell_parts(const Message& message, const Choice& choice, const Machine& machine,
                             const CellRule& rule) {
  const bool ll = choice.protocol == Protocol::ll;
  constexpr std::uint64_t all_reduce_traffic = 2;  // per byte: every one is sent twice
  const std::uint64_t per_byte = all_reduce_traffic * (ll ? rule.ll_traffic_factor : 1);
  const std::uint64_t cell_bytes = ll ? rule.ll_cell_bytes : rule.cell_bytes;
  const std::uint64_t traffic = std::max(rule.minimum_traffic, message.bytes() * per_byte);
  std::uint64_t target = traffic / std::min(choice.channels, machine.channels);
  if (rule.target_has_minimum) target = std::max(target, rule.minimum_traffic);
  if (rule.target_rounds_to_16) target = round_up(target, vector_bytes);
  const CellParts cells = deal_cells(ceil_div(message.bytes(), cell_bytes), cell_bytes * per_byte,
                                     target, machine.channels, rule.first_part_rounds_up);
  const std::uint64_t elements = cell_bytes / message.element_bytes;
  std::vector<Part> parts;
  std::uint64_t begin = 0, channel = cells.channel;
  const auto append = [&](std::uint64_t count) {
    const std::uint64_t end = std::min(begin + count * elements, message.count);
    if (end > begin) parts.push_back({channel, begin, end});
    begin = end;
    ++channel;
  };
  append(cells.first);
  for (std::uint64_t i = 0; i < cells.middle; ++i) append(cells.each);
  if (cells.last != 0) append(cells.last);
  return parts;
}

/// Up to 2.21 lengths are multiples of this, which depends on the thread count.
std::uint64_t alignment(const Choice& choice, std::uint64_t element_bytes) {
  constexpr std::uint64_t warp = 32;
  switch (choice.protocol) {
    case Protocol::ll:
      return choice.threads * 8 / element_bytes;
    case Protocol::ll128:
      return choice.threads / warp * 480 / element_bytes;
    case Protocol::simple:
      break;
  }
  return 4096 / element_bytes;
}

std::vector<Part> aligned_parts(const Message& message, const Choice& choice) {
  const std::uint64_t align = alignment(choice, message.element_bytes);
  const std::uint64_t wanted = round_up(ceil_div(message.bytes(), choice.channels), vector_bytes);
  const std::uint64_t each = round_up(ceil_div(wanted, message.element_bytes), align);
  std::vector<Part> parts;
  for (std::uint64_t begin = 0; begin < message.count; begin += each)
    parts.push_back({parts.size(), begin, std::min(begin + each, message.count)});
  return parts;
}

/// The chunk of a loop that is not full.
std::uint64_t last_chunk(std::uint64_t left, const Message& message, const Choice& choice,
                         const Machine& machine, const Rules& rules) {
  const std::uint64_t even = ceil_div(left, machine.ranks);
  if (!rules.last_chunk_rounds_to_16) return even;
  return round_up(even, rules.partition == Partition::aligned
                            ? alignment(choice, message.element_bytes)
                            : vector_bytes / message.element_bytes);
}

void append_part(const Part& part, std::uint64_t full, const Message& message, const Choice& choice,
                 const Machine& machine, const Rules& rules, std::vector<Chunk>& chunks) {
  for (std::uint64_t begin = part.begin; begin < part.end;) {
    const std::uint64_t left = part.end - begin;
    const std::uint64_t loop = std::min(left, machine.ranks * full);
    const std::uint64_t chunk =
        loop == machine.ranks * full ? full : last_chunk(left, message, choice, machine, rules);
    for (std::uint64_t q = 0; q * chunk < loop; ++q)
      chunks.push_back(
          {part.channel, q, begin + q * chunk, begin + std::min((q + 1) * chunk, loop)});
    begin += loop;
  }
}

/// Up to 2.19 a loop goes over all channels: by Simple channel after channel, by LL and LL128 the
/// channels' chunks of an index side by side.
std::vector<Chunk> interleaved_chunks(const Message& message, const Choice& choice,
                                      const Machine& machine, std::uint64_t full) {
  const std::uint64_t channels = choice.channels;
  const std::uint64_t ranks = machine.ranks;
  const bool simple = choice.protocol == Protocol::simple;
  constexpr std::uint64_t warp = 32;
  std::uint64_t grain = choice.threads * 8 / message.element_bytes;
  if (simple) grain = (choice.threads - warp) * 8 / message.element_bytes;
  if (choice.protocol == Protocol::ll128) grain = choice.threads * (60 / message.element_bytes) / 2;
  std::vector<Chunk> chunks;
  for (std::uint64_t loop = 0; loop < message.count; loop += channels * ranks * full) {
    const std::uint64_t left = message.count - loop;
    std::uint64_t chunk = 0;
    if (simple)
      chunk = round_up(std::min(full, ceil_div(left, channels * ranks)), grain);
    else
      chunk = std::min(full, ceil_div(left, channels * ranks * grain) * grain);
    const std::uint64_t end = loop + std::min(left, channels * ranks * full);
    for (std::uint64_t i = 0; i < channels * ranks; ++i) {
      const std::uint64_t begin = loop + i * chunk;
      if (begin >= end) break;
      const std::uint64_t channel = simple ? i / ranks : i % channels;
      const std::uint64_t index = simple ? i % ranks : i / channels;
      chunks.push_back({channel, index, begin, std::min(begin + chunk, end)});
    }
  }
  return chunks;
}

}  // namespace

std::vector<Part> channel_parts(const Message& message, const Choice& choice,
                                const Machine& machine, const Rules& rules) {
  if (message.count == 0) return {};
  if (rules.partition == Partition::aligned) return aligned_parts(message, choice);
  return cell_parts(message, choice, machine, rules.cells);
}

std::uint64_t chunk_elements(Protocol protocol, const Settings& settings,
                             std::uint64_t element_bytes) {
  constexpr std::uint64_t steps = 8;
  const std::uint64_t step = settings.buffer_bytes[static_cast<std::size_t>(protocol)] / steps;
  switch (protocol) {
    case Protocol::ll:  // half of what is sent are flags
      return step / 2 / vector_bytes * vector_bytes / element_bytes;
    case Protocol::ll128:  // 120 of 128 bytes
      return step / 16 * 15 / 1920 * 1920 / element_bytes;
    case Protocol::simple:
      break;
  }
  constexpr std::uint64_t steps_of_a_chunk = 4;
  return step * steps_of_a_chunk / 512 * 512 / element_bytes;
}

std::vector<Chunk> ring_chunks(const Message& message, const Choice& choice, const Machine& machine,
                               const Settings& settings, const Rules& rules) {
  const std::uint64_t full = chunk_elements(choice.protocol, settings, message.element_bytes);
  if (rules.partition == Partition::interleaved)
    return interleaved_chunks(message, choice, machine, full);
  std::vector<Chunk> chunks;
  for (const Part& part : channel_parts(message, choice, machine, rules))
    append_part(part, full, message, choice, machine, rules, chunks);
  return chunks;
}

}  // namespace whybits::nccl
