// Threads with a name, as `top -H` shows it, and a sentence where there is none to be had.
#pragma once

#include <pthread.h>

#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace tpuwh::server::net {

// `name`: at most 15 characters. `run` as std::jthread takes it. Throws std::runtime_error.
template <class Run>
std::jthread start_thread(const std::string& name, Run&& run) {
  try {
    std::jthread thread(std::forward<Run>(run));
    pthread_setname_np(thread.native_handle(), name.c_str());
    return thread;
  } catch (const std::system_error& failure) {
    throw std::runtime_error("cannot start the thread \"" + name + "\": " +
                             failure.code().message() + "; allow more processes or memory");
  }
}

}  // namespace tpuwh::server::net
