// Time in proportion to the text: each list of a Pod by itself and beside each other list, the
// templates of each workload API, and what is found in them. A list compared with itself, or with
// another, is fast in every test that has ten of each, and holds an event loop for seconds where a
// stranger sends a hundred thousand.
//
// Work is measured as CPU time of this thread, the least of several tries, and only against itself:
// of a list against the same list a quarter as long, of two lists against each of them alone. What
// seems to grow too fast is measured again before it is a failure.
#include <gtest/gtest.h>

#include <time.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/edits.hpp"
#include "webhook/answer/admit.hpp"
#include "webhook/config/config.hpp"
#include "webhook/read/cluster.hpp"
#include "webhook/validate/checker.hpp"
#include "webhook/validate/validate.hpp"

namespace tpuwh::webhook::answer {
namespace {

#ifdef TPUWH_SHORTER_LISTS
constexpr std::size_t few = 400;
#else
constexpr std::size_t few = 2000;
#endif

// ---- measuring

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Knows the templates of the claims below, so that uses are counted; it copies a name, as who looks
// for it in the store does. Some are for all chips of a node.
struct Claims final : read::ClusterView {
  read::Claimed claimed(const read::ClaimSource& source) const override {
    const std::pair key(std::string(source.ns), std::string(source.name));
    return {.known = read::Claimed::Known::chips, .chips = 1, .all = key.second.ends_with('1')};
  }
};

enum class Path { mutate, validate };

class Reviewer {
 public:
  explicit Reviewer(config::Config config = {}) : config_(std::move(config)) {}

  // The least of several tries.
  double seconds(const std::string& review, Path path, int tries) {
    text_ = review;
    double least = 1e9;
    for (int i = 0; i < tries; ++i) {
      const double before = cpu_seconds();
      const Answer answer =
          path == Path::mutate
              ? admit(read::Body(text_), config_, cluster_, workspace_)
              : validate::validate(read::Body(text_), config_, cluster_, workspace_);
      least = std::min(least, cpu_seconds() - before);
      status_ = answer.http_status;
    }
    return least;
  }
  unsigned status() const { return status_; }

 private:
  std::string text_;
  const config::Config config_;
  Claims cluster_;
  Workspace workspace_;
  unsigned status_ = 0;
};

constexpr double noise = 0.0005;  // seconds

// Whether `longer`, four times the text, takes no more than its share: 4 is in proportion, 16 is
// the square.
bool in_proportion(Reviewer& reviewer, Path path, const std::string& shorter,
                   const std::string& longer) {
  for (const int tries : {2, 5, 9}) {
    const double before = reviewer.seconds(shorter, path, tries);
    EXPECT_EQ(reviewer.status(), 200u) << shorter.substr(0, 300);
    if (reviewer.seconds(longer, path, tries) < 7 * before + noise) return true;
  }
  return false;
}

// ---- the lists of a Pod

// Where in pod() a list goes on, and what an element is; '#' is its number.
struct List {
  std::string_view name, at, element;
};

constexpr std::array lists{
    List{"labels", "@labels@", R"(,"k#":"v#")"},
    List{"annotations", "@annotations@", R"(,"k#":"v#")"},
    List{"managed fields", "@fields@", R"(,"f:k#":{})"},
    List{"a record of ours", "@record@", ";c#:TPU_NAME=12345678"},
    List{"hostnames", "@hostnames@", ",h#"},
    List{"owners", "@owners@", R"(,{"kind":"Job","name":"n#","uid":"u#","controller":true})"},
    List{"node selector", "@selector@", R"(,"k#":"v#")"},
    List{"node selector of slices", "@selector@", R"(,"cloud.google.com/gke-tpu-slice-#":"")"},
    List{"gates", "@gates@", R"(,{"name":"g#"})"},
    List{"tolerations", "@tolerations@", R"(,{"key":"k#","operator":"Equal","value":"v#"})"},
    List{"volumes", "@volumes@", R"(,{"name":"n#","emptyDir":{}})"},
    List{"claims", "@claims@", R"(,{"name":"n#","resourceClaimTemplateName":"t#"})"},
    List{"claims without a template", "@claims@", R"(,{"name":"n#"})"},
    List{"uses of claims", "@uses@", R"(,{"name":"n#"})"},
    List{"containers", "@containers@", R"(,{"name":"c#"})"},
    List{"containers that use a claim", "@containers@",
         R"(,{"name":"c#","resources":{"claims":[{"name":"n#"}]}})"},
    List{"containers that use the long claim", "@containers@",
         R"(,{"name":"c#","resources":{"claims":[{"name":"long"}]}})"},
    List{"containers that use an absent claim", "@containers@",
         R"(,{"name":"c#","resources":{"claims":[{"name":"absent"}]}})"},
    List{"TPU containers", "@containers@",
         R"(,{"name":"c#","resources":{"limits":{"google.com/tpu":4}}})"},
    List{"containers with env", "@containers@",
         R"(,{"name":"c#","env":[{"name":"TPU_NAME","value":"#"}]})"},
    List{"init containers", "@init@", R"(,{"name":"i#"})"},
    List{"init TPU containers", "@init@",
         R"(,{"name":"i#","resources":{"limits":{"google.com/tpu":4}}})"},
    List{"sidecars", "@init@",
         R"(,{"name":"i#","restartPolicy":"Always","resources":{"claims":[{"name":"n#"}]}})"},
    List{"ephemeral containers", "@ephemeral@", R"(,{"name":"e#"})"},
    List{"env", "@env@", R"(,{"name":"N#","value":"v#"})"},
    List{"env of ours", "@env@", R"(,{"name":"TPU_NAME","value":"v#"})"},
    List{"env of ours, escaped", "@env@", R"(,{"value":"\n#","name":"TPU_NAM\u0045"})"},
    List{"init env", "@init_env@", R"(,{"name":"TPU_NAME","value":"v#"})"},
    List{"limits", "@limits@", R"(,"r#":1)"},
    List{"extended resources", "@limits@", R"(,"a.b/r#":1)"},
    List{"resources of classes", "@limits@", R"(,"deviceclass.resource.kubernetes.io/r#":1)"},
    List{"containers with an extended resource", "@containers@",
         R"(,{"name":"c#","resources":{"limits":{"a.b/r#":1}}})"},
    List{"node selector terms", "@terms@",
         R"(,{"matchExpressions":[{"key":"k#","operator":"In","values":["v#"]}]})"},
    List{"fields of nodes", "@terms@",
         R"(,{"matchFields":[{"key":"metadata.name","operator":"In","values":["v#"]}]})"},
    List{"match expressions", "@expressions@", R"(,{"key":"k#","operator":"Exists"})"},
    List{"values", "@values@", R"(,"v#")"},
    List{"preferred node terms", "@preferred@",
         R"(,{"weight":1,"preference":{"matchExpressions":[{"key":"k#","operator":"Exists"}]}})"},
    List{
        "affinity terms", "@near@",
        R"(,{"labelSelector":{"matchExpressions":[{"key":"k#","operator":"In","values":["v#"]}]},"topologyKey":"t#"})"},
    List{"anti-affinity terms", "@away@",
         R"(,{"labelSelector":{"matchLabels":{"k#":"v#"}},"topologyKey":"t#"})"},
    List{
        "anti-affinity terms like ours", "@away@",
        R"(,{"labelSelector":{"matchExpressions":[{"key":"tpu-webhook.dev/slice-kez","operator":"Exists"}]},"topologyKey":"t#"})"},
    List{"preferred anti-affinity terms", "@apart@",
         R"(,{"weight":1,"podAffinityTerm":{"labelSelector":{},"topologyKey":"t#"}})"},
};

// One of them, of which '#' is a long text.
constexpr std::array texts{
    List{"template of a claim", "@claims@", R"(,{"name":"long","resourceClaimTemplateName":"#"})"},
    List{"claim", "@claims@", R"(,{"name":"long","resourceClaimName":"#"})"},
    List{"name of a claim", "@claims@", R"(,{"name":"#","resourceClaimTemplateName":"t"})"},
    List{"name of a resource", "@limits@", R"(,"a.b/#":1)"},
    List{"chips of a node", "@selector@", R"(,"cloud.google.com/gke-accelerator-count":"#")"},
    List{"node selector", "@selector@", R"(,"k":"#")"},
    List{"bound", "@expressions@", R"(,{"key":"k","operator":"Gt","values":["#"]})"},
    List{"value", "@values@", R"(,"#")"},
    List{"toleration", "@tolerations@", R"(,{"key":"#"})"},
    List{"container", "@containers@",
         R"(,{"name":"#","resources":{"limits":{"google.com/tpu":4}}})"},
    List{"container of a record", "@record@", ";#:TPU_NAME=12345678"},
    List{"env", "@env@", R"(,{"name":"TPU_NAME","value":"#"})"},
    List{"name of env", "@env@", R"(,{"name":"#","value":"v"})"},
    List{"hostname", "@hostnames@", ",#"},
    List{"label", "@labels@", R"(,"tpu-webhook.dev/slice-key":"#")"},
    List{"owner", "@owners@", R"(,{"kind":"#","name":"#","uid":"#","controller":true})"},
};

// A member of a slice of two hosts that has one of everything, so that each list goes on.
constexpr std::string_view pod_metadata =
    R"("metadata":{"name":"train-1-x","namespace":"d","managedFields":[{"fieldsV1":{"f:a":{}@fields@}}],
"labels":{"batch.kubernetes.io/job-name":"train","batch.kubernetes.io/job-completion-index":"1"@labels@},
"annotations":{"tpu-webhook.dev/hostnames":"train-0.svc,train-1.svc@hostnames@",
"tpu-webhook.dev/injected":"v1;12345678;c:TPU_NAME=12345678@record@"@annotations@},
"ownerReferences":[{"kind":"Job","name":"train","uid":"u","controller":true}@owners@]})";
constexpr std::string_view pod_spec =
    R"("spec":{"hostname":"train-1","subdomain":"svc",
"nodeSelector":{"cloud.google.com/gke-tpu-accelerator":"tpu-v6e-slice",
"cloud.google.com/gke-tpu-topology":"2x4"@selector@},
"schedulingGates":[{"name":"g"}@gates@],"tolerations":[{"key":"k"}@tolerations@],
"volumes":[{"name":"n"}@volumes@],"resourceClaims":[{"name":"n","resourceClaimTemplateName":"t"}@claims@],
"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
{"matchExpressions":[{"key":"k","operator":"In","values":["v"@values@]}@expressions@]}@terms@]},
"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"preference":{}}@preferred@]},
"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"t"}@near@]},
"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"t"}@away@],
"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"podAffinityTerm":{"topologyKey":"t"}}@apart@]}},
"containers":[{"name":"c","env":[{"name":"A","value":"a"}@env@],"resources":{"claims":[{"name":"n"}@uses@],
"limits":{"google.com/tpu":4@limits@}}}@containers@],
"initContainers":[{"name":"i","env":[{"name":"A","value":"a"}@init_env@]}@init@],
"ephemeralContainers":[{"name":"e"}@ephemeral@]})";

std::string review_of(std::string_view group, std::string_view kind, std::string_view object,
                      std::string_view old_object = {}) {
  std::string out =
      R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u",)";
  out.append(R"("kind":{"group":")")
      .append(group)
      .append(R"(","version":"v1","kind":")")
      .append(kind);
  out.append(R"("},"namespace":"d","operation":")")
      .append(old_object.empty() ? "CREATE" : "UPDATE");
  out.append(R"(","object":)").append(object);
  if (!old_object.empty()) out.append(R"(,"oldObject":)").append(old_object);
  return out.append("}}");
}

// An element whose '#' is this.
std::string numbered(std::string_view element, std::string_view number) {
  std::string out(element);
  base::replace_all(out, "#", number);
  return out;
}

std::string repeated(std::string_view element, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += numbered(element, std::to_string(i));
  return out;
}

struct Filled {
  std::string_view at;
  std::string with;
};

// The text with each place filled or left empty.
std::string fill(std::string_view text, const std::vector<const Filled*>& places) {
  std::string out;
  while (!text.empty()) {
    const std::size_t begin = text.find('@');
    out.append(text.substr(0, begin));
    if (begin == text.npos) break;
    const std::size_t end = text.find('@', begin + 1);
    const std::string_view at = text.substr(begin, end + 1 - begin);
    for (const Filled* each : places)
      if (each->at == at) out.append(each->with);
    text.remove_prefix(end + 1);
  }
  return out;
}

// A Pod that is created; or a Job that makes it.
std::string review_with(Path path, const std::vector<const Filled*>& places) {
  const std::string pod = '{' + fill(pod_metadata, places) + ',' + fill(pod_spec, places) + '}';
  if (path == Path::mutate) return review_of("", "Pod", pod);
  return review_of("batch", "Job",
                   R"({"metadata":{"name":"train"},"spec":{"completions":2,"parallelism":2,)"
                   R"("completionMode":"Indexed","template":)" +
                       pod + "}}");
}

std::vector<Filled> all_lists(std::size_t times) {
  std::vector<Filled> out;
  for (const List& list : lists) out.push_back({list.at, repeated(list.element, times)});
  return out;
}

class Growth : public testing::TestWithParam<Path> {};
INSTANTIATE_TEST_SUITE_P(At, Growth, testing::Values(Path::mutate, Path::validate),
                         [](const auto& each) {
                           return each.param == Path::mutate ? "mutate" : "validate";
                         });

TEST_P(Growth, of_each_list_of_a_pod_is_in_proportion) {
  Reviewer reviewer;
  const std::vector<Filled> shorter = all_lists(few), longer = all_lists(4 * few);
  for (std::size_t i = 0; i < lists.size(); ++i)
    EXPECT_TRUE(in_proportion(reviewer, GetParam(), review_with(GetParam(), {&shorter[i]}),
                              review_with(GetParam(), {&longer[i]})))
        << lists[i].name;
}

// Two lists take what each of them takes, and no more: a product shows beside both.
TEST_P(Growth, of_each_list_times_each_other_is_in_proportion) {
  Reviewer reviewer;
  const std::vector<Filled> filled = all_lists(few);
  std::vector<double> alone;
  for (const Filled& each : filled)
    alone.push_back(reviewer.seconds(review_with(GetParam(), {&each}), GetParam(), 3));
  const auto adds_up = [&](std::size_t i, std::size_t j) {
    const std::string both = review_with(GetParam(), {&filled[i], &filled[j]});
    for (const int tries : {1, 5, 9}) {
      if (tries > 1)
        for (const std::size_t each : {i, j})
          alone[each] =
              reviewer.seconds(review_with(GetParam(), {&filled[each]}), GetParam(), tries);
      // Names of claims are sorted where containers use some; a product would be a hundred times.
      if (reviewer.seconds(both, GetParam(), tries) < 4 * (alone[i] + alone[j]) + noise)
        return true;
    }
    return false;
  };
  for (std::size_t i = 0; i < lists.size(); ++i)
    for (std::size_t j = i + 1; j < lists.size(); ++j)
      EXPECT_TRUE(adds_up(i, j)) << lists[i].name << " and " << lists[j].name;
}

// What is read, compared or copied for each element is no text of any length.
TEST_P(Growth, of_each_list_times_a_long_text_is_in_proportion) {
  Reviewer reviewer;
  // Each container that uses one has a claim of its own.
  const Filled claims{"@claims@",
                      repeated(R"(,{"name":"n#","resourceClaimTemplateName":"t#"})", few)};
  for (const List& text : texts) {
    const Filled longer{text.at, numbered(text.element, std::string(200 * few, '1'))};
    for (const List& list : lists) {
      const Filled many{list.at, repeated(list.element, few)};
      const auto adds_up = [&](int tries) {
        const auto seconds = [&](const std::vector<const Filled*>& places) {
          return reviewer.seconds(review_with(GetParam(), places), GetParam(), tries);
        };
        return seconds({&claims, &longer, &many}) <
               4 * (seconds({&claims, &longer}) + seconds({&claims, &many})) + noise;
      };
      EXPECT_TRUE(adds_up(1) || adds_up(5) || adds_up(9)) << text.name << " and " << list.name;
    }
  }
}

TEST_P(Growth, of_all_lists_at_once_is_in_proportion) {
  Reviewer reviewer;
  const std::vector<Filled> shorter = all_lists(few / 4), longer = all_lists(few);
  std::vector<const Filled*> some, many;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    some.push_back(&shorter[i]);
    many.push_back(&longer[i]);
  }
  EXPECT_TRUE(in_proportion(reviewer, GetParam(), review_with(GetParam(), some),
                            review_with(GetParam(), many)));
}

// ---- the templates of a workload object

// Ways in which a template is of no or of some interest; each number of them is a kind of finding.
constexpr std::array templates{
    List{"empty", "", "{}"},
    List{"null", "", "null"},
    List{"without chips", "", R"({"spec":{"containers":[{"name":"c"}]}})"},
    List{"with an escape", "", R"({"spec":{"a":"\n","containers":[{"name":"c\n"}]}})"},
    List{"for TPU nodes without chips (TPU-114)", "",
         R"({"spec":{"nodeSelector":{"cloud.google.com/gke-tpu-accelerator":"a"}}})"},
    List{"of no whole number of chips (TPU-104)", "",
         R"({"spec":{"containers":[{"resources":{"limits":{"google.com/tpu":"x#"}}}]}})"},
    List{"left alone", "",
         R"({"metadata":{"annotations":{"tpu-webhook.dev/inject":"false"}},"spec":{"containers":[)"
         R"({"resources":{"limits":{"google.com/tpu":4}}}]}})"},
    List{"of no topology (TPU-105)", "",
         R"({"spec":{"containers":[{"resources":{"limits":{"google.com/tpu":4}}}]}})"},
    List{"of a slice (TPU-4xx)", "",
         R"({"spec":{"nodeSelector":{"cloud.google.com/gke-tpu-accelerator":"tpu-v6e-slice",)"
         R"("cloud.google.com/gke-tpu-topology":"4x4"},"containers":[{"name":"c","resources":{)"
         R"("limits":{"google.com/tpu":4}}}]}})"},
    List{"of no topology that there is (TPU-102)", "",
         R"({"spec":{"nodeSelector":{"cloud.google.com/gke-tpu-accelerator":"tpu-v6e-slice",)"
         R"("cloud.google.com/gke-tpu-topology":"x#"},"containers":[{"name":"c","resources":{)"
         R"("limits":{"google.com/tpu":4}}}]}})"},
    List{
        "that use a claim", "",
        R"({"spec":{"resourceClaims":[{"name":"n"}],"containers":[{"resources":{"claims":[{"name":"n"}]}}]}})"},
};

struct Api {
  std::string_view name, group, kind, before, item, after;  // '%' is the template
};

constexpr std::array apis{
    Api{"RayCluster", "ray.io", "RayCluster",
        R"({"metadata":{"name":"r"},"spec":{"workerGroupSpecs":[)",
        R"({"groupName":"g#","numOfHosts":2,"template":%})", "]}}"},
    Api{"RayCluster, names last", "ray.io", "RayCluster",
        R"({"metadata":{"name":"r"},"spec":{"workerGroupSpecs":[)",
        R"({"template":%,"groupName":"g\u0061#"})", "]}}"},
    Api{"RayCluster, one name", "ray.io", "RayCluster",
        R"({"metadata":{"name":"r"},"spec":{"workerGroupSpecs":[)",
        R"({"groupName":"g","template":%})", "]}}"},
    Api{"RayJob", "ray.io", "RayJob",
        R"({"metadata":{"name":"r"},"spec":{"rayClusterSpec":{"workerGroupSpecs":[)",
        R"({"groupName":"g#","template":%})", "]}}}"},
    Api{"RayService", "ray.io", "RayService",
        R"({"metadata":{"name":"r"},"spec":{"rayClusterConfig":{"workerGroupSpecs":[)",
        R"({"groupName":"g#","template":%})", "]}}}"},
    Api{"JobSet", "jobset.x-k8s.io", "JobSet",
        R"({"metadata":{"name":"j"},"spec":{"replicatedJobs":[)",
        R"({"name":"r#","dependsOn":[{"name":"r"}],"template":{"spec":{"completions":2,"template":%}}})",
        "]}}"},
};

std::string object_of(const Api& api, const List& each, std::size_t times,
                      std::string_view what = "") {
  std::string item(api.item);
  item.replace(item.find('%'), 1, each.element);
  std::string items = repeated(item + ',', times);
  items.pop_back();
  std::string out(api.before);
  if (!what.empty()) out.insert(out.find(R"("name")"), what);
  return out.append(items).append(api.after);
}

TEST(GrowthOfTemplates, of_each_api_is_in_proportion) {
  constexpr std::size_t some = few / 4, many = few;
  Reviewer reviewer;
  for (const Api& api : apis)
    for (const List& each : templates)
      EXPECT_TRUE(in_proportion(reviewer, Path::validate,
                                review_of(api.group, api.kind, object_of(api, each, some)),
                                review_of(api.group, api.kind, object_of(api, each, many))))
          << api.name << ' ' << each.name;
}

TEST(GrowthOfTemplates, of_an_update_is_in_proportion) {
  constexpr std::size_t some = few / 4, many = few;
  Reviewer reviewer;
  for (const Api& api : apis)
    for (const List& each : templates)
      for (const List& before : {each, templates[5]}) {
        const auto update = [&](std::size_t times) {
          return review_of(api.group, api.kind, object_of(api, each, times, R"("generation":2,)"),
                           object_of(api, before, times));
        };
        EXPECT_TRUE(in_proportion(reviewer, Path::validate, update(some), update(many)))
            << api.name << ' ' << each.name << ", before " << before.name;
      }
}

}  // namespace
}  // namespace tpuwh::webhook::answer
