// Time and allocations of one review: read, decide and respond, and all of it.
#include "bench/allocations.hpp"
#include "bench/payload.hpp"
#include "webhook/answer/admit.hpp"
#include "webhook/answer/respond.hpp"
#include "webhook/decide/decide.hpp"
#include "webhook/read/review.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace tpuwh;

struct Bench {
  std::string text;
  webhook::config::Config config;
  webhook::read::NoCluster cluster;
  base::json::Reader reader;
  webhook::read::Review review;
  webhook::read::Pod pod;
  webhook::decide::Kept kept;
  webhook::decide::Told told;
  webhook::write::Json answer;
  webhook::answer::Workspace workspace;

  explicit Bench(std::string body) : text(std::move(body)) {
    text.reserve(text.size() + webhook::read::padding);
  }
  bool read() {
    pod.clear();
    return webhook::read::read_review(text, config.prefix, reader, review, pod);
  }
  void decide() {
    const auto decision = webhook::decide::decide(review, pod, {config, cluster}, kept, told);
    webhook::answer::respond(review, decision, told, answer);
  }
};

// Runs `f` as the benchmark and counts what it allocates once it is warm.
template <class F>
void run(benchmark::State& state, F&& f) {
  f();
  const std::size_t before = bench::allocations();
  std::size_t rounds = 0;
  for (auto _ : state) {
    f();
    ++rounds;
  }
  state.counters["allocations"] =
      static_cast<double>(bench::allocations() - before) / static_cast<double>(rounds);
}

void read_review(benchmark::State& state) {
  Bench bench(bench::jobset_review());
  run(state, [&] { benchmark::DoNotOptimize(bench.read()); });
  state.counters["bytes"] = static_cast<double>(bench.text.size());
}

void decide_and_respond(benchmark::State& state) {
  Bench bench(bench::jobset_review());
  bench.read();
  run(state, [&] { bench.decide(); });
}

void admit(benchmark::State& state) {
  Bench bench(bench::jobset_review());
  run(state, [&] {
    benchmark::DoNotOptimize(webhook::answer::admit(webhook::read::Body(bench.text), bench.config,
                                                    bench.cluster, bench.workspace)
                                 .body.size());
  });
}

// Pods of one slice, whose host list is built for the first of them: what grows with the
// slice is the answer that is sent.
void admit_hosts(benchmark::State& state) {
  static constexpr const char* shapes[] = {"2x2x1",   "2x2x2",    "4x4x4",
                                           "8x16x16", "16x16x24", "16x24x24"};
  Bench bench(bench::jobset_review_of(shapes[state.range(0)]));
  std::size_t bytes = 0;
  run(state, [&] {
    bytes = webhook::answer::admit(webhook::read::Body(bench.text), bench.config, bench.cluster,
                                   bench.workspace)
                .body.size();
  });
  state.SetLabel(shapes[state.range(0)]);
  state.counters["answer_bytes"] = static_cast<double>(bytes);
  state.counters["hosts"] =
      static_cast<double>(topology::Dims::parse(shapes[state.range(0)])->chips()) / 4;
}

BENCHMARK(read_review);
BENCHMARK(decide_and_respond);
BENCHMARK(admit);
BENCHMARK(admit_hosts)->DenseRange(0, 5);

}  // namespace

BENCHMARK_MAIN();
