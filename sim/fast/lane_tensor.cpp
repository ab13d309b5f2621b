#include "sim/fast/lane_tensor.hpp"

#include <algorithm>
#include <cstring>

#include "sim/ceil_div.hpp"
#include "sim/share_work.hpp"
#include "sim/stored_source.hpp"

namespace whybits::fast {
namespace {

/// Where the indices of one dimension lie among those that are held.
struct Places {
  std::uint64_t first = 0;
  std::vector<std::uint64_t> all;  ///< empty if they lie side by side
  std::uint64_t count = 1;
};

Places places(const IndexSet& held, const IndexSet& indices, std::uint64_t size,
              std::uint64_t begin) {
  Places found;
  if (size == 1) {
    found.first = held.position(begin);
    return found;
  }
  found.count = indices.size();
  found.first = held.position(begin + indices.first());
  if (held.position(begin + indices.last()) - found.first + 1 == found.count) return found;
  indices.for_each([&](std::uint64_t i) { found.all.push_back(held.position(begin + i)); });
  return found;
}

/// Rows that are worth a thread's attention.
std::uint64_t rows_at_once(std::uint64_t columns) {
  constexpr std::uint64_t elements = 1 << 14;
  return std::max<std::uint64_t>(1, elements / std::max<std::uint64_t>(columns, 1));
}

bool side_by_side(const IndexSet& indices) {
  return !indices.empty() && indices.last() - indices.first() + 1 == indices.size();
}

/// The needed part of words that lie in memory, where it is a window of them.
std::optional<CodeMatrix> window_of(const InputTensor& input, const Need& need) {
  const auto* const stored = dynamic_cast<const StoredSource*>(input.codes.get());
  if (!stored || !side_by_side(need.rows) || !side_by_side(need.columns)) return {};
  return CodeMatrix::borrow(stored->format(), input.rows, input.columns, stored->stored_words())
      .window(need.rows.first(), need.rows.size(), need.columns.first(), need.columns.size());
}

template <class Row>
void for_rows(std::uint64_t rows, std::uint64_t columns, unsigned threads, Row row) {
  const std::uint64_t some = rows_at_once(columns);
  share_work(ceil_div(rows, some), threads, {}, [&] {
    return [&, some](std::uint64_t i) {
      const std::uint64_t last = std::min(rows, (i + 1) * some);
      for (std::uint64_t r = i * some; r < last; ++r) row(r);
    };
  });
}

}  // namespace

CodeMatrix LaneTensor::grid(const IndexSet& rows, const IndexSet& columns) const {
  const Places down = places(held->rows, rows, type.rows, row0);
  const Places across = places(held->columns, columns, type.columns, column0);
  CodeMatrix found;
  if (down.all.empty() && across.all.empty()) {
    found = words.window(down.first, down.count, across.first, across.count);
  } else {
    found = CodeMatrix::unset(type.format, down.count, across.count);
    for (std::uint64_t r = 0; r < down.count; ++r)
      for (std::uint64_t c = 0; c < across.count; ++c)
        std::memcpy(found.words(r, c),
                    words.word(down.all.empty() ? down.first + r : down.all[r],
                               across.all.empty() ? across.first + c : across.all[c]),
                    found.word_bytes());
  }
  return found.broadcast(rows.size(), columns.size());
}

LaneTensor read_tensor(const InputTensor& input, const Need& need, unsigned threads) {
  LaneTensor tensor{input.type(), &need, {}};
  if (std::optional<CodeMatrix> words = window_of(input, need)) {
    tensor.words = std::move(*words);
    return tensor;
  }
  tensor.words = CodeMatrix::unset(tensor.type.format, need.rows.size(), need.columns.size());
  if (threads == 1 && side_by_side(need.rows) && need.columns.size() == input.columns) {
    tensor.words.read_all(*input.codes, need.rows.first() * input.columns);
    return tensor;
  }
  std::vector<std::uint64_t> rows;
  need.rows.for_each([&](std::uint64_t r) { rows.push_back(r); });
  std::vector<std::uint64_t> columns;
  need.columns.for_each([&](std::uint64_t c) { columns.push_back(c); });
  for_rows(rows.size(), columns.size(), threads, [&](std::uint64_t r) {
    tensor.words.read_row(r, *input.codes, rows[r] * input.columns, columns);
  });
  return tensor;
}

std::vector<Bits> codes_of(const CodeMatrix& matrix, unsigned threads) {
  std::vector<Bits> codes;
  codes.reserve(matrix.rows() * matrix.columns());
  wish_for_large_pages(codes.data(), codes.capacity() * sizeof(Bits));
  codes.resize(matrix.rows() * matrix.columns());
  for_rows(matrix.rows(), matrix.columns(), threads, [&](std::uint64_t r) {
    matrix.read_codes(r, 0, std::span(codes).subspan(r * matrix.columns(), matrix.columns()));
  });
  return codes;
}

}  // namespace whybits::fast
