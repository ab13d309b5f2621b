// One line of an atlas file; every complaint names it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/libraries/cublaslt/atlas.hpp"

namespace whybits::cublaslt {

std::vector<std::string_view> split(std::string_view text, char at);

class Line {
 public:
  Line(std::string_view name, std::size_t number) : name_(name), number_(number) {}
  [[noreturn]] void fail(const std::string& what) const;
  std::uint64_t number(std::string_view cell, std::string_view column) const;
  StorageB layout(std::string_view cell) const;
  TypeKind types(std::string_view cell) const;
  /// Nine cells; split_k may be −1.
  Algorithm fields(std::span<const std::string_view> cells) const;

 private:
  std::string_view name_;
  std::size_t number_;
};

}  // namespace whybits::cublaslt
