#include "base/names.hpp"
#include "webhook/read/vocabulary.hpp"
#include "webhook/validate/job.hpp"

#include <algorithm>
#include <vector>

namespace tpuwh::webhook::validate {

namespace {

using base::json::Reader;
using Texts = std::vector<std::string_view>;

bool read_container_name(Reader& in, Texts& names) {
  std::string_view name;
  const bool read = in.object([&](std::string_view key) {
    return key == "name" ? base::json::optional_text(in, name) : in.skip();
  });
  if (name.size() <= base::max_label_length && names.size() < read::max_elements)
    names.push_back(name);
  return read;
}

// The first that onExitCodes of a rule names.
bool read_policy_container(Reader& in, Reader::Mark policy, Texts& names) {
  return elements_at(in, policy, "rules", [&] {
    return in.object([&](std::string_view key) {
      if (key != "onExitCodes") return in.skip();
      if (in.take_null()) return true;
      return in.object([&](std::string_view member) {
        if (member != "containerName") return in.skip();
        std::string_view name;
        if (!base::json::optional_text(in, name)) return false;
        if (!name.empty()) names.push_back(name);
        return true;
      });
    });
  });
}

// Sets the first of `names` that no container of the template has.
bool find_missing(Reader& in, Reader::Mark spec, const Texts& names, std::string_view& missing) {
  if (names.empty()) return true;
  Texts present;
  for (const char* list : {"containers", "initContainers"})
    if (!elements_at(in, spec, list, [&] { return read_container_name(in, present); }))
      return false;
  std::ranges::sort(present);
  for (const std::string_view name : names)
    if (missing.empty() && !std::ranges::binary_search(present, name)) missing = name;
  return true;
}

// ---- a selector, against the labels that the API server writes on a Job's Pods

bool is_uid_key(std::string_view key) {
  return key == "controller-uid" || key == read::spelled(read::Label::job_uid);
}

bool is_name_key(std::string_view key) {
  return key == read::spelled(read::Label::job_name_legacy) ||
         key == read::spelled(read::Label::job_name);
}

// Which uid it is, is not known before there is one.
bool has_label(std::string_view key, std::string_view value, std::string_view job_name) {
  return is_uid_key(key) || (is_name_key(key) && value == job_name);
}

struct Expression {
  std::string_view key, op;
  bool has_value = false;  // one of its values may be the label's

  bool matches() const {
    const bool present = is_uid_key(key) || is_name_key(key);
    if (op == "Exists") return present;
    if (op == "DoesNotExist") return !present;
    return op == "In" ? has_value : !has_value || is_uid_key(key);
  }
};

// Its values stand before or behind its key.
bool read_expression(Reader& in, std::string_view job_name, bool& matches) {
  Expression expression;
  Texts values;
  const bool read = in.object([&](std::string_view key) {
    if (key == "key") return base::json::optional_text(in, expression.key);
    if (key == "operator") return base::json::optional_text(in, expression.op);
    if (key != "values" || in.take_null()) return key == "values" || in.skip();
    return in.array([&](std::size_t) {
      values.emplace_back();
      return base::json::optional_text(in, values.back());
    });
  });
  for (const std::string_view value : values)
    expression.has_value = expression.has_value || has_label(expression.key, value, job_name);
  matches = matches && expression.matches();
  return read;
}

bool read_selector(Reader& in, Reader::Mark selector, std::string_view job_name, bool& matches) {
  return object_at(in, selector, [&](std::string_view key) {
    if (key == "matchLabels" && !in.take_null())
      return in.object([&](std::string_view label) {
        std::string_view value;
        if (!base::json::optional_text(in, value)) return false;
        matches = matches && has_label(label, value, job_name);
        return true;
      });
    if (key == "matchExpressions" && !in.take_null())
      return in.array([&](std::size_t) { return read_expression(in, job_name, matches); });
    return key == "matchLabels" || key == "matchExpressions" || in.skip();
  });
}

}  // namespace

bool check_job_refusals(Checker& checker, const JobTemplate& job, std::string_view job_name,
                        controllers::JobMaker maker) {
  Reader& in = checker.reader();
  controllers::JobWords words;
  words.numbers = {job.completions, job.parallelism, is_indexed(job, maker)};
  words.has_failure_policy = bool(job.failure_policy);
  bool matches = true;
  TemplateSpec pod;
  Texts names;
  if (!read_template_spec(in, job.pod_template, pod) ||
      !below("podFailurePolicy", read_policy_container(in, job.failure_policy, names), in) ||
      !below("template.spec", find_missing(in, pod.spec, names, words.policy_container), in) ||
      !below("selector", read_selector(in, job.selector, job_name, matches), in))
    return false;
  words.pod = pod.words;
  words.selects_others = !matches && !job.manual_selector;
  words.selects = bool(job.selector) || job.manual_selector;
  checker.add_refusals(controllers::refusals_of_job(words, maker));
  return true;
}

}  // namespace tpuwh::webhook::validate
