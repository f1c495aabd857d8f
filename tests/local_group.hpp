// Ranks that are threads of one process.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "ranks/process_group.hpp"
#include "support/error.hpp"

// Messages on their way.
struct LocalMail {
  std::mutex mutex;
  std::condition_variable has_changed;
  std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> letters;  // from, to
  bool has_failed = false;  // a rank has ended with an error
};

class LocalGroup : public headwater::ProcessGroup {
 public:
  LocalGroup(LocalMail& mail, int rank, int size) : ProcessGroup(rank, size), mail_(mail) {}

  void exchange(int partner, std::span<const std::byte> out, std::span<std::byte> in) override {
    bytes_sent_ += static_cast<std::int64_t>(out.size());
    std::unique_lock lock(mail_.mutex);
    if (!out.empty()) mail_.letters[{rank(), partner}].emplace_back(out.begin(), out.end());
    mail_.has_changed.notify_all();
    if (in.empty()) return;
    auto& letters = mail_.letters[{partner, rank()}];
    mail_.has_changed.wait(lock, [&] { return !letters.empty() || mail_.has_failed; });
    if (letters.empty()) throw headwater::Error("another rank has failed");
    if (letters.front().size() != in.size()) throw headwater::Error("a message of another size");
    std::copy(letters.front().begin(), letters.front().end(), in.begin());
    letters.pop_front();
  }
  std::int64_t bytes_sent() const { return bytes_sent_; }  // by this rank so far

 private:
  LocalMail& mail_;
  std::int64_t bytes_sent_ = 0;
};

// Calls body(group) for each of `size` ranks at once; throws what the first of them threw.
inline void on_ranks(int size, const std::function<void(LocalGroup&)>& body) {
  LocalMail mail;
  std::vector<std::exception_ptr> errors(size);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        LocalGroup group(mail, rank, size);
        body(group);
      } catch (...) {
        errors[rank] = std::current_exception();
        const std::lock_guard lock(mail.mutex);
        mail.has_failed = true;
        mail.has_changed.notify_all();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}
