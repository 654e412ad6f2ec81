#include "kubectl/predict/explain/html.hpp"

#include "kubectl/predict/explain/style.hpp"
#include "kubectl/predict/explain/svg.hpp"
#include "kubectl/text/base64.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/sha.h>

#include <array>
#include <regex>
#include <set>
#include <string>
#include <string_view>

#include "tests/unit/kubectl/predict/explain/made_explanations.hpp"

namespace tpuwh::server::explain {
namespace {

using testing::HasSubstr;

std::string sha256(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return std::string(digest.begin(), digest.end());
}

TEST(Page, has_the_hash_of_its_style_in_its_policy) {
  EXPECT_EQ(page_style_hash, "sha256-" + text::encode_base64(sha256(page_style)));
  EXPECT_THAT(html({}), HasSubstr("default-src 'none'; style-src '" + std::string(page_style_hash) +
                                  "'; base-uri 'none'; form-action 'none'\">"));
}

// Every tag that the page opens, with its attributes.
std::set<std::string> tags_of(const std::string& page) {
  static const std::regex tag("<([a-zA-Z!/][^\\s>/]*)");
  std::set<std::string> tags;
  for (std::sregex_iterator it(page.begin(), page.end(), tag), end; it != end; ++it)
    if ((*it)[1].str().front() != '/') tags.insert((*it)[1].str());
  return tags;
}

bool balanced(const std::string& page) {
  static const std::regex tag("<(/?)([a-z][a-z0-9]*)[^>]*?(/?)>");
  std::vector<std::string> open;
  for (std::sregex_iterator it(page.begin(), page.end(), tag), end; it != end; ++it) {
    const std::string name = (*it)[2];
    if ((*it)[3].length() > 0 || name == "meta" || name == "br") continue;
    if ((*it)[1].length() == 0) {
      open.push_back(name);
    } else {
      if (open.empty() || open.back() != name) return false;
      open.pop_back();
    }
  }
  return open.empty();
}

TEST(Page, is_whole_and_loads_nothing) {
  auto explanation = made_explanation("tpu-v6e-slice", "4x4", 2);
  const std::string page = html(explanation);
  EXPECT_TRUE(balanced(page));
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
  for (const char* tag : {"script", "img", "link", "iframe", "object", "base", "form", "a"})
    EXPECT_FALSE(tags_of(page).contains(tag)) << tag;
  for (const char* text : {"http:", "https:", "url(", "@import", "javascript:", " style="})
    EXPECT_THAT(page, Not(HasSubstr(text)));
}

// Whatever texts say: the page has the elements that it has without them.
TEST(Page, is_not_changed_by_hostile_texts) {
  const auto harmless = hostile_explanation("text");
  const auto tags = tags_of(html(harmless));
  const auto tags_of_svg = tags_of(svg(harmless));
  for (const std::string& text : hostile_texts()) {
    const auto explanation = hostile_explanation(text);
    const std::string page = html(explanation), picture = svg(explanation);
    EXPECT_EQ(tags_of(page), tags) << text;
    EXPECT_TRUE(balanced(page)) << text;
    EXPECT_EQ(tags_of(picture), tags_of_svg) << text;
    EXPECT_TRUE(balanced(picture)) << text;
    for (const char* raw : {"<img", "<script", "]]>", "\x1b", "\u202e", "\xff"}) {
      EXPECT_EQ(page.find(raw), page.npos) << raw;
      EXPECT_EQ(picture.find(raw), picture.npos) << raw;
    }
    EXPECT_EQ(page.find('\0'), page.npos);
  }
}

TEST(Page, says_the_verdict_by_sign_and_word) {
  auto explanation = made_explanation("tpu-v6e-slice", "4x4", 1);
  EXPECT_THAT(
      html(explanation),
      HasSubstr(">✓</span><div><h2 class=\"word ok\">Nothing in the input stops its slices"));
  explanation.workloads[0].verdict = Verdict::refused;
  EXPECT_THAT(html(explanation),
              HasSubstr(">✗</span><div><h2 class=\"word bad\">Would be refused"));
  explanation.workloads[0].verdict = Verdict::doubtful;
  EXPECT_THAT(html(explanation), HasSubstr(">!</span>"));
  explanation.workloads[0].verdict = Verdict::no_tpu;
  EXPECT_THAT(html(explanation), HasSubstr("Asks for no TPU chips"));
  EXPECT_THAT(html({}), HasSubstr("Nothing that makes TPU Pods"));
}

TEST(Page, lists_the_members_of_few_slices) {
  const std::string page = html(made_explanation("tpu-v6e-slice", "4x4", 2));
  EXPECT_THAT(page,
              HasSubstr("<details class=\"slice\" open><summary><span class=\"word\">slice 1: "
                        "train-slice-1</span> <span class=\"quiet\">4 Pods, worker ids 0-3"));
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\">train-slice-1-3</th><td class=\"n\">3</td>"));
  EXPECT_THAT(page, HasSubstr("MEGASCALE_SLICE_ID"));
  EXPECT_THAT(page, HasSubstr("gcloud container node-pools create v6e-4x4-4t-1"));
  EXPECT_THAT(page, HasSubstr("<title>train-slice-0-2: host 2, worker id 2</title>"));
  EXPECT_THAT(page, HasSubstr("from </span><code>metadata.name</code>"));
}

TEST(Page, says_which_hosts_are_missing) {
  auto explanation = made_explanation("tpu-v6e-slice", "4x4", 1);
  Slice& slice = explanation.workloads[0].groups[0].slices[0];
  slice.members.pop_back();
  slice.missing = 1;
  const std::string page = html(explanation);
  EXPECT_THAT(page, HasSubstr("✗ 1 of 4 hosts missing"));
  EXPECT_THAT(page, HasSubstr("<title>host 3: no Pod</title><rect class=\"h m\""));
  EXPECT_THAT(svg(explanation), HasSubstr(".m{fill:none"));
}

// 64 slices of 64 hosts, and one slice of 9,216 chips: told in ranges.
TEST(Page, stays_small_with_thousands_of_members) {
  const std::string many = html(made_explanation("tpu-v6e-slice", "16x16", 157));
  EXPECT_LT(many.size(), 500'000u);
  EXPECT_THAT(many, HasSubstr("train-slice-156-0 … train-slice-156-63"));
  EXPECT_THAT(many, HasSubstr("<td class=\"n\">0-63</td>"));
  EXPECT_THAT(many, Not(HasSubstr("<th scope=\"row\">train-slice-3-3</th>")));
  EXPECT_THAT(many, HasSubstr("157 slices look like this one"));
  EXPECT_THAT(html(made_explanation("tpu-v6e-slice", "16x16", 157), true),
              HasSubstr("<th scope=\"row\">train-slice-3-3</th>"));
  const std::string large = html(made_explanation("tpu7x", "16x24x24", 1));
  EXPECT_LT(large.size(), 700'000u);
  EXPECT_THAT(large, HasSubstr("those up to z=23 look the same"));
  const std::string slices = html(made_explanation("tpu-v6e-slice", "2x2", 10'000));
  EXPECT_LT(slices.size(), 500'000u);
  EXPECT_THAT(slices, HasSubstr("and 9,800 more slices, up to slice 9999"));
}

TEST(Page, folds_long_values) {
  auto explanation = made_explanation("tpu-v6e-slice", "4x4", 1);
  auto& variables = explanation.workloads[0].groups[0].variables;
  variables[0].value = std::string(200, 'a') + "," + std::string(200, 'b');
  variables[1] = {"main", "HUGE", std::string(1'000'000, 'c'), false, true, ""};
  const std::string page = html(explanation);
  EXPECT_THAT(page, HasSubstr("(401 bytes, 2 entries)</span></summary><code>aaaa"));
  EXPECT_THAT(page, HasSubstr("(1,000,000 bytes)"));
  EXPECT_LT(page.size(), 60'000u);
}

TEST(Page, says_what_is_wrong_and_what_it_waits_for) {
  auto explanation = made_explanation("tpu-v6e-slice", "4x4", 2);
  Workload& workload = explanation.workloads[0];
  workload.findings = {
      {false, "TPU-302", "names do not resolve", fixes::Choice{"set a subdomain"}, 8},
      {true, "TPU-105", "does not divide", {}, 0}};
  const auto made = fixes::Command::gcloud({{"gcloud", "a", "create", "b", "--c"}});
  const auto told = fixes::Command::gcloud({{"gcloud", "a", "list"}});
  workload.outlook =
      outlook::WorkloadOutlook{.verdict = outlook::Verdict::waits,
                               .sentence = "slice 1 waits",
                               .places = {{"slice 0", "pool-a"}, {"slice 1", ""}},
                               .waits = {{outlook::Cause::no_pool, "no pool of 4x4", {made, told}}},
                               .not_known = {"quota of the project"}};
  const std::string page = html(explanation);
  EXPECT_LT(page.find("TPU-105"), page.find("TPU-302"));
  EXPECT_THAT(page, HasSubstr("reported for 8 Pods"));
  EXPECT_THAT(page, HasSubstr("Fix: </span>set a subdomain"));
  EXPECT_THAT(page, HasSubstr("<h2 class=\"word warn\">Its slices cannot form now</h2>"));
  EXPECT_THAT(page, HasSubstr("<p class=\"word warn\">! slice 1 waits</p>"));
  EXPECT_THAT(page, HasSubstr("gcloud a create b \\\n    --c\ngcloud a list</code></pre>"));
  EXPECT_THAT(page, HasSubstr("quota of the project"));
}

// A leader's container has another name than a worker's.
TEST(Page, tells_once_what_containers_of_other_names_have_alike) {
  auto explanation = made_explanation("tpu-v6e-slice", "2x4", 1);
  auto& members = explanation.workloads[0].groups[0].slices[0].members;
  members[0].variables = {{"leader", "TPU_NAME", "vllm-0", false, false, ""},
                          {"leader", "HOST", "a", false, false, ""}};
  members[1].variables = {{"worker", "TPU_NAME", "vllm-0", false, false, ""},
                          {"worker", "HOST", "b", false, false, ""}};
  const std::string page = html(explanation);
  EXPECT_THAT(page, HasSubstr("<dt><code>TPU_NAME</code></dt><dd><code>vllm-0</code></dd>"));
  EXPECT_THAT(page, HasSubstr("<th scope=\"col\" class=\"v\"><code>HOST</code></th>"));
  EXPECT_THAT(page, HasSubstr("<td class=\"v\"><code>b</code></td>"));
}

TEST(Page, puts_many_variables_of_a_member_into_one_cell) {
  auto explanation = made_explanation("tpu-v6e-slice", "2x4", 1);
  auto& members = explanation.workloads[0].groups[0].slices[0].members;
  for (Member& member : members)
    for (const char* name : {"A", "B", "C", "D", "E"})
      member.variables.push_back({"main", name, member.pod, false, false, ""});
  EXPECT_THAT(html(explanation),
              HasSubstr("<code>A=</code><code>train-slice-0-1</code><br><code>B=</code>"));
}

TEST(Page, merges_what_two_containers_have_alike) {
  auto explanation = made_explanation("tpu7x", "2x2x2", 1);
  Group& group = explanation.workloads[0].groups[0];
  group.slices[0].variables.clear();
  group.variables = {{"a", "TPU_NAME", "x", false, true, ""},
                     {"b", "TPU_NAME", "x", false, true, ""},
                     {"a", "TPU_PROCESS_PORT", "8471", false, true, ""},
                     {"b", "TPU_PROCESS_PORT", "8472", false, true, ""}};
  const std::string page = html(explanation);
  EXPECT_THAT(page, HasSubstr("<code>TPU_NAME</code></th><td class=\"v\"><code>x</code></td>"
                              "<td><span class=\"tag\">tpu-webhook</span></td>"
                              "<td><span class=\"quiet\">all</span></td>"));
  EXPECT_THAT(page, HasSubstr("<code>8472</code></td><td><span class=\"tag\">tpu-webhook</span>"
                              "</td><td>b</td>"));
}

TEST(Page, shows_code_of_our_sentences_as_code_and_says_why_there_are_no_commands) {
  auto explanation = made_explanation("tpu-v6e-slice", "2x4", 1);
  explanation.workloads[0].findings = {
      {true, "", "a", fixes::Choice{"see `tpu-webhook <x>` and ` alone"}, 1}};
  explanation.workloads[0].groups[0].no_pool = "2x4 is not a dynamic slice";
  const std::string page = html(explanation);
  EXPECT_THAT(page, HasSubstr("see <code>tpu-webhook &lt;x&gt;</code> and ` alone</p>"));
  EXPECT_THAT(page, HasSubstr("2x4 is not a dynamic slice"));
}

TEST(Page, lists_several_objects_first) {
  auto explanation = made_explanation("tpu-v6e-slice", "4x4", 1);
  explanation.workloads.push_back(explanation.workloads[0]);
  explanation.workloads[1].verdict = Verdict::refused;
  const std::string page = html(explanation);
  EXPECT_THAT(page, HasSubstr("<h1 id=\"page\">2 objects that make Pods</h1>"));
  EXPECT_THAT(page, HasSubstr("<a href=\"#w1\">JobSet ml/train</a>"));
  EXPECT_THAT(page, HasSubstr("<h2 id=\"w1\">JobSet ml/train</h2>"));
}

TEST(Picture, of_two_containers_on_a_host) {
  auto explanation = made_explanation("tpu7x", "2x2x2", 1);
  Member& member = explanation.workloads[0].groups[0].slices[0].members[1];
  member.worker_ids = {2, 3};
  EXPECT_THAT(svg(explanation), HasSubstr("<title>train-slice-0-1: host 1, worker id 2,3</title>"));
  EXPECT_THAT(svg(explanation), HasSubstr(">2,3</text>"));
}

TEST(Picture, of_nothing) {
  EXPECT_THAT(svg({}), HasSubstr("nothing asks for TPU chips"));
  auto explanation = made_explanation("tpu-v6e-slice", "4x4", 1);
  explanation.workloads[0].groups[0].topology = "";
  EXPECT_THAT(svg(explanation), HasSubstr("no layout of its chips is known"));
  EXPECT_THAT(html(explanation), Not(HasSubstr("Chips and hosts")));
}

}  // namespace
}  // namespace tpuwh::server::explain
