// answer_files mutate|validate FILE…: answers the review in each file once, with a workspace of its
// own, beside a cluster that knows each template of claims. Prints the status and the size of each
// answer. What is to be counted is answer_once().
#include "webhook/answer/admit.hpp"
#include "webhook/validate/validate.hpp"

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

using namespace tpuwh;

namespace {

struct Claims final : webhook::read::ClusterView {
  std::optional<std::uint32_t> claimed_chips(std::string_view, std::string_view) const override {
    return 1;
  }
};

struct Asked {
  bool mutate;
  std::string text;
};

}  // namespace

// By this name it is known to callgrind.
extern "C" [[gnu::noinline]] void answer_once(void* what, void* answered) {
  auto& asked = *static_cast<Asked*>(what);
  auto& out = *static_cast<std::string*>(answered);
  const webhook::config::Config config;
  const Claims cluster;
  webhook::answer::Workspace workspace;
  const webhook::read::Body body(asked.text);
  const webhook::answer::Answer answer =
      asked.mutate ? webhook::answer::admit(body, config, cluster, workspace)
                   : webhook::validate::validate(body, config, cluster, workspace);
  out = std::to_string(answer.http_status) + ' ' + std::string(answer.body);
}

int main(int argc, char** argv) {
  const std::string_view path = argc < 3 ? "" : argv[1];
  if (path != "mutate" && path != "validate") {
    std::cerr << "usage: answer_files mutate|validate FILE…\n";
    return 2;
  }
  for (int i = 2; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    Asked asked{.mutate = path == "mutate", .text = {std::istreambuf_iterator<char>(file), {}}};
    std::string answered;
    answer_once(&asked, &answered);
    std::cout << answered;
  }
}
