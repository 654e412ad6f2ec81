#include "kubectl/review/command.hpp"

#include "base/result.hpp"
#include "kubectl/inspect/source/documents.hpp"
#include "kubectl/inspect/source/input_files.hpp"
#include "kubectl/inspect/source/snapshot_file.hpp"
#include "kubectl/print/shell_command.hpp"
#include "kubectl/review/input.hpp"
#include "kubectl/review/outcome.hpp"
#include "kubectl/review/remark.hpp"
#include "kubectl/review/report.hpp"
#include "kubectl/review/reviewer.hpp"
#include "kubectl/text/json_line.hpp"
#include "server/text/json_text.hpp"
#include "server/text/read_file.hpp"
#include "server/text/visible.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace tpuwh::server::review {

namespace {

constexpr auto what_is_reviewed = "an AdmissionReview, a manifest or a List";

ReviewOutcome answer_to(Input& input, Reviewer& reviewer) {
  if (!input.unusable.empty()) return unusable(input.unusable);
  ReviewOutcome outcome = parse_answer(reviewer.answer(input.review), input.review);
  if (outcome.verdict == Verdict::unusable && !input.fault.empty()) outcome.message = input.fault;
  outcome.warnings.insert(outcome.warnings.begin(), input.notes.begin(), input.notes.end());
  return outcome;
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
  const auto files = source::input_files(names);
  if (!files) return files.error();
  std::vector<FileInputs> out;
  for (const std::string& file : *files) {
    const std::string name = source::spoken_file(file);
    auto text = text::read_file_or(in, file, text::max_snapshot_bytes);
    if (!text) return bad_value(fmt::format("cannot read {}: {}", name, text.error().text()));
    if (source::is_blank(*text))
      return bad_value(fmt::format("{} is empty; expected {}", name, what_is_reviewed));
    out.push_back({name, read_inputs(std::move(*text), options.ns)});
    if (out.back().inputs.empty())
      return bad_value(fmt::format("{} holds no objects; expected {}", name, what_is_reviewed));
  }
  return out;
}

// Nothing where there is no snapshot to read.
// Else the sentences of what was left out of it.
Result<std::vector<std::string>> read_cluster(const ReviewOptions& options, std::istream& in,
                                              Reviewer& reviewer) {
  if (options.cluster.empty()) return std::vector<std::string>();
  source::SnapshotFile file(options.cluster, in, source::reads_of_review());
  file.may_be_empty();
  const auto told =
      file.for_each([&](std::string_view, const Json& object) { reviewer.cluster().add(object); });
  if (!told) return told.error();
  reviewer.take_places();
  return file.not_known();
}

// Recorded reviews into a pipe are answered as they were asked: byte for byte.
ReviewOutput usual_output(const std::vector<FileInputs>& files, bool terminal) {
  const auto recorded = [](const FileInputs& file) {
    return std::ranges::all_of(file.inputs, &Input::recorded);
  };
  return !terminal && std::ranges::all_of(files, recorded) ? ReviewOutput::review
                                                           : ReviewOutput::text;
}

// For programs, with everything that the other forms tell of.
Json of_told(const Remark& told) {
  return {{"level", told.denied ? "deny" : "warn"},
          {"id", told.id},
          {"sentence", told.sentence},
          {"fix", fixes::words(told.fix)},
          {"how", fixes::json(told.fix)}};
}

Json summary(const ReviewOutcome& outcome, const std::string& file,
             const std::vector<Remark>& all) {
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
  out["findings"] = Json::array();
  for (const Remark& each : all) out["findings"].push_back(of_told(each));
  out["patch"] = outcome.patch;
  return out;
}

text::Printed print(const ReviewOutcome& outcome, ReviewOutput output,
                    const webhook::config::Config& config, bool terminal) {
  const bool failed = outcome.verdict != Verdict::allowed;
  const auto or_error = [&](const Json& value) {
    if (!failed) return text::json_line(value);
    return text::json_line({{"error", {{"code", outcome.code}, {"message", outcome.message}}}});
  };
  switch (output) {
    case ReviewOutput::text:
      return as_text(outcome, config, {terminal});
    case ReviewOutput::json:
      break;
    case ReviewOutput::diff:
      return as_diff(outcome, {terminal});
    case ReviewOutput::review:
      return text::Printed::trusted(terminal ? text::visible_json(outcome.answer) : outcome.answer);
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

// Of what is checked and not answered as a Pod, another command tells more.
text::Printed pointer(const ReviewOptions& options) {
  print::ShellCommand command("kubectl tpu explain");
  if (std::ranges::count(options.files, "-") == 0)
    for (const std::string& file : options.files) command.arg(file);
  if (command.text().empty()) return {};
  return text::printed("Its Pods, slices and node pools: {}\n", command.text());
}

bool makes_pods(const ReviewOutcome& outcome) {
  using webhook::outcome::Reason;
  return outcome.reason == Reason::checked || outcome.reason == Reason::never_works;
}

}  // namespace

int run_review(const ReviewOptions& options, const text::Console& console) {
  if (options.files.empty() && console.interactive)
    return text::print_error(
        console,
        fmt::format("nothing to review; expected {} in FILE, or - to type it", what_is_reviewed));
  auto files = read_files(options, console.in);
  if (!files) return text::print_error(console, files.error());
  Reviewer reviewer(options.config);
  const auto not_known = read_cluster(options, console.in, reviewer);
  if (!not_known) return text::print_error(console, not_known.error());
  for (const std::string& each : *not_known) console.err << text::printed("not known: {}\n", each);
  const ReviewOutput output = options.output.value_or(usual_output(*files, console.terminal));
  Verdict worst = Verdict::allowed;
  bool workloads = false;
  for (FileInputs& file : *files)
    for (std::size_t i = 0; i < file.inputs.size(); ++i) {
      const ReviewOutcome outcome = answer_to(file.inputs[i], reviewer);
      if (output == ReviewOutput::json)
        console.out << text::json_line(
            summary(outcome, file.name,
                    all_remarks(outcome, file.inputs[i].review, reviewer, options.config.prefix)));
      else
        console.out << print(outcome, output, options.config, console.terminal);
      if (outcome.verdict == Verdict::unusable)
        text::print_error(console, where(*files, file, i) + outcome.message);
      worst = std::max(worst, outcome.verdict);
      workloads = workloads || makes_pods(outcome);
      if (options.strict && !outcome.warnings.empty()) worst = std::max(worst, Verdict::denied);
    }
  if (workloads && output == ReviewOutput::text) console.out << pointer(options);
  return static_cast<int>(worst);
}

}  // namespace tpuwh::server::review
