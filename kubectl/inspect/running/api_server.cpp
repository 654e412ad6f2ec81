#include "kubectl/inspect/running/api_server.hpp"

#include "server/kube/client/item_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <csignal>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

namespace tpuwh::server::running {
namespace {

namespace api = server::limits::api;

// An expired page token is an old list, not a broken server: so often all is listed again.
constexpr unsigned most_lists = 3;

kube::client::Response interrupted_answer() {
  kube::client::Response response;
  response.error = "interrupted";
  return response;
}

// What ended with an answer other than 2xx, or with none.
Listing refused(const kube::client::Resource& resource, const kube::client::Response& response) {
  if (!response.answered())
    return {Listing::End::failed,
            fmt::format("cannot list {}: {}", resource.name(), response.error)};
  const kube::client::Status status = response.status();
  const auto end = status.code == 404   ? Listing::End::not_served
                   : status.code == 403 ? Listing::End::forbidden
                                        : Listing::End::failed;
  return {end, sentence("list", resource, status)};
}

std::string api_version(const kube::client::Resource& resource) {
  return resource.group.empty() ? resource.version : resource.group + "/" + resource.version;
}

// Whether the first member is one that only an object that says its kind has in front.
bool says_kind(std::string_view text) {
  const auto first = text.find_first_not_of(" \n\r\t", 1);
  if (first == std::string_view::npos) return false;
  const std::string_view rest = text.substr(first);
  return rest.starts_with("\"kind\"") || rest.starts_with("\"apiVersion\"");
}

}  // namespace

std::string with_kind(std::string_view text, std::string_view kind,
                      const kube::client::Resource& resource) {
  if (text.empty() || text.front() != '{' || says_kind(text)) return std::string(text);
  const bool empty = text.find_first_not_of(" \n\r\t", 1) == text.size() - 1;
  return fmt::format(R"({{"apiVersion":"{}","kind":"{}"{}{})", api_version(resource), kind,
                     empty ? "" : ",", text.substr(1));
}

std::string name_in(std::string_view text) {
  // An object of a built-in kind begins with its metadata. A custom resource has strings before its
  // metadata.
  text.remove_prefix(std::min(text.find("\"metadata\""), text.size()));
  std::string_view key, name, ns;
  for (unsigned depth = 0; !text.empty(); text.remove_prefix(1)) {
    const char c = text.front();
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) break;
    if (c != '"') continue;
    std::size_t end = 1;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    if (end >= text.size()) break;
    const std::string_view word = text.substr(1, end - 1);
    text.remove_prefix(end);
    const auto next = text.find_first_not_of(" \n\r\t", 1);
    if (depth != 1) continue;
    if (next != text.npos && text[next] == ':')
      key = word;
    else if (key == "name" || key == "namespace")
      (key == "name" ? name : ns) = word;
  }
  if (name.empty()) return "an unnamed object";
  return ns.empty() ? std::string(name) : fmt::format("{}/{}", ns, name);
}

// The items of one page and of the pages before it. The items are read only after the list has
// ended.
struct ApiServer::Page final : kube::client::ItemReader {
  using ItemReader::ItemReader;
  void on_item(std::string_view json) override { texts.emplace_back(json); }
  void on_too_large(std::string_view beginning) override {
    too_large.push_back(name_in(beginning));
  }
  std::vector<std::string> texts, too_large;
  bool expired = false;
};

ApiServer::ApiServer(kube::access::ApiConfig config, ListBounds bounds)
    : config_(std::move(config)),
      bounds_(bounds),
      client_(io_.get_executor(), config_),
      signals_(io_.get_executor()) {}

template <class T>
T ApiServer::run(net::Task<T> task) {
  std::optional<T> result;
  std::exception_ptr fault;
  bool done = false;
  const auto ended = [&](std::exception_ptr thrown, T value) {
    fault = thrown;
    result = std::move(value);
    done = true;
  };
  boost::asio::cancellation_signal cancel;  // outlives the coroutine, which holds its slot
  cancel_ = &cancel;
  boost::asio::co_spawn(io_.get_executor(), std::move(task),
                        boost::asio::bind_cancellation_slot(cancel.slot(), ended));
  io_.restart();
  while (!done) io_.run_one();
  cancel_ = nullptr;
  if (fault) std::rethrow_exception(fault);
  return std::move(*result);
}

kube::client::Response ApiServer::send(kube::client::Request request, limits::Duration within) {
  if (interrupted_) return interrupted_answer();
  return run(client_.send(std::move(request), within));
}

// One page; where it is not whole, with the answer's own sentence.
Listing ApiServer::read_page(const kube::client::Resource& resource, kube::client::Request request,
                             limits::Duration within, Page& page) {
  if (interrupted_) return {Listing::End::failed, "interrupted"};
  const kube::client::StreamLimits limits{.silence = api::page_silence,
                                          .total = std::min(within, api::page)};
  const kube::client::Response response = run(client_.stream(std::move(request), limits, page));
  const auto broken = [&](std::string_view why) {
    return Listing{Listing::End::failed, fmt::format("cannot list {}: {}", resource.name(), why)};
  };
  if (!page.page().error().empty()) return broken(page.page().error());
  if (!response.ok()) {
    page.expired = response.answered() && response.status().expired();
    return refused(resource, response);
  }
  if (!page.whole()) return broken("the page ended before its list did");
  return {Listing::End::whole};
}

Listing ApiServer::list(const kube::client::Resource& resource,
                        const kube::client::Selectors& selectors, std::string_view kind,
                        const Each& each) {
  Page page(bounds_.object_bytes);
  kube::client::ListOptions options{
      .limit = limits::api::page_items, .continue_token = {}, .version = {}, .version_match = {}};
  const auto until = net::Clock::now() + bounds_.time;
  for (unsigned lists = 1, pages = 0;;) {
    const auto left = std::chrono::duration_cast<limits::Duration>(until - net::Clock::now());
    if (left.count() <= 0 || pages++ == bounds_.pages)
      return {Listing::End::failed,
              fmt::format("cannot list {}: the list does not end within {} pages and {} s",
                          resource.name(), bounds_.pages, bounds_.time / std::chrono::seconds(1))};
    page.reset();
    Listing read =
        read_page(resource, kube::client::list(resource, selectors, options), left, page);
    if (page.expired && lists < most_lists) {
      ++lists;
      page.expired = false;
      page.texts.clear();
      page.too_large.clear();
      options.continue_token.clear();
      continue;
    }
    if (!read.whole()) return read;
    options.continue_token = page.page().continue_token();
    if (options.continue_token.empty()) break;
  }
  for (std::string& text : page.texts) {
    const std::string object = std::move(text);  // a cluster's Pods are large enough once
    each(with_kind(object, kind, resource));
  }
  if (page.too_large.empty()) return {Listing::End::whole};
  return {Listing::End::partial,
          fmt::format("cannot read {} {}: larger than {} MiB as JSON", resource.name(),
                      fmt::join(page.too_large, ", "), bounds_.object_bytes >> 20)};
}

void ApiServer::catch_interrupts() {
  signals_.add(SIGINT);
  signals_.add(SIGTERM);
  signals_.async_wait([this](const net::error_code& error, int) {
    if (!error) on_interrupt();
  });
}

void ApiServer::on_interrupt() {
  interrupted_ = true;
  if (cancel_ != nullptr) cancel_->emit(boost::asio::cancellation_type::terminal);
}

bool ApiServer::wait(std::chrono::milliseconds time) {
  const auto until = net::Clock::now() + time;
  io_.restart();
  while (!interrupted_ && net::Clock::now() < until) io_.run_one_until(until);
  return !interrupted_;
}

}  // namespace tpuwh::server::running
