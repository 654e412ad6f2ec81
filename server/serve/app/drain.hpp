// The order of a shutdown: a plain state machine, which the application drives.
//
//   serving ──signal──▶ announcing ──delay over──▶ finishing ──all gone──▶ done
//                           │                          │ └────time over──▶ done
//                           └──────second signal───────┴─────────────────▶ done
#pragma once

namespace tpuwh::server::app {

class Drain {
 public:
  enum class State {
    serving,
    announcing,  // not ready, but everything is answered, with Connection: close
    finishing,   // no new connections; requests in progress are answered
    done,
  };
  enum class Event {
    signal,            // SIGTERM or SIGINT
    delay_over,        // --drain-delay
    connections_gone,  // none is left
    time_over,         // --drain-timeout
  };
  enum class Action {
    none,
    announce,        // fail readiness, start --drain-delay
    stop_accepting,  // close the port, start --drain-timeout
    finish,          // end, exit code 0
    cut,             // close the connections that are left, then finish
    exit_now,        // end at once, exit code 1
  };

  // What to do about `event`. Events that come late or early mean nothing.
  Action on(Event event);

  State state() const { return state_; }

 private:
  Action go(State state, Action action) {
    state_ = state;
    return action;
  }

  State state_ = State::serving;
};

}  // namespace tpuwh::server::app
