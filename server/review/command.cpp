#include "server/review/command.hpp"

#include "server/review/input.hpp"
#include "server/review/outcome.hpp"
#include "server/review/report.hpp"
#include "server/source/snapshot.hpp"
#include "server/text/json_text.hpp"
#include "server/text/read_file.hpp"
#include "webhook/answer/admit.hpp"
#include "webhook/validate/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ostream>

namespace tpuwh::server::review {

namespace {

using Json = nlohmann::ordered_json;

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
  if (answer.summary.reason == webhook::outcome::Reason::not_a_pod)
    answer = webhook::validate::validate(body, config, around.cluster, around.workspace);
  return parse_answer(answer, input.review);
}

std::string cannot_read(const std::string& file, const Error& error) {
  return fmt::format("cannot read {}: {}", file, error.text());
}

// What is wrong with the cluster's file; nothing where there is none to read.
std::optional<std::string> read_cluster(const ReviewOptions& options, std::istream& in,
                                        Around& around) {
  const std::string& file = options.cluster;
  if (file.empty()) return std::nullopt;
  const auto text = text::read_file_or(in, file);
  if (!text) return cannot_read(file, text.error());
  auto snapshot = source::Snapshot::parse(*text, options.config.prefix);
  if (!snapshot) return fmt::format("--cluster {}: {}", file, snapshot.error().message());
  around.cluster = std::move(*snapshot);
  around.cluster.seed(around.ledger);
  return std::nullopt;
}

std::string line(const Json& value) {
  return text::dump_json(value) + "\n";
}

std::string print(const ReviewOutcome& outcome, const ReviewOptions& options, bool colour) {
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
      return as_text(outcome, options.config, {colour});
    case ReviewOutput::diff:
      return as_diff(outcome, {colour});
  }
  return {};
}

}  // namespace

int run_review(const ReviewOptions& options, const text::Console& console) {
  auto text = text::read_file_or(console.in, options.file);
  if (!text) return text::print_error(console, cannot_read(options.file, text.error()));
  std::vector<Input> inputs = read_inputs(std::move(*text));
  Around around;
  if (const auto wrong = read_cluster(options, console.in, around))
    return text::print_error(console, *wrong);
  Verdict worst = Verdict::allowed;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const ReviewOutcome outcome = answer_to(inputs[i], options.config, around);
    console.out << print(outcome, options, console.terminal);
    if (outcome.verdict == Verdict::unusable)
      text::print_error(console, inputs.size() == 1
                                     ? outcome.message
                                     : fmt::format("input {}: {}", i + 1, outcome.message));
    worst = std::max(worst, outcome.verdict);
  }
  return static_cast<int>(worst);
}

}  // namespace tpuwh::server::review
