#include "tests/fuzz/growth.hpp"

#include "tests/fuzz/targets.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>

namespace tpuwh::fuzz {
namespace {

using Nanoseconds = std::chrono::nanoseconds;

Nanoseconds thread_time() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + Nanoseconds(now.tv_nsec);
}

// Below it a time says more about caches and page faults than about the input.
constexpr Nanoseconds negligible = std::chrono::milliseconds(3);

// Four times the input may take ten times as long: what is linear takes four times, what is
// quadratic sixteen.
constexpr int most_times = 10;

// Strings and buffers that double, twice over, and small ones that are kept.
constexpr std::size_t most_heap(std::size_t bytes) {
  return 8 * bytes + (std::size_t{128} << 10);
}

struct Cost {
  Nanoseconds time = Nanoseconds::max();
  std::size_t heap = 0;
};

void measure(const std::string& input, const Read& read, Cost& cost) {
  const Nanoseconds begin = thread_time();
  cost.heap = read(input);
  cost.time = std::min(cost.time, thread_time() - begin);
}

bool too_slow(const Cost& once, const Cost& four_times) {
  return four_times.time > negligible && four_times.time > most_times * once.time;
}

Growth most;

std::string in_microseconds(Nanoseconds time) {
  return std::to_string(time.count() / 1000) + " us";
}

// The input that is `factor` times as long.
using Longer = std::function<std::string(std::size_t factor)>;

// Whether `large` takes more than in proportion to `small`, each by the least of some tries.
bool grows(const std::string& small, const std::string& large, const Read& read, Cost& once,
           Cost& four_times) {
  constexpr int tries = 5;
  for (int i = 0; i < tries; ++i) {
    measure(large, read, four_times);
    require(four_times.heap <= most_heap(large.size()),
            std::to_string(large.size()) + " bytes hold " + std::to_string(four_times.heap));
    most.heap_per_byte = std::max(most.heap_per_byte, static_cast<double>(four_times.heap) /
                                                          static_cast<double>(large.size()));
    if (four_times.time <= negligible) return false;
    measure(small, read, once);
    if (!too_slow(once, four_times)) {
      most.times = std::max(most.times, static_cast<double>(four_times.time.count()) /
                                            static_cast<double>(once.time.count()));
      return false;
    }
  }
  return true;
}

// What is refused at its beginning and what is read to its end are no two lengths of one thing:
// what grows once has to grow again.
void require_linear(const Longer& input, const Read& read) {
  const std::string small = input(1), large = input(4);
  Cost once, four_times, again;
  if (!grows(small, large, read, once, four_times)) return;
  const std::string largest = input(16);
  Cost of_large;
  if (!grows(large, largest, read, of_large, again)) return;
  require(false, std::to_string(small.size()) + " bytes take " + in_microseconds(once.time) + ", " +
                     std::to_string(large.size()) + " take " + in_microseconds(four_times.time) +
                     ", " + std::to_string(largest.size()) + " take " +
                     in_microseconds(again.time));
}

std::string times(std::string_view bytes, std::string_view between, std::size_t number) {
  std::string out;
  for (std::size_t i = 0; i < number; ++i) out.append(bytes).append(between);
  return out;
}

}  // namespace

std::string repeated(std::string_view bytes, std::size_t size) {
  if (bytes.empty()) return {};
  const std::size_t chance = std::hash<std::string_view>()(bytes);
  const std::size_t begin = chance % bytes.size();
  const std::size_t length = 1 + (chance >> 16) % (bytes.size() - begin);
  const std::string_view piece = bytes.substr(begin, length);
  std::string out(bytes.substr(0, begin));
  out.reserve(size + bytes.size());
  do out += piece;
  while (out.size() < size);
  out += bytes.substr(begin + length);
  return out;
}

void require_linear(std::string_view bytes, std::size_t size, const Read& read) {
  if (bytes.empty()) return;
  require_linear([&](std::size_t factor) { return repeated(bytes, factor * size); }, read);
}

void require_linear_time(std::string_view bytes, std::string_view between,
                         const std::function<void(std::string_view bytes)>& command) {
  constexpr std::size_t one_in = 8, size = std::size_t{8} << 10;
  if (bytes.empty() || std::hash<std::string_view>()(bytes) % one_in != 0) return;
  const Read read = [&](std::string_view input) {
    command(input);
    return std::size_t{0};
  };
  require_linear(bytes, size, read);
  const std::size_t number = 1 + size / bytes.size();
  require_linear([&](std::size_t factor) { return times(bytes, between, factor * number); }, read);
}

const Growth& most_growth() {
  return most;
}

}  // namespace tpuwh::fuzz
