#include "server/review/command.hpp"

#include "server/review/input.hpp"
#include "server/review/outcome.hpp"
#include "server/review/report.hpp"
#include "server/source/snapshot.hpp"
#include "server/text/json_text.hpp"
#include "webhook/answer/admit.hpp"
#include "webhook/validate/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <istream>
#include <iterator>
#include <optional>
#include <ostream>

namespace tpuwh::server::review {

namespace {

using Json = nlohmann::ordered_json;

std::string read_all(std::istream& in) {
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::optional<std::string> read_file(const std::string& file, std::istream& in) {
  if (file == "-") return read_all(in);
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::nullopt;
  std::string text = read_all(stream);
  if (stream.bad()) return std::nullopt;
  return text;
}

// What is known of the cluster, and what changes while its Pods are created.
struct Around {
  source::Snapshot cluster;
  webhook::ledger::MemoryLedger ledger;
  webhook::answer::Workspace workspace;
};

ReviewOutcome answer_to(Input& input, const webhook::config::Config& config, Around& around) {
  if (!input.unusable.empty()) return unusable(input.unusable);
  const webhook::read::Body body(input.review);
  auto answer =
      webhook::answer::admit(body, config, around.cluster, around.workspace, around.ledger);
  // The API server asks about Pods at /mutate, about what makes them at /validate.
  if (answer.summary.reason == webhook::decide::Reason::not_a_pod)
    answer = webhook::validate::validate(body, config, around.cluster, around.workspace);
  return parse_answer(answer, input.review);
}

// Empty and true if there is nothing to read.
bool read_cluster(const std::string& file, std::string_view prefix, Around& around,
                  std::istream& in, std::ostream& err) {
  if (file.empty()) return true;
  const auto text = read_file(file, in);
  if (!text) {
    err << fmt::format("tpu-webhook: cannot read {}\n", file);
    return false;
  }
  auto snapshot = source::Snapshot::parse(*text, prefix);
  if (!snapshot) {
    err << fmt::format("tpu-webhook: --cluster {}: {}\n", file, snapshot.error().message());
    return false;
  }
  around.cluster = std::move(*snapshot);
  around.cluster.seed(around.ledger);
  return true;
}

std::string line(const Json& value) {
  return text::dump_json(value) + "\n";
}

std::string print(const ReviewOutcome& outcome, const ReviewOptions& options) {
  const bool failed = outcome.verdict != Verdict::allowed;
  const auto or_error = [&](const Json& value) {
    if (!failed) return line(value);
    return line({{"error", {{"code", outcome.code}, {"message", outcome.message}}}});
  };
  switch (options.output) {
    case ReviewOutput::review:
      return outcome.answer;
    case ReviewOutput::patch:
      return or_error(outcome.patch);
    case ReviewOutput::object:
      return or_error(outcome.after);
    case ReviewOutput::text:
      return as_text(outcome, options.config, {options.colour});
    case ReviewOutput::diff:
      return as_diff(outcome, {options.colour});
  }
  return {};
}

}  // namespace

int run_review(const ReviewOptions& options, std::istream& in, std::ostream& out,
               std::ostream& err) {
  auto text = read_file(options.file, in);
  if (!text) {
    err << fmt::format("tpu-webhook: cannot read {}\n", options.file);
    return static_cast<int>(Verdict::unusable);
  }
  std::vector<Input> inputs = read_inputs(std::move(*text));
  Around around;
  if (!read_cluster(options.cluster, options.config.prefix, around, in, err))
    return static_cast<int>(Verdict::unusable);
  Verdict worst = Verdict::allowed;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const ReviewOutcome outcome = answer_to(inputs[i], options.config, around);
    out << print(outcome, options);
    if (outcome.verdict == Verdict::unusable)
      err << (inputs.size() == 1
                  ? fmt::format("tpu-webhook: {}\n", outcome.message)
                  : fmt::format("tpu-webhook: input {}: {}\n", i + 1, outcome.message));
    worst = std::max(worst, outcome.verdict);
  }
  return static_cast<int>(worst);
}

}  // namespace tpuwh::server::review
