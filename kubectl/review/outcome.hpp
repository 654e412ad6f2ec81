// The answer to one input, taken apart for output and exit code.
#pragma once

#include "base/json/reader.hpp"
#include "server/text/json_text.hpp"
#include "webhook/answer/admit.hpp"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tpuwh::server::review {

// How bad: also the exit code of `review`, where the worst input counts.
enum class Verdict { allowed = 0, denied = 1, unusable = 2 };

// An operation of a JSON patch, with its path read.
class Operation {
 public:
  explicit Operation(Json text);
  Operation(const Operation&) = delete;  // it points into itself
  Operation& operator=(const Operation&) = delete;
  // As it stands in the patch.
  const Json& text() const { return patch_.front(); }
  // Throws what nlohmann's patch() does where the path leads nowhere.
  void apply(Json& object) const;

 private:
  const Json patch_;  // of this operation alone
  Json::json_pointer parent_;
  std::string key_;              // in the parent
  const Json* value_ = nullptr;  // of an add or a replace
  bool adds_ = false;
};

// What an answer says, without what it was asked about.
struct Reply {
  Verdict verdict = Verdict::allowed;
  unsigned code = 0;    // of a denial or an error
  std::string message;  // likewise
  std::vector<std::string> warnings;
  // The JSON patch, which the reader keeps until it reads another answer.
  std::vector<const Operation*> operations = {};

  // The object with the patch.
  void apply(Json& object) const {
    for (const Operation* each : operations) each->apply(object);
  }
};

struct ReviewOutcome : Reply {
  std::string answer;  // what the server would send, with its newline
  Json before;         // the object as it came; null where there is none
  Json patch = Json::array();
  Json after;
  std::string kind;      // "Pod"
  std::string ns, name;  // for people; "<generateName>*" where it has no name yet
  std::string workload, description;
  webhook::outcome::Reason reason = webhook::outcome::Reason::unreadable;
};

// Reads answers, one after the other: its memory is kept, and what it has read once, since the
// members of a slice get nearly all alike.
class ReplyReader {
 public:
  Reply read(const webhook::answer::Answer& answer);

 private:
  void read_patch(std::string_view base64, Reply& out);

  base::json::Reader in_;
  std::string body_, patch_;
  std::unordered_map<std::string, Operation> operations_;  // by their texts
};

// Takes an answer apart. `review` is the text that was answered.
ReviewOutcome parse_answer(const webhook::answer::Answer& answer, const std::string& review);

// The same for an input that never became a review.
ReviewOutcome unusable(const std::string& message);

}  // namespace tpuwh::server::review
