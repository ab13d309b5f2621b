// Runs a fuzz target without libFuzzer, so that every compiler can: replays a corpus, then mutates
// it. Options as in libFuzzer: -runs=N, -max_total_time=SECONDS, -seed=N, -max_len=BYTES,
// -dict=FILE; everything else is a corpus file or directory. Deterministic for a seed and -runs.
// An input that ends the process is left in crash-input.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Input = std::string;
namespace fs = std::filesystem;

struct Options {
  std::uint64_t runs = 0;  // 0: replay only, unless a time is given
  double seconds = 0;
  std::uint64_t seed = 1;
  std::size_t max_length = 4096;
  std::vector<Input> corpus;
  std::vector<Input> dictionary;
};

const Input* current_input = nullptr;

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }

 private:
  std::uint64_t state_;
};

Input read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    std::exit(2);
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

// A libFuzzer dictionary: one "token" a line, # comments, \\ \" and \xAB inside.
std::vector<Input> read_dictionary(const fs::path& path) {
  std::vector<Input> tokens;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find('"');
    const std::size_t last = line.rfind('"');
    if (line.empty() || line[0] == '#' || first == last) continue;
    Input token;
    for (std::size_t i = first + 1; i < last; ++i) {
      if (line[i] == '\\' && i + 3 < last && line[i + 1] == 'x') {
        token += static_cast<char>(std::strtoul(line.substr(i + 2, 2).c_str(), nullptr, 16));
        i += 3;
      } else {
        if (line[i] == '\\') ++i;
        token += line[i];
      }
    }
    tokens.push_back(token);
  }
  return tokens;
}

void add_corpus(const fs::path& path, Options& options) {
  if (!fs::is_directory(path)) {
    options.corpus.push_back(read_file(path));
    return;
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());  // the same order on every file system
  for (const auto& file : files) options.corpus.push_back(read_file(file));
}

Options parse(int argc, char** argv) {
  Options options;
  for (const std::string& argument : std::vector<std::string>(argv + 1, argv + argc)) {
    const std::size_t equals = std::min(argument.find('='), argument.size());
    const std::string name = argument.substr(0, equals);
    const std::string value = argument.substr(std::min(equals + 1, argument.size()));
    if (name == "-runs") {
      options.runs = std::strtoull(value.c_str(), nullptr, 10);
    } else if (name == "-max_total_time") {
      options.seconds = std::strtod(value.c_str(), nullptr);
    } else if (name == "-seed") {
      options.seed = std::strtoull(value.c_str(), nullptr, 0);
    } else if (name == "-max_len") {
      options.max_length = std::strtoull(value.c_str(), nullptr, 10);
    } else if (name == "-dict") {
      options.dictionary = read_dictionary(value);
    } else if (argument.starts_with("-")) {
      std::fprintf(stderr, "ignored, only libFuzzer knows it: %s\n", argument.c_str());
    } else {
      add_corpus(argument, options);
    }
  }
  return options;
}

void mutate_once(Input& input, const Options& options, Random& random) {
  const std::size_t at = random.below(input.size() + 1);
  switch (random.below(input.empty() ? 3 : 8)) {
    case 0:
      input.insert(at, 1, static_cast<char>(random.next()));
      break;
    case 1: {  // a token of the language
      if (options.dictionary.empty()) break;
      const Input& token = options.dictionary[random.below(options.dictionary.size())];
      input.insert(at, token);
      break;
    }
    case 2: {  // the head of this one and the tail of another
      if (options.corpus.empty()) break;
      const Input& other = options.corpus[random.below(options.corpus.size())];
      input = input.substr(0, at) + other.substr(random.below(other.size() + 1));
      break;
    }
    case 3:
      input[random.below(input.size())] ^= static_cast<char>(1U << random.below(8));
      break;
    case 4:
      input[random.below(input.size())] = static_cast<char>(random.next());
      break;
    case 5:
      input.erase(at, 1 + random.below(8));
      break;
    case 6: {  // repeat a piece: nesting, long numbers
      const Input piece = input.substr(random.below(input.size()), 1 + random.below(16));
      for (std::size_t n = 1 + random.below(8); n > 0; --n) input.insert(at, piece);
      break;
    }
    default: {  // digits decide sizes
      static constexpr std::string_view kDigits = "0123456789-.";
      input[random.below(input.size())] = kDigits[random.below(kDigits.size())];
      break;
    }
  }
}

void run(const Input& input) {
  current_input = &input;
  // An exact copy on the heap: reading past its end is seen by the address sanitizer.
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  current_input = nullptr;
}

// Not strictly allowed in a signal handler; the process is lost anyway and the input is worth it.
void keep_input() {
  if (current_input == nullptr) return;
  std::ofstream("crash-input", std::ios::binary) << *current_input;
  std::fprintf(stderr, "the input that failed is in crash-input (%zu bytes)\n",
               current_input->size());
  current_input = nullptr;
}

extern "C" void on_signal(int signal) {
  keep_input();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

std::uint64_t mutate(const Options& options) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  Random random(options.seed);
  std::uint64_t runs = 0;
  const auto over = [&] {
    if (options.runs > 0 && runs >= options.runs) return true;
    if (options.seconds <= 0) return options.runs == 0;
    return std::chrono::duration<double>(Clock::now() - start).count() >= options.seconds;
  };
  for (; !over(); ++runs) {
    Input input =
        options.corpus.empty() ? Input{} : options.corpus[random.below(options.corpus.size())];
    for (std::size_t n = 1 + random.below(6); n > 0; --n) mutate_once(input, options, random);
    if (input.size() > options.max_length) input.resize(options.max_length);
    run(input);
  }
  return runs;
}

}  // namespace

#if defined(__SANITIZE_ADDRESS__)
extern "C" void __sanitizer_set_death_callback(void (*callback)());
#endif

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_set_death_callback(keep_input);
#endif
  for (const int signal : {SIGABRT, SIGFPE, SIGILL}) std::signal(signal, on_signal);
#if !defined(__SANITIZE_ADDRESS__)
  std::signal(SIGSEGV, on_signal);
#endif

  std::printf("seed %llu, %zu corpus inputs, %zu tokens\n",
              static_cast<unsigned long long>(options.seed), options.corpus.size(),
              options.dictionary.size());
  std::fflush(stdout);
  for (const Input& input : options.corpus) run(input);
  const std::uint64_t runs = mutate(options);
  std::printf("replayed %zu inputs, ran %llu mutations\n", options.corpus.size(),
              static_cast<unsigned long long>(runs));
  return options.corpus.size() + runs > 0 ? 0 : 1;
}
