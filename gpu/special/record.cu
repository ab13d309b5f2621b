// Records the special functions of the GPU that it runs on: digests of every argument, and words.
//
//   whybits-record-special FOLDER
//
// FOLDER gets names.txt (one function a line), digests.bin (2^13 u64 a function: the sum of
// term(x, f(x)) over 2^19 consecutive x), edges.bin (32 words for each of the 512 signs and
// exponents, see edge()), pairs.txt, pairs.bin (3 streams of 64 digests and 64 × 64 words a
// function), halves.txt, halves.bin (2^16 words of 16 bits a function), and sweep_*.bin (u32).
#include <algorithm>
#include <fstream>
#include <numbers>

#include "gpu/special/sweep.cuh"

namespace whybits::gpu::special {
namespace {

using Words = std::vector<std::uint32_t>;

template <class T>
struct Buffer {
  explicit Buffer(std::size_t n) { must(cudaMalloc(&data, n * sizeof(T)), "memory"); }
  ~Buffer() { cudaFree(data); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  T* data = nullptr;
};

template <class T>
std::vector<T> fetch(const Buffer<T>& from, std::size_t n) {
  std::vector<T> to(n);
  must(cudaMemcpy(to.data(), from.data, n * sizeof(T), cudaMemcpyDeviceToHost), "a result");
  return to;
}

void send(const Words& from, Buffer<std::uint32_t>& to) {
  must(cudaMemcpy(to.data, from.data(), from.size() * 4, cudaMemcpyHostToDevice), "arguments");
}

Words evaluate(const Function& f, const Words& x) {
  Buffer<std::uint32_t> in(x.size());
  Buffer<std::uint32_t> out(x.size());
  send(x, in);
  f.evaluate(in.data, out.data, x.size());
  return fetch(out, x.size());
}

std::vector<std::uint64_t> digests(const Function& f) {
  constexpr std::size_t blocks = std::size_t{1} << (32 - block_bits);
  Buffer<std::uint64_t> sums(blocks);
  must(cudaMemset(sums.data, 0, blocks * 8), "memset");
  f.digest(sums.data);
  return fetch(sums, blocks);
}

/// The first eight and the last eight significands of every sign and exponent, and 16 others.
Words edge() {
  Words x;
  for (std::uint32_t top = 0; top < 512; ++top)
    for (std::uint32_t i = 0; i < 32; ++i) {
      const std::uint32_t low = i < 8 ? i
                                : i < 16
                                    ? 0x7fffffU - (i - 8)
                                    : static_cast<std::uint32_t>(mix(top * 32 + i)) & 0x7fffffU;
      x.push_back((top << 23) | low);
    }
  return x;
}

/// 32 magnitudes with both signs.
Words pair_edge() {
  Words x = {0,          1,          2,          0x3fffff,   0x400000,   0x7fffff,   0x00800000,
             0x00800001, 0x00ffffff, 0x01000000, 0x0c000000, 0x33800000, 0x3eaaaaab, 0x3f000000,
             0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fc00000, 0x40000000, 0x40400000, 0x40490fdb,
             0x4b800000, 0x5f000000, 0x7e000000, 0x7e7fffff, 0x7e800000, 0x7e800001, 0x7f000000,
             0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000};
  const std::size_t n = x.size();
  for (std::size_t i = 0; i < n; ++i) x.push_back(x[i] | 0x80000000U);
  return x;
}

template <class T>
void write(const std::string& path, const std::vector<T>& data, bool append = false) {
  std::ofstream out(path, append ? std::ios::binary | std::ios::app : std::ios::binary);
  out.write(reinterpret_cast<const char*>(data.data()),
            static_cast<std::streamsize>(data.size() * sizeof(T)));
  if (!out) {
    std::fprintf(stderr, "%s: cannot be written\n", path.c_str());
    std::exit(2);
  }
}

template <class MakeInput>
Words sequence(std::uint32_t n, const MakeInput& make) {
  Words x(n);
  for (std::uint32_t i = 0; i < n; ++i) x[i] = make(i);
  return x;
}

std::uint32_t code(float x) {
  std::uint32_t w = 0;
  std::copy_n(reinterpret_cast<const char*>(&x), 4, reinterpret_cast<char*>(&w));
  return w;
}

struct Sweep {
  const char* file;
  const char* function;
  Words x;
};

/// Every argument that the interpolation of a function can have.
std::vector<Sweep> sweeps() {
  constexpr std::uint32_t m = 1U << 23;
  const auto fraction = [](std::uint32_t i) { return code(static_cast<float>(i) * 0x1p-23F); };
  const auto minus = [&](std::uint32_t i) { return fraction(i) | 0x80000000U; };
  const auto turn = [](std::uint32_t i) {
    return code(static_cast<float>((i + 0.5) * 0x1p-25 * 2 * std::numbers::pi));
  };
  const auto tanh_sample = [](std::uint32_t i) { return 0x39000000U + (i << 5); };
  return {
      {"rcp", "rcp.approx.ftz.f32", sequence(m, [](std::uint32_t i) { return 0x3f800000U + i; })},
      {"rsqrt", "rsqrt.approx.ftz.f32",
       sequence(2 * m, [](std::uint32_t i) { return 0x3f800000U + i; })},
      {"sqrt", "sqrt.approx.ftz.f32",
       sequence(2 * m, [](std::uint32_t i) { return 0x3f800000U + i; })},
      {"lg2", "lg2.approx.ftz.f32",
       sequence(2 * m, [](std::uint32_t i) { return 0x3f000000U + i; })},
      {"ex2_plus", "ex2.approx.ftz.f32", sequence(m, fraction)},
      {"ex2_minus", "ex2.approx.ftz.f32", sequence(m, minus)},
      {"sin", "sin.approx.ftz.f32", sequence(m, turn)},
      {"cos", "cos.approx.ftz.f32", sequence(m, turn)},
      {"tanh_some", "tanh.approx.f32", sequence(18U << 18, tanh_sample)},
      {"tanh_half", "tanh.approx.f32",
       sequence(m, [](std::uint32_t i) { return 0x3f000000U + i; })},
  };
}

/// a = a·6364136223846793005 + result, in the order of the sweep.
std::uint64_t ordered_digest(const Words& y) {
  std::uint64_t a = 0;
  for (const std::uint32_t w : y) a = a * 6364136223846793005U + w;
  return a;
}

void record_all(const std::string& folder) {
  std::ofstream names(folder + "/names.txt");
  const Words edges = edge();
  for (const auto& group : {instructions(), wrappers_default(), wrappers_ftz(), wrappers_fast()})
    for (const Function& f : group) {
      names << f.name << '\n';
      write(folder + "/digests.bin", digests(f), true);
      write(folder + "/edges.bin", evaluate(f, edges), true);
    }
}

void record_pairs(const std::string& folder) {
  std::ofstream names(folder + "/pairs.txt");
  const Words edges = pair_edge();
  Words x;
  Words y;
  for (const std::uint32_t a : edges)
    for (const std::uint32_t b : edges) {
      x.push_back(a);
      y.push_back(b);
    }
  constexpr unsigned count = 64;
  for (const auto& group :
       {pair_instructions(), pair_wrappers_default(), pair_wrappers_ftz(), pair_wrappers_fast()})
    for (const Function2& f : group) {
      names << f.name << '\n';
      for (unsigned stream = 0; stream < 3; ++stream) {
        Buffer<std::uint64_t> sums(count);
        must(cudaMemset(sums.data, 0, count * 8), "memset");
        f.digest(stream, sums.data, count);
        write(folder + "/pairs.bin", fetch(sums, count), true);
      }
      Buffer<std::uint32_t> a(x.size());
      Buffer<std::uint32_t> b(x.size());
      Buffer<std::uint32_t> z(x.size());
      send(x, a);
      send(y, b);
      f.evaluate(a.data, b.data, z.data, x.size());
      write(folder + "/pairs.bin", fetch(z, x.size()), true);
    }
}

void record_halves(const std::string& folder) {
  std::ofstream names(folder + "/halves.txt");
  const Words x = sequence(1U << 16, [](std::uint32_t i) { return i; });
  for (const Function& f : half_instructions()) {
    names << f.name << '\n';
    const Words y = evaluate(f, x);
    write(folder + "/halves.bin", std::vector<std::uint16_t>(y.begin(), y.end()), true);
  }
}

void record_sweeps(const std::string& folder) {
  const std::vector<Function> known = instructions();
  for (const Sweep& sweep : sweeps()) {
    const auto f = std::find_if(known.begin(), known.end(),
                                [&](const Function& g) { return g.name == sweep.function; });
    const Words y = evaluate(*f, sweep.x);
    write(folder + "/sweep_" + sweep.file + ".bin", y);
    std::printf("%-10s %-22s %10zu %016llx\n", sweep.file, sweep.function, y.size(),
                static_cast<unsigned long long>(ordered_digest(y)));
  }
}

}  // namespace
}  // namespace whybits::gpu::special

int main(int count, char** arguments) {
  using namespace whybits::gpu::special;
  if (count != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", arguments[0]);
    return 2;
  }
  cudaDeviceProp device{};
  must(cudaGetDeviceProperties(&device, 0), "no GPU");
  int driver = 0;
  must(cudaDriverGetVersion(&driver), "driver");
  std::printf(
      "device %s, compute capability %d.%d, CUDA driver API %d, compiled by nvcc %d.%d.%d\n",
      device.name, device.major, device.minor, driver, __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__,
      __CUDACC_VER_BUILD__);
  record_sweeps(arguments[1]);
  record_halves(arguments[1]);
  record_pairs(arguments[1]);
  record_all(arguments[1]);
  must(cudaDeviceSynchronize(), "the device");
}
