// Any text either is refused with UsageError or is a suite whose entries name kernels, and whose
// parameters a kernel accepts or refuses with ConfigurationError.
#include <string_view>

#include "lab/suite.hpp"
#include "lab/usage_error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace whybits;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    for (const KernelRequest& run : parse_suite(text, "fuzz").runs)
      run.kernel->check(*run.kernel, run.params, run.shape);
  } catch (const UsageError&) {
    return 0;
  } catch (const ConfigurationError&) {
    return 0;
  }
  return 0;
}
