// A JSON patch, written operation by operation straight into a buffer.
//
// Only "add", "replace" and "remove" of things seen, with parents created first:
// the part of RFC 6902 on which the API server's library and the RFC agree
// (docs/facts.md#json-patch). A path is made from a row of the declared surface; an operation
// that the row does not allow, or marks that it does not have, are a bug of ours and spoil the
// whole patch.
#pragma once

#include "webhook/text/buffer.hpp"
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
  text::Buffer& json() { return json_; }
  void end() {
    json_.append('}');
    if (json_.size() > max_patch_bytes) drop();
  }
  // Writes a value, or a part of one, of which the base64 is there: blanks in front of it
  // let it begin where a group of 3 bytes does. `text` has to stay until encode().
  void append(const SharedText& text);
  // Whole operations, of which the base64 is there: operations() of another patch.
  void append_operations(const SharedText& text);

  // One whole operation: a label or an annotation of ours becomes `value`; none where it is
  // that already. We made the value, of digits, checked names and printable(): nothing in it needs
  // an escape.
  void set_own(Surface row, const std::optional<std::string_view>& present, std::string_view value);

  // Those so far, with commas between them and without the array's brackets.
  std::string_view operations() const { return json_.view().substr(json_.empty() ? 0 : 1); }

  // Closes the array. The patch is "" if there was no operation.
  std::string_view finish();
  // The same as base64.
  void encode(text::Buffer& out);

  bool empty() const { return json_.empty(); }
  // An operation outside the surface was begun; the patch must not be sent.
  bool undeclared() const { return undeclared_; }
  // Of operations that did not fit; with any, the patch must not be sent.
  std::size_t dropped_bytes() const { return dropped_bytes_; }
  // "tpu-webhook.dev~1"
  std::string_view escaped_prefix() const { return escaped_prefix_; }

 private:
  // Null, and the patch spoiled, where the row does not have these marks or not allow it.
  const Spelling* spelled(PatchOp op, Surface row, Marks marks);
  char separator() const { return begun_ == 0 ? '[' : ','; }
  void drop();

  struct Encoded {
    std::size_t from, size;  // in json_
    std::string_view base64;
  };

  text::Buffer json_;
  std::vector<Encoded> encoded_;
  std::string prefix_;
  std::string escaped_prefix_;
  std::size_t begun_ = 0;  // where the last operation begins
  std::size_t dropped_bytes_ = 0;
  bool undeclared_ = false;
};

// `text` as a JSON string, quotes included.
void append_json_string(text::Buffer& out, std::string_view text);

}  // namespace tpuwh::webhook::write
