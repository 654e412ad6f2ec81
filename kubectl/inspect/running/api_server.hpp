// Requests of a command, one after the other: the caller waits for each answer.
//
// A kube::client::Client on an io_context of its own. `serve` does not use it.
#pragma once

#include "server/kube/client/client.hpp"

#include <boost/asio/basic_signal_set.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace tpuwh::server::running {

// The limits of one list, for a person's machine.
struct ListBounds {
  // The largest size of one object. etcd takes 1.5 MiB, each byte may become six bytes as JSON ("<"
  // is "\u003c"), and the names of the fields are added.
  std::size_t object_bytes = 16u << 20;
  // The largest number of pages, including the pages of a list that had to begin again. With 500
  // objects on each page, this is more than twice the Pods of the largest cluster that we plan for
  // (limits::api::watching).
  unsigned pages = 500;
  limits::Duration time = std::chrono::minutes(10);
};

// How a list ended.
struct Listing {
  enum class End {
    whole,
    partial,     // objects larger than the bound are missing
    not_served,  // 404: the API server knows no such resource
    forbidden,   // 403
    failed,      // not reached, interrupted, or what came cannot be read
  };
  End end = End::failed;
  // The reason why the list is not whole: a sentence that names the objects that are too large, or,
  // for a 403, the missing rule.
  std::string why = {};

  bool whole() const { return end == End::whole; }
};

class ApiServer {
 public:
  // The text of one object, with apiVersion and kind; lives for the call.
  using Each = std::function<void(std::string_view json)>;

  explicit ApiServer(kube::access::ApiConfig config, ListBounds bounds = {});
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  // kube::client::Client::send. After an interrupt: failed at once.
  kube::client::Response send(kube::client::Request request,
                              limits::Duration within = limits::api::command_call);

  // Lists every object of `resource`, page by page. `kind` ("Pod") is written into each item,
  // because items do not name their own kind. `each` is called only after the last page, and only
  // if the list is whole or partial, because a page token may expire, and then the list begins
  // again.
  Listing list(const kube::client::Resource& resource, const kube::client::Selectors& selectors,
               std::string_view kind, const Each& each);

  // From now on SIGINT and SIGTERM end what is under way instead of the program.
  void catch_interrupts();
  bool interrupted() const { return interrupted_; }
  // False: interrupted before the time was over.
  bool wait(std::chrono::milliseconds time);

  const kube::access::ApiConfig& config() const { return config_; }

 private:
  struct Page;

  template <class T>
  T run(net::Task<T> task);
  Listing read_page(const kube::client::Resource& resource, kube::client::Request request,
                    limits::Duration within, Page& page);
  void on_interrupt();

  const kube::access::ApiConfig config_;
  const ListBounds bounds_;
  boost::asio::io_context io_;
  kube::client::Client client_;
  boost::asio::cancellation_signal* cancel_ = nullptr;  // of what is under way
  boost::asio::basic_signal_set<net::Executor> signals_;
  bool interrupted_ = false;
};

// Returns the name of an object, "ml/train-0" or "node-1", from the metadata in the beginning of
// its text, or "an unnamed object" if the beginning contains no name.
std::string name_in(std::string_view beginning);

// `text` of a list's item, with apiVersion and kind in front where it begins with neither: items
// of built-in kinds have none of them, those of custom resources begin with both.
std::string with_kind(std::string_view text, std::string_view kind,
                      const kube::client::Resource& resource);

}  // namespace tpuwh::server::running
