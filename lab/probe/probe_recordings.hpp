// A probe's answers as recordings, so that they can be checked without the device.
#pragma once

#include "lab/probe/probe.hpp"
#include "lab/recording.hpp"

namespace whybits {

/// Who answered: device, compute_capability, driver, cuda, date. `command` repeats it.
std::map<std::string, std::string> probe_source(const std::string& command);

/// The hand-built vectors, a tile of one dot product each.
Recording vectors_recording(const ProbeResult& result,
                            const std::map<std::string, std::string>& source);
/// The first `tiles` tiles of a kind that recordings can name (is_stream), run again.
Recording stream_recording(const Claim& claim, DataKind kind, std::uint64_t seed,
                           std::uint64_t tiles, const RunTiles& run,
                           const std::map<std::string, std::string>& source);
/// "instructions-mma.m16n8k16.f32.bf16-vectors.json": the file that it is kept in.
std::string recording_file(const Claim& claim, std::string_view inputs);

}  // namespace whybits
