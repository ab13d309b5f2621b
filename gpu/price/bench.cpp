#include "gpu/price/bench.hpp"

#include <algorithm>
#include <stdexcept>

#include "gpu/device_buffer.cuh"
#include "gpu/kernel_table.hpp"
#include "gpu/kernels/launch_plan.hpp"
#include "gpu/price/count_differences.hpp"
#include "gpu/stopwatch.cuh"
#include "sim/ceil_div.hpp"

namespace whybits::gpu {
namespace {

constexpr int poison = 0xff;
constexpr std::uint64_t workspace_bytes = std::uint64_t{32} << 20;  // offered to cuBLASLt
constexpr std::uint64_t most_workspace = std::uint64_t{256} << 20;
constexpr std::uint64_t most_tickets = 65536;
constexpr std::uint64_t cold_bytes = 240'000'000;  // several times the second-level cache

/// Launches on a stream as one piece of work.
class Graph {
 public:
  Graph(cudaStream_t stream, std::uint64_t launches, const TimedLaunch& launch)
      : stream_(stream), watch_(stream) {
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
    try {
      for (std::uint64_t turn = 0; turn < launches; ++turn) launch(turn);
    } catch (...) {
      cudaStreamEndCapture(stream, &graph_);
      cudaGetLastError();
      throw;
    }
    check(cudaStreamEndCapture(stream, &graph_), "end of capture");
    check(cudaGraphInstantiate(&ready_, graph_, 0), "cudaGraphInstantiate");
  }
  ~Graph() {
    cudaGraphExecDestroy(ready_);
    cudaGraphDestroy(graph_);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  float milliseconds() {
    return watch_.time([&] { check(cudaGraphLaunch(ready_, stream_), "cudaGraphLaunch"); });
  }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t ready_ = nullptr;
  Stopwatch watch_;
};

}  // namespace

struct Bench::State {
  State(const Shape& largest, std::span<const std::uint8_t> a_words,
        std::span<const std::uint8_t> b_words)
      : shape(largest),
        a(a_words),
        out(largest.m * largest.n * 2),
        workspace(most_workspace),
        tickets(most_tickets * sizeof(std::uint32_t), 0) {
    const std::uint64_t copies = std::max<std::uint64_t>(2, ceil_div(cold_bytes, b_words.size()));
    for (std::uint64_t i = 0; i < copies; ++i) b.emplace_back(b_words);
    check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~State() { cudaStreamDestroy(stream); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  const void* weights(std::uint64_t turn) const { return b[turn % b.size()].data(); }
  cublaslt::Problem problem(std::uint64_t m) const {
    return problem_of(cublaslt::TypeKind::bf16, {m, shape.n, shape.k}, cublaslt::StorageB::nk);
  }
  LaunchPlan plan(std::uint64_t m) const {
    LaunchPlan plan;
    plan.instruction = "bf16";
    plan.stream = stream;
    GemmArgs& g = plan.args;
    g.m = u32(m);
    g.n = u32(shape.n);
    g.k = g.lda = g.ldb = g.slice = u32(shape.k);
    g.a = a.data();
    g.out = out.data();
    g.output = OutputType::bf16;
    return plan;
  }

  Shape shape;
  DeviceBuffer a, out, workspace, tickets;
  DeviceBuffer kept, differ{sizeof(unsigned long long)};
  std::vector<DeviceBuffer> b;
  cudaDeviceProp properties{};
  cudaStream_t stream = nullptr;
  Cublaslt library;
};

Bench::Bench(const Shape& largest, std::span<const std::uint8_t> a, std::span<const std::uint8_t> b)
    : state_(std::make_unique<State>(largest, a, b)) {}
Bench::~Bench() = default;

std::uint64_t Bench::multiprocessors() const {
  return static_cast<std::uint64_t>(state_->properties.multiProcessorCount);
}
std::string Bench::device() const {
  return state_->properties.name;
}
std::string Bench::library_version() const {
  return state_->library.version();
}

std::vector<Proposal> Bench::proposals(std::uint64_t m, bool split, int count) const {
  return state_->library.proposals(state_->problem(m),
                                   {.workspace_bytes = split ? workspace_bytes : 0}, count);
}

TimedLaunch Bench::cublaslt(std::uint64_t m, const Proposal& proposal) {
  State& s = *state_;
  return [&s, m, proposal](std::uint64_t turn) {
    s.library.launch(s.problem(m), proposal, s.a.data(), s.weights(turn), s.out.data(),
                     s.workspace.data(), s.stream);
  };
}

TimedLaunch Bench::fixed(std::uint64_t m, const LaunchParams& p) {
  State& s = *state_;
  LaunchPlan plan = s.plan(m);
  GemmArgs& g = plan.args;
  take_params(g, p);
  g.slice = u32(slice_borders(p, {m, s.shape.n, s.shape.k})[0][1]);
  const FixedNeeds needs = fixed_needs(g, p.ctas == 0 ? ~std::uint32_t{0} : u32(p.ctas));
  plan.grid = needs.grid;
  if (needs.tickets > most_tickets || needs.workspace_bytes > most_workspace)
    throw std::runtime_error("fixed.gemm: a workspace of " + std::to_string(needs.workspace_bytes) +
                             " bytes");
  g.workspace = s.workspace.data();
  g.tickets = s.tickets.as<std::uint32_t>();
  return [&s, plan](std::uint64_t turn) {
    LaunchPlan now = plan;
    now.args.b = s.weights(turn);
    launch_fixed_gemm(now);
  };
}

TimedLaunch Bench::persistent(std::uint64_t m) {
  State& s = *state_;
  LaunchPlan plan = s.plan(m);
  GemmArgs& g = plan.args;
  g.block_m = g.block_n = 128;
  g.block_k = 64;
  g.group_m = 8;
  g.stages = 6;
  const std::uint64_t tiles = ceil_div(m, g.block_m) * ceil_div(s.shape.n, g.block_n);
  plan.grid = u32(std::min(tiles, multiprocessors()));
  return [&s, plan](std::uint64_t turn) {
    LaunchPlan now = plan;
    now.args.b = s.weights(turn);
    launch_wgmma_gemm(now);
  };
}

double Bench::time(std::uint64_t m, const TimedLaunch& launch) {
  const double work = 2.0 * static_cast<double>(m * state_->shape.n) *
                      static_cast<double>(state_->shape.k);  // operations
  const std::uint64_t launches = work > 4e11 ? 4 : work > 5e10 ? 6 : 12;
  const int repeats = work > 1e11 ? 3 : 7;
  Graph graph(state_->stream, launches, launch);
  graph.milliseconds();  // warm
  std::vector<float> times;
  for (int i = 0; i < repeats; ++i) times.push_back(graph.milliseconds());
  std::ranges::sort(times);
  return 1000.0 * times[times.size() / 2] / static_cast<double>(launches);
}

std::vector<std::uint8_t> Bench::row(const TimedLaunch& launch) {
  const std::uint64_t bytes = state_->shape.n * 2;
  check(cudaMemsetAsync(state_->out.data(), poison, bytes, state_->stream), "cudaMemset");
  launch(0);
  std::vector<std::uint8_t> words(bytes);
  check(cudaMemcpyAsync(words.data(), state_->out.data(), bytes, cudaMemcpyDeviceToHost,
                        state_->stream),
        "cudaMemcpy");
  check(cudaStreamSynchronize(state_->stream), "a launch");
  return words;
}

void Bench::keep(const TimedLaunch& launch) {
  State& s = *state_;
  check(cudaMemsetAsync(s.out.data(), poison, s.out.bytes(), s.stream), "cudaMemset");
  launch(0);
  s.kept = DeviceBuffer(s.out.bytes());
  check(cudaMemcpyAsync(s.kept.data(), s.out.data(), s.out.bytes(), cudaMemcpyDeviceToDevice,
                        s.stream),
        "cudaMemcpy");
  check(cudaStreamSynchronize(s.stream), "a launch");
}

std::uint64_t Bench::differ(std::uint64_t m, const TimedLaunch& launch) {
  State& s = *state_;
  const std::uint64_t count = m * s.shape.n;
  check(cudaMemsetAsync(s.out.data(), poison, count * 2, s.stream), "cudaMemset");
  check(cudaMemsetAsync(s.differ.data(), 0, s.differ.bytes(), s.stream), "cudaMemset");
  launch(0);
  count_differences(s.out.as<const std::uint16_t>(), s.kept.as<const std::uint16_t>(), count,
                    s.differ.as<unsigned long long>(), s.stream);
  unsigned long long differ = 0;
  check(cudaMemcpyAsync(&differ, s.differ.data(), sizeof differ, cudaMemcpyDeviceToHost, s.stream),
        "cudaMemcpy");
  check(cudaStreamSynchronize(s.stream), "a launch");
  return differ;
}

std::vector<std::uint8_t> Bench::sums(std::uint64_t splits) {
  State& s = *state_;
  LaunchPlan plan = s.plan(1);
  GemmArgs& g = plan.args;
  LaunchParams p;
  p.splits = splits;
  g.b = s.weights(0);
  g.block_m = g.block_n = g.block_k = 64;
  g.group_m = 1;
  g.stages = 4;
  g.output = OutputType::f32;
  g.slice = u32(slice_borders(p, {1, s.shape.n, s.shape.k})[0][1]);
  const std::uint64_t slices = ceil_div(s.shape.k, std::uint64_t{g.slice});
  const DeviceBuffer out(s.shape.n * sizeof(float), poison);
  const DeviceBuffer partials(slices * s.shape.n * sizeof(float), poison);
  g.out = out.data();
  g.workspace = partials.data();
  plan.stream = nullptr;  // as launch_add_slices
  plan.grid = u32(slices * ceil_div(s.shape.n, std::uint64_t{64}));
  launch_wgmma_gemm(plan);
  if (slices > 1) launch_add_slices(g, OutputType::f32, u32(slices));
  return out.read();
}

}  // namespace whybits::gpu
