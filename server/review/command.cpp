#include "server/review/command.hpp"

#include "server/review/input.hpp"
#include "server/review/outcome.hpp"
#include "server/review/report.hpp"
#include "server/source/object_source.hpp"
#include "server/source/snapshot.hpp"
#include "server/text/input_files.hpp"
#include "server/text/json_text.hpp"
#include "server/text/read_file.hpp"
#include "topology/result.hpp"
#include "webhook/answer/admit.hpp"
#include "webhook/outcome/summary.hpp"
#include "webhook/validate/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace tpuwh::server::review {

namespace {

using Json = nlohmann::ordered_json;

constexpr auto what_is_reviewed = "an AdmissionReview, a manifest or a List";

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

// What stands in one file.
struct FileInputs {
  std::string name;
  std::vector<Input> inputs;
};

// All of them are read before the first is answered.
//
//   errors  bad_value: a file cannot be read, is empty or holds no object
Result<std::vector<FileInputs>> read_files(const ReviewOptions& options, std::istream& in) {
  const std::vector<std::string> names =
      options.files.empty() ? std::vector<std::string>{"-"} : options.files;
  const auto files = text::input_files(names);
  if (!files) return files.error();
  std::vector<FileInputs> out;
  for (const std::string& file : *files) {
    const std::string name = text::spoken_file(file);
    auto text = text::read_file_or(in, file);
    if (!text)
      return Error(Errc::bad_value, fmt::format("cannot read {}: {}", name, text.error().text()));
    if (text->find_first_not_of(" \t\r\n") == std::string::npos)
      return Error(Errc::bad_value, fmt::format("{} is empty; want {}", name, what_is_reviewed));
    out.push_back({name, read_inputs(std::move(*text), options.ns)});
    if (out.back().inputs.empty())
      return Error(Errc::bad_value,
                   fmt::format("{} holds no objects; want {}", name, what_is_reviewed));
  }
  return out;
}

// Nothing where there is no snapshot to read.
Result<void> read_cluster(const ReviewOptions& options, std::istream& in, Around& around) {
  if (options.cluster.empty()) return {};
  source::SnapshotFile file(options.cluster, in);
  file.may_be_empty();
  around.cluster = source::Snapshot(options.config.prefix);
  const auto told =
      file.for_each([&](std::string_view, const Json& object) { around.cluster.add(object); });
  if (told) around.cluster.seed(around.ledger);
  return told;
}

// Recorded reviews into a pipe are answered as they were asked: byte for byte.
ReviewOutput usual_output(const std::vector<FileInputs>& files, bool terminal) {
  const auto recorded = [](const FileInputs& file) {
    return std::ranges::all_of(file.inputs, &Input::recorded);
  };
  return !terminal && std::ranges::all_of(files, recorded) ? ReviewOutput::review
                                                           : ReviewOutput::text;
}

std::string line(const Json& value) {
  return text::dump_json(value) + "\n";
}

// For programs, with everything that the other forms tell of.
Json summary(const ReviewOutcome& outcome, const std::string& file) {
  static constexpr const char* verdicts[] = {"allowed", "denied", "unusable"};
  Json out;
  out["file"] = file;
  out["kind"] = outcome.kind;
  out["namespace"] = outcome.ns;
  out["name"] = outcome.name;
  out["verdict"] = verdicts[static_cast<int>(outcome.verdict)];
  out["reason"] = webhook::outcome::name(outcome.reason);
  out["workload"] = outcome.workload;
  out["description"] = outcome.description;
  if (outcome.verdict != Verdict::allowed) {
    out["code"] = outcome.code;
    out["message"] = outcome.message;
  }
  out["warnings"] = outcome.warnings;
  out["patch"] = outcome.patch;
  return out;
}

std::string print(const ReviewOutcome& outcome, const std::string& file, ReviewOutput output,
                  const webhook::config::Config& config, bool colour) {
  const bool failed = outcome.verdict != Verdict::allowed;
  const auto or_error = [&](const Json& value) {
    if (!failed) return line(value);
    return line({{"error", {{"code", outcome.code}, {"message", outcome.message}}}});
  };
  switch (output) {
    case ReviewOutput::text:
      return as_text(outcome, config, {colour});
    case ReviewOutput::json:
      return line(summary(outcome, file));
    case ReviewOutput::diff:
      return as_diff(outcome, {colour});
    case ReviewOutput::review:
      return outcome.answer;
    case ReviewOutput::patch:
      return or_error(outcome.patch);
    case ReviewOutput::object:
      return or_error(outcome.after);
  }
  return {};
}

// Which input a sentence is about, as far as there are several.
std::string where(const std::vector<FileInputs>& files, const FileInputs& file, std::size_t input) {
  const std::string name = files.size() == 1 ? "" : file.name + ": ";
  return file.inputs.size() == 1 ? name : fmt::format("{}input {}: ", name, input + 1);
}

}  // namespace

int run_review(const ReviewOptions& options, const text::Console& console) {
  if (options.files.empty() && console.interactive)
    return text::print_error(
        console,
        fmt::format("nothing to review; want {} in FILE, or - to type it", what_is_reviewed));
  auto files = read_files(options, console.in);
  if (!files) return text::print_error(console, files.error());
  Around around;
  if (const auto told = read_cluster(options, console.in, around); !told)
    return text::print_error(console, told.error());
  const ReviewOutput output = options.output.value_or(usual_output(*files, console.terminal));
  Verdict worst = Verdict::allowed;
  for (FileInputs& file : *files)
    for (std::size_t i = 0; i < file.inputs.size(); ++i) {
      const ReviewOutcome outcome = answer_to(file.inputs[i], options.config, around);
      console.out << print(outcome, file.name, output, options.config, console.terminal);
      if (outcome.verdict == Verdict::unusable)
        text::print_error(console, where(*files, file, i) + outcome.message);
      worst = std::max(worst, outcome.verdict);
      if (options.strict && !outcome.warnings.empty()) worst = std::max(worst, Verdict::denied);
    }
  return static_cast<int>(worst);
}

}  // namespace tpuwh::server::review
