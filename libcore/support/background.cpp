#include "support/background.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace headwater {

struct BackgroundThread::Impl {
  std::mutex mutex;
  std::condition_variable changed;
  void (*job)(void*) = nullptr;  // waiting or running
  void* data = nullptr;
  std::exception_ptr error;
  bool is_ending = false;
  std::thread thread;  // last: it uses the others

  void run() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return job != nullptr || is_ending; });
      if (job == nullptr) return;
      lock.unlock();
      std::exception_ptr caught;
      try {
        job(data);
      } catch (...) {
        caught = std::current_exception();
      }
      lock.lock();
      error = caught;
      job = nullptr;
      changed.notify_all();
    }
  }
};

BackgroundThread::BackgroundThread() : impl_(std::make_unique<Impl>()) {
  impl_->thread = std::thread([impl = impl_.get()] { impl->run(); });
}

BackgroundThread::~BackgroundThread() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->is_ending = true;
  }
  impl_->changed.notify_all();
  impl_->thread.join();
}

void BackgroundThread::begin(void (*job)(void*), void* data) {
  wait();
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->job = job;
    impl_->data = data;
  }
  impl_->changed.notify_all();
}

void BackgroundThread::wait() {
  std::unique_lock lock(impl_->mutex);
  impl_->changed.wait(lock, [this] { return impl_->job == nullptr; });
  if (impl_->error) std::rethrow_exception(std::exchange(impl_->error, nullptr));
}

}  // namespace headwater
