// Where sessions are kept between runs.
#pragma once

#include <filesystem>

namespace whybits::viz {

class Application;

/// $XDG_DATA_HOME/whybits, else ~/.local/share/whybits.
std::filesystem::path session_folder();
/// The state and settings of the last run. A first run, or a file that cannot be read, leaves the
/// story; what is wrong is said on screen.
void restore_last_session(Application& application);
/// Whether it could be written: a full disk must not keep the program from ending.
bool save_last_session(const Application& application);

}  // namespace whybits::viz
