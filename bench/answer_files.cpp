// answer_files mutate|validate FILE…: answers the review in each file once, with a workspace of its
// own, beside a cluster that knows each template of claims. Prints the status and the size of each
// answer. What is to be counted is answer_once().
#include "webhook/answer/admit.hpp"
#include "webhook/validate/validate.hpp"

#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

using namespace tpuwh;

namespace {

struct Claims final : webhook::read::ClusterView {
  webhook::read::Claimed claimed(const webhook::read::ClaimSource&) const override {
    return {.known = webhook::read::Claimed::Known::chips, .chips = 1};
  }
};

struct Asked {
  bool mutate;
  std::string text;
  std::optional<webhook::answer::Workspace> workspace;
  webhook::answer::Answer answer;  // its body is the workspace's
};

}  // namespace

// By this name it is known to callgrind.
extern "C" [[gnu::noinline]] void answer_once(void* what) {
  auto& asked = *static_cast<Asked*>(what);
  const webhook::config::Config config;
  const Claims cluster;
  webhook::answer::Workspace& workspace = asked.workspace.emplace();
  const webhook::read::Body body(asked.text);
  asked.answer = asked.mutate ? webhook::answer::admit(body, config, cluster, workspace)
                              : webhook::validate::validate(body, config, cluster, workspace);
}

int main(int argc, char** argv) {
  const std::string_view path = argc < 3 ? "" : argv[1];
  if (path != "mutate" && path != "validate") {
    std::cerr << "usage: answer_files mutate|validate FILE…\n";
    return 2;
  }
  for (int i = 2; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    Asked asked{path == "mutate", {std::istreambuf_iterator<char>(file), {}}, {}, {}};
    answer_once(&asked);
    std::cout << asked.answer.http_status << ' ' << asked.answer.body;
  }
}
