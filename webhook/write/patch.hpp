// A JSON patch, written operation by operation straight into a buffer.
//
// Only "add", "replace" and "remove" of things seen, with parents created first:
// the part of RFC 6902 on which the API server's library and the RFC agree
// (docs/facts.md#json-patch). A path is made from a row of the declared surface, and values are
// written as Json, which takes no text of others but escaped. A fault of ours spoils the whole
// patch: an operation that its row does not allow, marks that the row does not have, or, when all
// is written, a character that makes structure and was not meant to be there.
#pragma once

#include "base/buffer.hpp"
#include "webhook/write/json.hpp"
#include "webhook/write/shared_text.hpp"
#include "webhook/write/surface.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::webhook::write {

// etcd takes 1.5 MiB for an object (--max-request-bytes), and the Pod stands beside what is
// added to it. Nobody can make us hold more for a Pod that could not be stored.
inline constexpr std::size_t max_patch_bytes = 1u << 20;

class Patch {
 public:
  // Starts an empty patch. `prefix` is Config::prefix.
  void clear(std::string_view prefix);

  // Begins an operation on the path of `row`, whose marks are filled: with the prefix, with the
  // indices in their order, with a key of a map. For an add or a replace the caller then writes
  // the value into json(); end() closes it.
  void begin(PatchOp op, Surface row);
  void begin(PatchOp op, Surface row, std::uint32_t index);
  void begin(PatchOp op, Surface row, std::uint32_t outer, std::uint32_t inner);
  void begin(PatchOp op, Surface row, std::string_view key);
  // Where the value of the operation that was begun is written.
  Json& json() { return json_; }
  void end() {
    json_ << "}";
    if (json_.size() > max_patch_bytes) drop();
  }
  // Writes a value, or a part of one, of which the base64 is there: blanks in front of it
  // let it begin where a group of 3 bytes does. `text` has to stay until encode().
  void append(const SharedText& text);
  // Whole operations, of which the base64 is there: operations() of another patch.
  void append_operations(const SharedText& text);

  // One whole operation: a label or an annotation of ours becomes `value`; none where it is
  // that already.
  void set_own(Surface row, const std::optional<std::string_view>& present, std::string_view value);

  // Those so far, with commas between them and without the array's brackets.
  void append_operations_to(Json& out) const { out.append(json_, json_.empty() ? 0 : 1); }

  // Closes the array. The patch is "" if there was no operation.
  std::string_view finish();
  // The same as base64.
  void encode(Json& out);

  bool empty() const { return json_.empty(); }
  // It must not be sent: an operation outside the surface was begun, or the operations so far hold
  // what nobody meant to write. The log says that the webhook failed on this Pod.
  bool is_spoiled() const { return undeclared_ || !is_sound(); }
  // Of operations that did not fit; with any, the patch must not be sent.
  std::size_t dropped_bytes() const { return dropped_bytes_; }
  // "tpu-webhook.dev~1"
  std::string_view escaped_prefix() const { return escaped_prefix_.view(); }

 private:
  // Null, and the patch spoiled, where the row does not have these marks or not allow it.
  const Spelling* spelled(PatchOp op, Surface row, Marks marks);
  char separator() const;
  bool is_sound() const;
  void drop();

  struct Encoded {
    std::size_t from, size;  // in json_
    std::size_t special;     // characters of it
    std::string_view base64;
  };

  Json json_;
  std::vector<Encoded> encoded_;
  std::string prefix_;
  Json escaped_prefix_;
  Json::Mark begun_;  // where the last operation begins
  std::size_t dropped_bytes_ = 0;
  bool undeclared_ = false;
};

}  // namespace tpuwh::webhook::write
