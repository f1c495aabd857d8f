// A network with a delay, for kernels that have no netem: joins network namespaces by TUN devices and hands
// each packet on after a given time.
//   delay_line DEVICE MILLISECONDS NETNS...
// Makes DEVICE in each namespace (of `ip netns`), says "ready" on stdout and goes on until a signal ends it;
// the devices end with it. What goes to the IPv4 address X.X.X.i comes out of the i-th namespace, whatever is
// before the i; everything else is dropped. Needs root.
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Packet {
  Clock::time_point due;
  int device;  // a file descriptor
  std::vector<unsigned char> bytes;
};

int checked(int result, const std::string& what) {
  if (result < 0) throw std::runtime_error(what + ": " + std::strerror(errno));
  return result;
}

// The device belongs to the namespace that this process is in when it is made.
int made_in(const std::string& netns, const std::string& name) {
  const std::string path = "/run/netns/" + netns;
  const int space = checked(open(path.c_str(), O_RDONLY | O_CLOEXEC), path);
  checked(setns(space, CLONE_NEWNET), path);
  close(space);
  const int device = checked(open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC), "/dev/net/tun");
  ifreq request{};
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  if (name.size() >= sizeof request.ifr_name) throw std::runtime_error(name + ": too long for a device");
  name.copy(request.ifr_name, name.size());
  checked(ioctl(device, TUNSETIFF, &request), netns + ": " + name);
  return device;
}

std::optional<double> milliseconds_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0 && value <= 60000)) return {};
  return value;
}

// All packets wait equally long, so those that are due are first.
void forward(const std::vector<int>& devices, Clock::duration delay) {
  constexpr std::size_t kLongestPacket = 65536;
  std::deque<Packet> waiting;
  std::vector<unsigned char> bytes(kLongestPacket);
  std::vector<pollfd> ready;
  for (const int device : devices) ready.push_back({device, POLLIN, 0});
  for (;;) {
    timespec rest{};
    if (!waiting.empty()) {
      const auto left = std::max(waiting.front().due - Clock::now(), Clock::duration::zero());
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
      rest = {seconds.count(), static_cast<long>(std::chrono::nanoseconds(left - seconds).count())};
    }
    checked(ppoll(ready.data(), ready.size(), waiting.empty() ? nullptr : &rest, nullptr), "ppoll");
    for (const pollfd& one : ready) {
      if ((one.revents & POLLIN) == 0) continue;
      const ssize_t size = read(one.fd, bytes.data(), bytes.size());
      constexpr std::ptrdiff_t kHeader = 20, kLastOfDestination = 19;
      if (size < kHeader || bytes[0] >> 4 != 4) continue;
      const std::size_t to = bytes[kLastOfDestination];
      if (to == 0 || to > devices.size()) continue;
      waiting.push_back({Clock::now() + delay, devices[to - 1], {bytes.begin(), bytes.begin() + size}});
    }
    const Clock::time_point now = Clock::now();
    for (; !waiting.empty() && waiting.front().due <= now; waiting.pop_front()) {
      const Packet& packet = waiting.front();
      // A device that is down takes none: the packet is lost, as on a cable.
      if (write(packet.device, packet.bytes.data(), packet.bytes.size()) < 0 && errno != EIO)
        checked(-1, "a packet");
    }
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const std::optional<double> delay = words.size() < 3 ? std::nullopt : milliseconds_of(words[1]);
  if (!delay || words.size() > 2 + 254) {
    std::fputs("usage: delay_line DEVICE MILLISECONDS NETNS...\n", stderr);
    return 2;
  }
  std::vector<int> devices;
  for (std::size_t i = 2; i < words.size(); ++i) devices.push_back(made_in(words[i], words[0]));
  checked(prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL), "prctl");  // else waits are rounded up by 50 us
  // Ranks that wait are busy: without this a packet would be late by one of their time slices.
  const sched_param priority{.sched_priority = 1};
  checked(sched_setscheduler(0, SCHED_FIFO, &priority), "sched_setscheduler");
  std::puts("ready");
  std::fflush(stdout);
  forward(devices,
          std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double, std::milli>(*delay)));
} catch (const std::exception& error) {
  std::fprintf(stderr, "delay_line: %s\n", error.what());
  return 1;
}
