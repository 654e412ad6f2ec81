#include "server/review_command.hpp"

#include "server/offline/input.hpp"
#include "server/offline/outcome.hpp"
#include "server/offline/report.hpp"
#include "webhook/admit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <istream>
#include <iterator>
#include <optional>
#include <ostream>

namespace tpuwh::server {

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

ReviewOutcome answer(Input& input, const webhook::Config& config, webhook::Ledger& ledger,
                     webhook::Workspace& workspace) {
  if (!input.unusable.empty()) return unusable(input.unusable);
  const webhook::NoCluster cluster;
  return take_apart(webhook::admit(webhook::Body(input.review), config, cluster, workspace, ledger),
                    input.review);
}

std::string line(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
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
  webhook::Workspace workspace;
  webhook::MemoryLedger ledger;  // one for all inputs: they are one cluster's Pods
  Verdict worst = Verdict::allowed;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const ReviewOutcome outcome = answer(inputs[i], options.config, ledger, workspace);
    out << print(outcome, options);
    if (outcome.verdict == Verdict::unusable)
      err << (inputs.size() == 1
                  ? fmt::format("tpu-webhook: {}\n", outcome.message)
                  : fmt::format("tpu-webhook: input {}: {}\n", i + 1, outcome.message));
    worst = std::max(worst, outcome.verdict);
  }
  return static_cast<int>(worst);
}

}  // namespace tpuwh::server
