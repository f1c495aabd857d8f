// A value that is made when it is first asked for, from any thread.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

namespace headwater {

template <class T>
class Lazy {
 public:
  template <class Make>
  const T& get(const Make& make) const {
    const std::lock_guard lock(state_->mutex);
    if (!state_->value.has_value()) state_->value.emplace(make());
    return *state_->value;
  }

 private:
  struct State {
    std::mutex mutex;
    std::optional<T> value;
  };
  std::unique_ptr<State> state_ = std::make_unique<State>();
};

}  // namespace headwater
