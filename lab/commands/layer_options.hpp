// Options that name a layer as cuBLASLt sees it: predict and gates share them.
#pragma once

#include <string>

#include "lab/commands/command.hpp"
#include "sim/libraries/cublaslt/atlas.hpp"

namespace whybits {

struct LayerOptions {
  std::string layer;
  std::uint64_t n = 0, k = 0;
  std::string layout = "NN";
  std::string types = "bf16";
};

/// --layer or --n with --k, --layout, --types.
void add_layer_options(Command command, LayerOptions& options);

/// UsageError for names that do not exist and for a layer that is given twice or not at all.
cublaslt::AtlasKey layer_key(const LayerOptions& options);

/// What to do where the atlas has nothing.
std::string not_in_atlas_remedy(const cublaslt::AtlasKey& key);

}  // namespace whybits
