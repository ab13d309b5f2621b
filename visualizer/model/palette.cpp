#include "visualizer/model/palette.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace whybits::viz {
namespace {

constexpr int per_letter = 1;
constexpr int at_word = 8;
constexpr int next_to_previous = 5;
constexpr int impossible = std::numeric_limits<int>::min() / 2;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool begins_word(std::string_view text, std::size_t i) {
  return i == 0 || text[i - 1] == ' ' || text[i - 1] == '-' || text[i - 1] == ':' ||
         text[i - 1] == '.' || text[i - 1] == '/';
}

/// The best placing of all letters, by dynamic programming: O(letters · text).
std::optional<PaletteMatch> match(std::string_view query, std::string_view text) {
  const std::size_t q = query.size(), t = text.size();
  if (q == 0) return PaletteMatch{};
  if (q > t) return std::nullopt;
  // best[i][j]: letters 0 … i placed, letter i at place j.
  std::vector<std::vector<int>> best(q, std::vector<int>(t, impossible));
  std::vector<std::vector<std::size_t>> from(q, std::vector<std::size_t>(t, t));
  for (std::size_t i = 0; i < q; ++i) {
    int so_far = impossible;
    std::size_t so_far_at = t;
    for (std::size_t j = i; j < t; ++j) {
      if (i > 0 && j > 0 && best[i - 1][j - 1] > so_far) {
        so_far = best[i - 1][j - 1];
        so_far_at = j - 1;
      }
      if (lower(query[i]) != lower(text[j])) continue;
      const int own = per_letter + (begins_word(text, j) ? at_word : 0);
      if (i == 0) {
        best[i][j] = own;
        continue;
      }
      const bool adjacent = j > 0 && best[i - 1][j - 1] > impossible &&
                            best[i - 1][j - 1] + next_to_previous >= so_far;
      const int before = adjacent ? best[i - 1][j - 1] + next_to_previous : so_far;
      if (before <= impossible) continue;
      best[i][j] = before + own;
      from[i][j] = adjacent ? j - 1 : so_far_at;
    }
  }
  const auto end = std::max_element(best[q - 1].begin(), best[q - 1].end());
  if (*end <= impossible) return std::nullopt;
  PaletteMatch out;
  out.score = *end;
  auto place = static_cast<std::size_t>(end - best[q - 1].begin());
  for (std::size_t i = q; i-- > 0;) {
    out.places.push_back(place);
    place = from[i][place];
  }
  std::reverse(out.places.begin(), out.places.end());
  return out;
}

}  // namespace

std::vector<PaletteMatch> match_commands(std::string_view query,
                                         std::span<const std::string> commands) {
  std::string letters;
  for (const char c : query)
    if (c != ' ') letters += c;
  std::vector<PaletteMatch> out;
  for (std::size_t i = 0; i < commands.size(); ++i)
    if (auto found = match(letters, commands[i])) {
      found->command = i;
      out.push_back(std::move(*found));
    }
  // Of equal scores the shorter text was meant.
  std::stable_sort(out.begin(), out.end(), [&](const PaletteMatch& x, const PaletteMatch& y) {
    if (x.score != y.score) return x.score > y.score;
    return !letters.empty() && commands[x.command].size() < commands[y.command].size();
  });
  return out;
}

}  // namespace whybits::viz
