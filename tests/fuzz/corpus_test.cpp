// Runs each fuzz target on every file of corpus/<target> and regressions/<target>, in one test for
// each target and folder. This takes seconds and does not need clang. Some targets also run on a
// folder of the repository.

#include "tests/fuzz/targets.hpp"

#include <gtest/gtest.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace tpuwh::fuzz {
namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(folder)) out.push_back(entry.path());
  std::ranges::sort(out);
  return out;
}

// An input that is never finished ends the program, before it uses up the memory of the machine.
// growth.hpp reports an input that takes too long for its length, after a second measurement.
char at_work[4096];  // its file, for the signal handler

void say_and_end(int) {
  constexpr std::string_view sentence = "takes too long\n";
  static_cast<void>(!write(STDERR_FILENO, at_work, std::char_traits<char>::length(at_work)));
  static_cast<void>(!write(STDERR_FILENO, sentence.data(), sentence.size()));
  _exit(1);
}

void limit_cpu_seconds(int seconds, const fs::path& file) {
  std::signal(SIGPROF, say_and_end);
  const auto name = file.string().substr(0, sizeof at_work - 2) + " ";
  std::ranges::copy(name + '\0', at_work);
  const itimerval limit{{0, 0}, {seconds, 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
}

class Corpus : public ::testing::Test {
 public:
  Corpus(Target target, fs::path folder) : target_(target), folder_(std::move(folder)) {}

  void TestBody() override {
    for (const fs::path& file : files_below(folder_)) {
      SCOPED_TRACE(file.string());
      // The slowest takes two with sanitizers, where the machine has other work.
      constexpr int most_seconds = 60;
      limit_cpu_seconds(most_seconds, file);
      try {
        target_.run(read_text(file));
      } catch (const std::exception& broken) {
        ADD_FAILURE() << broken.what();
      }
    }
    limit_cpu_seconds(0, {});
  }

 private:
  Target target_;
  fs::path folder_;
};

// The judge has to be able to say no.
TEST(Require, breaks_what_does_not_hold) {
  EXPECT_NO_THROW(require(true, "holds"));
  EXPECT_THROW(require(false, "does not hold"), Broken);
}

// For some targets, a folder of the repository whose files are further inputs of the target.
// tests/fuzz/run gives libFuzzer the same folders.
const std::map<std::string_view, fs::path> of_the_tree = {
    {"input", "tests/golden/ray/cluster_right"},
    {"manifest", "tests/e2e/manifests"},
    {"rules", "docs/samples/team"},
    {"watch", "tests/unit/server/kube/recorded"}};

void register_all() {
  const fs::path here(TPUWH_FUZZ_FILES), root = here.parent_path().parent_path();
  for (const Target& target : targets()) {
    std::map<std::string, fs::path> folders;
    for (const char* place : {"corpus", "regressions"})
      if (fs::exists(here / place / target.name)) folders[place] = here / place / target.name;
    if (const auto found = of_the_tree.find(target.name); found != of_the_tree.end())
      folders["tree"] = root / found->second;
    for (const auto& [place, folder] : folders)
      ::testing::RegisterTest(place.c_str(), std::string(target.name).c_str(), nullptr, nullptr,
                              folder.c_str(), 1,
                              [target, folder = folder] { return new Corpus(target, folder); });
  }
}

}  // namespace
}  // namespace tpuwh::fuzz

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tpuwh::fuzz::register_all();
  return RUN_ALL_TESTS();
}
