#include "gpu/nccl/group.hpp"

namespace whybits::gpu {

struct NcclGroup::State {};

NcclGroup::NcclGroup(int, const std::string&) {
  throw NotAvailable(
      "this build has no CUDA; build with the CUDA Toolkit (WHYBITS_CUDA=ON) to run NCCL");
}
NcclGroup::~NcclGroup() = default;
std::string NcclGroup::version() const {
  return "";
}
std::vector<std::vector<std::uint8_t>> NcclGroup::all_reduce(
    const NcclCall&, std::span<const std::vector<std::uint8_t>>) {
  return {};
}

}  // namespace whybits::gpu
