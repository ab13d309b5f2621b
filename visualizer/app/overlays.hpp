// The overlays that there are.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "visualizer/app/overlay.hpp"
#include "visualizer/model/pair_view.hpp"

namespace whybits::viz {

std::unique_ptr<Overlay> make_palette();
std::unique_ptr<Overlay> make_help();
/// Edits the notation of a side; the tree is checked while typing.
std::unique_ptr<Overlay> make_notation_editor(Side side);
std::unique_ptr<Overlay> make_recordings_browser(const std::filesystem::path& folder);
/// Asks for a file name: `done` gets it.
std::unique_ptr<Overlay> make_file_prompt(std::string title, std::string start,
                                          std::function<void(Application&, std::string)> done);

}  // namespace whybits::viz
