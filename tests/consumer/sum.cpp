#include <cstdio>
#include <string>
#include <vector>

#include "exact/oracle.hpp"
#include "sim/notation.hpp"
#include "sim/reduction.hpp"

int main() {
  using namespace whybits;
  const std::vector<Bits> codes{0x4cbebc20, 0x3f800000, 0xccbebc20, 0x3f800000};  // 1e8 1 -1e8 1
  const OperandVector values(formats::f32, codes);
  Leaves leaves;
  leaves.a = &values;

  for (const std::string text : {"fold(f32)", "pairs(f32)", "lanes(2, fold(f32), fold(f32))"}) {
    const Reduction sum =
        make_reduction(parse_topology(text), leaves.size(), LeafTypes::of(leaves));
    std::printf("0x%08llX  %s\n", static_cast<unsigned long long>(evaluate(sum, leaves)),
                text.c_str());
  }
  const Bits exact_sum = exact::oracle_sum({formats::f32, codes}, formats::f32);
  std::printf("0x%08llX  exact, rounded once\n", static_cast<unsigned long long>(exact_sum));
}
