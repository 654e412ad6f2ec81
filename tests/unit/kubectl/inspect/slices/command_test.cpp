#include "kubectl/inspect/slices/command.hpp"
#include "base/result.hpp"
#include "server/kube/access/errc.hpp"

#include "tests/support/pod_builder.hpp"
#include "tests/support/ran.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace tpuwh::server::slices {
namespace {

using test::a_pod;
using test::json;
using test::ran;
using test::Ran;
using testing::HasSubstr;

// A host of the two of Job `name` in `ns`, as a Pod without TPU environment.
json host(const std::string& ns, const std::string& name, std::uint32_t index) {
  json pod = a_pod().job(name, index).topology("2x4").tpu(4).pod();
  pod["metadata"]["namespace"] = ns;
  pod["metadata"]["name"] = name + "-" + std::to_string(index);
  return pod;
}

// Another cluster each time it is asked; the last one stays.
class Told final : public source::ObjectSource {
 public:
  explicit Told(std::vector<std::vector<json>> clusters) : clusters_(std::move(clusters)) {}

  Result<void> for_each(const Each& each) override {
    const auto& cluster = clusters_.at(std::min(next_++, clusters_.size() - 1));
    for (const json& pod : cluster) each("Pod", pod);
    return {};
  }

 private:
  std::vector<std::vector<json>> clusters_;
  std::size_t next_ = 0;
};

Told once(std::vector<json> pods) {
  std::vector<std::vector<json>> clusters;
  clusters.push_back(std::move(pods));
  return Told(std::move(clusters));
}

class Broken final : public source::ObjectSource {
 public:
  Result<void> for_each(const Each&) override {
    return Error(base::Errc::bad_value, "no such cluster");
  }
};

Ran audit(const SlicesOptions& options, source::ObjectSource&& source) {
  return ran([&](const auto& console) { return print_audit(options, source, console); });
}

Ran slices(const SlicesOptions& options, source::ObjectSource&& source,
           const std::function<bool()>& wait = {}) {
  return ran(
      [&](const auto& console) {
        return print_slices(options, {source, wait}, console);
      },
      "", options.watch);
}

SlicesOptions of(const std::string& ns, const std::string& name = {}) {
  SlicesOptions options;
  options.ns = ns;
  options.name = name;
  return options;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(SlicesCommand, filters_by_namespace_and_name) {
  const std::vector<json> pods = {host("ml", "a", 0), host("ml", "b", 0), host("web", "a", 0)};
  EXPECT_EQ(count(slices(of(""), once(pods)).out, "Job/"), 3u);
  EXPECT_EQ(count(slices(of("ml"), once(pods)).out, "Job/"), 2u);
  EXPECT_EQ(count(slices(of("", "a"), once(pods)).out, "Job/a"), 2u);
  EXPECT_EQ(slices(of("none"), once(pods)).out, "no Pod asks for google.com/tpu\n");
}

TEST(SlicesCommand, a_name_that_nothing_has_is_said_to_be_none) {
  const std::vector<json> pods = {host("ml", "train", 0), host("web", "serve", 0)};
  const std::string said =
      "kubectl-tpu: no slice is of a workload called trian; did you mean \"train\"?\n";
  for (const auto& done :
       {slices(of("", "trian"), once(pods)), audit(of("", "trian"), once(pods))}) {
    EXPECT_EQ(done.code, 2);
    EXPECT_EQ(done.err, said);
    EXPECT_EQ(done.out, "");
  }
  EXPECT_EQ(audit(of("web", "train"), once(pods)).err,
            "kubectl-tpu: no slice is of a workload called train in namespace web\n");
}

TEST(SlicesCommand, watching_waits_for_a_name) {
  auto options = of("", "train");
  options.watch = true;
  const std::vector<json> before = {host("ml", "a", 0)}, after = {host("ml", "train", 0)};
  int left = 2;
  const auto done = slices(options, Told({before, after}), [&] { return --left > 0; });
  EXPECT_EQ(done.code, 0);
  EXPECT_THAT(done.out, HasSubstr("Job/train"));
}

TEST(SlicesCommand, watching_prints_what_has_changed) {
  const std::vector<json> one = {host("ml", "a", 0)},
                          two = {host("ml", "a", 0), host("ml", "a", 1)};
  int left = 4;
  const auto done = slices({}, Told({one, one, two, two}), [&] { return --left > 0; });
  EXPECT_EQ(done.code, 0);
  EXPECT_EQ(count(done.out, "NAMESPACE"), 2u);
  EXPECT_THAT(done.out, HasSubstr("1 of 2, missing 1"));
  EXPECT_THAT(done.out, HasSubstr("\n\n  NAMESPACE"));
}

TEST(SlicesCommand, counts_by_a_label_as_it_is_each_time) {
  json of_a_team = host("ml", "a", 0);
  of_a_team["metadata"]["labels"]["team"] = "vision";
  SlicesOptions options;
  options.by = CountBy{.label = "team"};
  int left = 2;
  const auto done = slices(options, Told({{of_a_team, host("ml", "b", 0)}, {host("ml", "a", 0)}}),
                           [&] { return --left > 0; });
  EXPECT_EQ(done.code, 0);
  EXPECT_EQ(count(done.out, "  vision   tpu-v6e-slice"), 1u);
  EXPECT_EQ(count(done.out, "  (none)   tpu-v6e-slice"), 2u);
  EXPECT_EQ(count(done.out, "no TPU Pod has label team"), 1u);
}

TEST(SlicesCommand, counts_what_the_filters_choose) {
  SlicesOptions options = of("ml");
  options.by = CountBy();
  const auto done = slices(options, once({host("ml", "a", 0), host("web", "a", 0)}));
  EXPECT_EQ(count(done.out, "  ml "), 1u);
  EXPECT_EQ(count(done.out, "  web "), 0u);
  EXPECT_EQ(count(done.out, "(total)"), 1u);
}

TEST(SlicesCommand, prices_that_cannot_be_read_are_said_before_the_cluster_is) {
  SlicesOptions options;
  options.by = CountBy{.prices = "/no/such.yaml"};
  const auto done = slices(options, Broken());
  EXPECT_EQ(done.code, 2);
  EXPECT_EQ(done.err, "kubectl-tpu: --prices: /no/such.yaml: No such file or directory\n");
}

TEST(AuditCommand, exits_with_1_for_an_error_alone) {
  const auto found = audit({}, once({host("ml", "a", 0), host("ml", "a", 1)}));
  EXPECT_EQ(found.code, 1);
  EXPECT_THAT(found.out, HasSubstr("error unmutated TPU-705: Job ml/a\n"));
  EXPECT_EQ(audit(of("web"), once({host("ml", "a", 0)})).code, 0);
  EXPECT_EQ(audit({}, once({})).out, "0 errors and 0 warnings in 0 slices of 0 living TPU Pods\n");
}

TEST(AuditCommand, prints_one_line_of_json) {
  SlicesOptions options;
  options.output = SlicesOutput::json;
  const auto found = audit(options, once({host("ml", "a", 0), host("ml", "a", 1)}));
  EXPECT_EQ(count(found.out, "\n"), 1u);
  const auto report = json::parse(found.out);
  EXPECT_EQ(report["errors"], 1);
  EXPECT_EQ(report["findings"][0]["check"], "unmutated");
  EXPECT_EQ(report["findings"][0]["id"], "TPU-705");
  EXPECT_EQ(report["findings"][0]["pods"], (json{"a-0", "a-1"}));
}

TEST(SlicesCommand, a_source_that_fails_is_exit_code_2) {
  EXPECT_EQ(slices({}, Broken()).code, 2);
  const auto found = audit({}, Broken());
  EXPECT_EQ(found.code, 2);
  EXPECT_EQ(found.err, "kubectl-tpu: no such cluster\n");
}

// Told once, then not to be reached.
class Lost final : public source::ObjectSource {
 public:
  Result<void> for_each(const Each& each) override {
    if (told_) return Error(kube::access::Errc::api_access, "not reached");
    told_ = true;
    each("Pod", host("ml", "train", 0));
    return {};
  }

 private:
  bool told_ = false;
};

TEST(SlicesCommandTest, a_watch_goes_on_when_the_cluster_cannot_be_reached_for_a_while) {
  int waits = 0;
  const Ran done = slices({}, Lost(), [&] { return ++waits < 3; });
  EXPECT_EQ(done.code, 0);
  EXPECT_THAT(done.out, HasSubstr("Job/train"));
  EXPECT_EQ(done.err, "kubectl-tpu: not reached\n");
}

TEST(SlicesCommandTest, a_watch_of_what_cannot_be_read_at_all_ends) {
  const Ran done = slices({}, Broken(), [] { return true; });
  EXPECT_EQ(done.code, 2);
  EXPECT_EQ(done.err, "kubectl-tpu: no such cluster\n");
}

TEST(SlicesCommandTest, a_watch_on_a_terminal_draws_over_what_was_there) {
  SlicesOptions options;
  options.watch = true;
  const Ran done = slices(options, once({host("ml", "train", 0)}));
  EXPECT_EQ(done.out.rfind("\033[H\033[J", 0), 0u) << done.out;
}

// A cluster of which not everything may be read.
class Guarded final : public source::ObjectSource {
 public:
  Result<void> for_each(const Each& each) override {
    for (std::uint32_t index : {0u, 1u}) each("Pod", host("ml", "train", index));
    return {};
  }
  bool listed(std::string_view kind) const override { return kind == "Service"; }
  std::vector<std::string> not_known() const override { return {"RBAC missing: list nodes"}; }
};

TEST(SlicesCommandTest, what_may_not_be_read_is_not_known) {
  const Ran done = audit({}, Guarded());
  EXPECT_THAT(done.out, HasSubstr("not known: RBAC missing: list nodes\n"));
  EXPECT_THAT(done.out, testing::Not(HasSubstr("no Service is in the snapshot")));
}

}  // namespace
}  // namespace tpuwh::server::slices
