#include "server/serve/app/drain.hpp"

namespace tpuwh::server::app {

Drain::Action Drain::on(Event event) {
  switch (state_) {
    case State::serving:
      if (event == Event::signal) return go(State::announcing, Action::announce);
      break;
    case State::announcing:
      if (event == Event::signal) return go(State::done, Action::exit_now);
      if (event == Event::delay_over) return go(State::finishing, Action::stop_accepting);
      break;
    case State::finishing:
      if (event == Event::signal) return go(State::done, Action::exit_now);
      if (event == Event::connections_gone) return go(State::done, Action::finish);
      if (event == Event::time_over) return go(State::done, Action::cut);
      break;
    case State::done:
      break;
  }
  return Action::none;
}

}  // namespace tpuwh::server::app
