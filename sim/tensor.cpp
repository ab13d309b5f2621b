#include "sim/tensor.hpp"

namespace whybits {

std::string type_name(const TensorType& type) {
  return format_name(type.format) + " " + std::to_string(type.rows) + "×" +
         std::to_string(type.columns);
}

InputTensor input_tensor(const TensorType& type, std::vector<Bits> codes) {
  return {type.rows, type.columns, std::make_shared<CodeVector>(type.format, std::move(codes))};
}

}  // namespace whybits
