#include "visualizer/app/session_store.hpp"

#include <cstdlib>

#include "lab/usage_error.hpp"
#include "visualizer/app/application.hpp"

namespace whybits::viz {
namespace {

std::filesystem::path last_session(const Application& application) {
  return application.sessions / "last.json";
}

}  // namespace

std::filesystem::path session_folder() {
  if (const char* data = std::getenv("XDG_DATA_HOME"); data && *data)
    return std::filesystem::path(data) / "whybits";
  if (const char* home = std::getenv("HOME"); home && *home)
    return std::filesystem::path(home) / ".local/share/whybits";
  return std::filesystem::current_path();
}

void restore_last_session(Application& application) {
  std::error_code ignored;
  if (!std::filesystem::exists(last_session(application), ignored)) return;
  try {
    application.document().open(read_session(last_session(application)));
  } catch (const UsageError& error) {
    application.notify(error.what(), true);
  }
}

bool save_last_session(const Application& application) {
  std::error_code ignored;
  std::filesystem::create_directories(application.sessions, ignored);
  try {
    write_session(last_session(application), application.document().session());
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

}  // namespace whybits::viz
