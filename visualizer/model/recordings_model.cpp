#include "visualizer/model/recordings_model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/usage_error.hpp"

namespace whybits::viz {
namespace {

std::string shape_text(const Recording& r) {
  const RecordedShape& s = r.shape;
  switch (r.computation) {
    case RecordedComputation::gemm:
      return fmt::format("{} × {} × {}", s.m, s.n, s.k);
    case RecordedComputation::mma:
      return fmt::format("{} tiles of {} × {} × {}", s.tiles, s.m, s.n, s.k);
    case RecordedComputation::all_reduce:
      return fmt::format("{} ranks of {}", s.ranks, s.count);
    case RecordedComputation::row_sums:
      return fmt::format("{} rows of {}", s.m, s.k);
  }
  return "";
}

std::string types_text(const RecordedTypes& t) {
  std::string out = format_name(t.a);
  if (t.b) out += " × " + format_name(*t.b);
  return out + " → " + format_name(t.out);
}

void describe(RecordingRow& row, const Recording& recording) {
  const auto device = recording.source.find("device");
  if (device != recording.source.end()) row.device = device->second;
  row.library = recording.library.name + " " + recording.library.version;
  row.kernel = recording.kernel;
  row.computation = computation_names[static_cast<std::size_t>(recording.computation)];
  row.shape = shape_text(recording);
  row.types = types_text(recording.types);
  row.topology = recording.topology.value_or("");
  row.state = RecordingState::unchecked;
}

RecordingRow named(const std::filesystem::path& path) {
  RecordingRow row;
  row.path = path;
  row.name = path.stem().string();
  return row;
}

/// Runs `use` on the recording; what is wrong with the file becomes the row's message.
template <class Use>
RecordingRow with_recording(const std::filesystem::path& path, Use use) {
  RecordingRow row = named(path);
  try {
    const Recording recording = read_recording(path);
    describe(row, recording);
    use(row, recording);
  } catch (const std::exception& error) {
    row.state = RecordingState::refused;
    row.message = error.what();
  }
  return row;
}

}  // namespace

std::vector<RecordingRow> list_recordings(const std::filesystem::path& folder) {
  std::vector<RecordingRow> rows;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".json") rows.push_back(named(entry.path()));
  std::sort(rows.begin(), rows.end(),
            [](const RecordingRow& x, const RecordingRow& y) { return x.name < y.name; });
  return rows;
}

RecordingRow read_recording_row(const std::filesystem::path& path) {
  return with_recording(path, [](RecordingRow&, const Recording&) {});
}

RecordingRow check_recording(const std::filesystem::path& path, std::stop_token stop) {
  return with_recording(path, [&](RecordingRow& row, const Recording& recording) {
    GemmOptions options;
    options.stop = stop;
    Verification verification = verify(recording, false, options);
    if (stop.stop_requested()) return;  // what was compared is not all of it
    if (verification.unsupported) {
      row.state = RecordingState::not_checked;
      row.message = *verification.unsupported;
    } else {
      row.state = verification.passed() ? RecordingState::every_bit : RecordingState::differs;
    }
    row.topology = verification.topology;
    row.verification = std::move(verification);
  });
}

RecordingCounts count(const std::vector<RecordingRow>& rows) {
  RecordingCounts counts;
  counts.all = rows.size();
  for (const RecordingRow& row : rows) {
    counts.every_bit += row.state == RecordingState::every_bit ? 1U : 0U;
    counts.differs += row.state == RecordingState::differs ? 1U : 0U;
    counts.refused += row.state == RecordingState::refused ? 1U : 0U;
    counts.not_checked += row.state == RecordingState::not_checked ? 1U : 0U;
    if (row.verification) counts.outputs += row.verification->compared;
  }
  return counts;
}

}  // namespace whybits::viz
