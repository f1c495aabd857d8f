// The power fails during a save: what can be on the disk, and does a complete checkpoint load from each of
// it?
//   power_loss TRACE DIR INITIAL SCRATCH STEP FORMER
// TRACE: strace -y of `writer_probe save DIR STEP`. INITIAL: DIR as it was before, FORMER the newest step in
// it (0: none). SCRATCH: a folder for the states.
//
// The model (after Pillai et al. 2014, "All file systems are not created equal"): a change of a folder's
// entries is on the disk once the folder was synced after it, a file's data once the file was. Everything
// else may be there or not, in any order; unsynced data may be missing, cut, or zeros. For each prefix of the
// trace: none, all, each one, all but each one and random subsets of the pending changes, times what may have
// become of unsynced data.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "probe_checkpoint.hpp"
#include "support/hash.hpp"

using namespace headwater;

namespace {

struct Inode {
  enum class Kind { folder, file, link } kind;
  std::string data;                       // of a file: once the save is done; of a link: its target
  std::map<std::string, Inode*> entries;  // of a folder: before the save
  bool is_written = false;                // by the save
};

struct Operation {
  enum class Kind { entries, data, sync } kind;
  Inode* inode;  // the folder, or the file
  std::vector<std::pair<std::string, Inode*>>
      changes;  // entries set, or erased where there is no inode: all at once
};

// What became of data that was not synced: 0 nothing is there, 1 all of it, 2 zeros, 3 the first half; from 4
// on each page of 4 KiB is there or is zeros, and the end is cut, as that number draws.
constexpr std::uint32_t kUnsyncedWays = 100;

using Entries = std::map<const Inode*, std::map<std::string, Inode*>>;

struct Trace {
  std::vector<std::unique_ptr<Inode>> inodes;
  Inode* top = nullptr;
  std::vector<Operation> operations;

  Inode* make(Inode::Kind kind, std::string data = {}) {
    inodes.push_back(std::make_unique<Inode>(Inode{kind, std::move(data), {}, false}));
    return inodes.back().get();
  }

  // True where `inode` is synced after operation `at` and before `prefix`.
  bool is_synced(const Inode* inode, std::size_t at, std::size_t prefix) const {
    for (std::size_t i = at + 1; i < prefix; ++i) {
      if (operations[i].kind == Operation::Kind::sync && operations[i].inode == inode) return true;
    }
    return false;
  }
};

Inode* read_tree(Trace& trace, const fs::path& folder) {
  Inode* inode = trace.make(Inode::Kind::folder);
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name == ".lock") continue;
    inode->entries[name] = entry.is_symlink() ? trace.make(Inode::Kind::link, fs::read_symlink(entry.path()))
                           : entry.is_directory() ? read_tree(trace, entry.path())
                                                  : trace.make(Inode::Kind::file, read_file(entry.path()));
  }
  return inode;
}

// Follows the system calls and knows what every name means while they happen.
class TraceReader {
 public:
  TraceReader(Trace& trace, fs::path root) : trace_(trace), root_(std::move(root)) {
    for (const auto& inode : trace.inodes) now_[inode.get()] = inode->entries;
  }

  void take(const std::string& line) {
    const std::string call = line.substr(0, line.find('('));
    const std::size_t result = line.rfind(" = ");
    if (result == std::string::npos || line[result + 3] == '-') return;  // failed, or no call
    const std::vector<std::string> text = quoted(line);
    const std::string described = described_path(line);
    if (call == "openat" && line.find("O_CREAT") != std::string::npos && is_ours(text[0])) {
      if (find(text[0]) == nullptr) change({{text[0], trace_.make(Inode::Kind::file)}});
    } else if (call == "mkdir" && is_ours(text[0])) {
      change({{text[0], trace_.make(Inode::Kind::folder)}});
    } else if (call == "symlink" && is_ours(text[1])) {
      change({{text[1], trace_.make(Inode::Kind::link, text[0])}});
    } else if (call == "rename" && is_ours(text[0])) {
      Inode* moved = find(text[0]);
      change({{text[0], nullptr}, {text[1], moved}});
    } else if (call == "renameat2" && is_ours(text[0])) {  // the exchange
      Inode* first = find(text[0]);
      change({{text[0], find(text[1])}, {text[1], first}});
    } else if ((call == "unlink" || call == "rmdir") && is_ours(text[0])) {
      change({{text[0], nullptr}});
    } else if (call == "unlinkat" && is_ours(described)) {
      change({{fs::path(described) / text[0], nullptr}});
    } else if (call == "write" && is_ours(described)) {
      trace_.operations.push_back({Operation::Kind::data, existing(described), {}});
      existing(described)->is_written = true;
    } else if (call == "fsync" && is_ours(described)) {
      trace_.operations.push_back({Operation::Kind::sync, existing(described), {}});
    }
  }

  // The written files have their contents now, where the save has left them.
  void read_written() { read_written(*trace_.top, root_); }

 private:
  bool is_ours(const std::string& path) const {
    return (path == root_.native() || path.starts_with(root_.native() + "/")) && !path.ends_with("/.lock");
  }

  static std::vector<std::string> quoted(const std::string& line) {
    std::vector<std::string> out;
    for (std::size_t at = line.find('"'); at != std::string::npos;) {
      const std::size_t end = line.find('"', at + 1);
      if (end == std::string::npos) break;
      out.push_back(line.substr(at + 1, end - at - 1));
      at = line.find('"', end + 1);
    }
    return out;
  }

  // "/path" of "fsync(4</path>)"
  static std::string described_path(const std::string& line) {
    const std::size_t begin = line.find('<'), end = line.find('>');
    return begin == std::string::npos || end == std::string::npos ? ""
                                                                  : line.substr(begin + 1, end - begin - 1);
  }

  Inode* find(const fs::path& path) {
    Inode* inode = trace_.top;
    for (const fs::path& part : path.lexically_relative(root_)) {
      if (part == ".") continue;
      const auto& entries = now_[inode];
      const auto found = entries.find(part);
      if (found == entries.end()) return nullptr;
      inode = found->second;
    }
    return inode;
  }

  Inode* existing(const fs::path& path) {
    if (Inode* inode = find(path)) return inode;
    throw Error(shown(path) + ": used in the trace, but never made");
  }

  void change(const std::vector<std::pair<fs::path, Inode*>>& changes) {
    Operation operation{Operation::Kind::entries, existing(changes.front().first.parent_path()), {}};
    for (const auto& [path, inode] : changes) {
      if (find(path.parent_path()) != operation.inode)
        throw Error(shown(path) + ": a rename across folders is not in the model");
      operation.changes.emplace_back(path.filename(), inode);
    }
    for (const auto& [name, inode] : operation.changes) {
      if (inode != nullptr) now_[operation.inode][name] = inode;
      if (inode == nullptr) now_[operation.inode].erase(name);
    }
    trace_.operations.push_back(operation);
  }

  void read_written(const Inode& folder, const fs::path& path) {
    for (const auto& [name, inode] : now_[&folder]) {
      if (inode->kind == Inode::Kind::folder) read_written(*inode, path / name);
      if (inode->is_written) inode->data = read_file(path / name);
    }
  }

  Trace& trace_;
  fs::path root_;
  Entries now_;
};

// One thing that may be on the disk.
struct State {
  const Trace& trace;
  Entries entries;
  std::map<const Inode*, std::string> data;  // of the files that the save writes

  State(const Trace& t, std::size_t prefix, const std::set<std::size_t>& happened, std::uint32_t way)
      : trace(t) {
    for (const auto& inode : trace.inodes) entries[inode.get()] = inode->entries;
    for (std::size_t i = 0; i < prefix; ++i) {
      const Operation& operation = trace.operations[i];
      if (operation.kind == Operation::Kind::data) {
        data[operation.inode] = trace.is_synced(operation.inode, i, prefix)
                                    ? operation.inode->data
                                    : lossy(operation.inode->data, way);
      }
      if (operation.kind != Operation::Kind::entries) continue;
      if (!happened.contains(i) && !trace.is_synced(operation.inode, i, prefix)) continue;
      for (const auto& [name, inode] : operation.changes) {
        if (inode != nullptr) entries[operation.inode][name] = inode;
        if (inode == nullptr) entries[operation.inode].erase(name);
      }
    }
  }

  static std::string lossy(const std::string& whole, std::uint32_t way) {
    if (way == 0) return "";
    if (way == 1) return whole;
    if (way == 2) return std::string(whole.size(), '\0');
    if (way == 3) return whole.substr(0, whole.size() / 2);
    constexpr std::size_t kPage = 4096;
    const RandomStream stream{.seed = hash128(whole)[0] * 1000u + way};
    std::string out = whole;
    for (std::size_t page = 0; page * kPage < out.size(); ++page) {
      if (random_word(stream, page + 1) & 1) continue;
      std::fill(out.begin() + static_cast<std::ptrdiff_t>(page * kPage),
                out.begin() + static_cast<std::ptrdiff_t>(std::min(out.size(), (page + 1) * kPage)), '\0');
    }
    if (random_word(stream, 0) & 1) out.resize(random_below(stream, 100, out.size() + 1));
    return out;
  }

  std::string contents(const Inode& inode) const {
    if (!inode.is_written) return inode.data;
    const auto found = data.find(&inode);
    return found == data.end() ? "" : found->second;
  }

  void describe(const Inode& folder, const std::string& path, std::string& out) const {
    for (const auto& [name, inode] : entries.at(&folder)) {
      out += path + name + " " + (inode->kind == Inode::Kind::folder ? "" : hash128(contents(*inode))) + "\n";
      if (inode->kind == Inode::Kind::folder) describe(*inode, path + name + "/", out);
    }
  }

  void write(const Inode& folder, const fs::path& path) const {
    fs::create_directories(path);
    for (const auto& [name, inode] : entries.at(&folder)) {
      if (inode->kind == Inode::Kind::folder) write(*inode, path / name);
      if (inode->kind == Inode::Kind::link) fs::create_symlink(inode->data, path / name);
      if (inode->kind == Inode::Kind::file) std::ofstream(path / name, std::ios::binary) << contents(*inode);
    }
  }
};

// The sets of pending changes to try.
std::vector<std::set<std::size_t>> subsets(const std::vector<std::size_t>& pending, std::uint32_t seed) {
  const std::set<std::size_t> all(pending.begin(), pending.end());
  std::vector<std::set<std::size_t>> out{{}, all};
  for (const std::size_t one : pending) {
    out.push_back({one});
    std::set<std::size_t> others = all;
    others.erase(one);
    out.push_back(others);
  }
  for (std::uint64_t draw = 0; draw < 12; ++draw) {
    std::set<std::size_t> some;
    for (const std::size_t one : pending) {
      if (random_word({.seed = 9, .step = seed}, draw * 1000 + one) & 1) some.insert(one);
    }
    out.push_back(some);
  }
  return out;
}

// Throws Error where the state breaks the promise. `least`: the oldest step that may be the newest.
void check(const fs::path& state, std::int64_t least) {
  clean_up(state);
  std::vector<std::string> skipped;
  const auto newest = recover(state, skipped);
  if (!newest) {
    if (least > 0) throw Error("no checkpoint loads");
    return;
  }
  if (newest->step < least)
    throw Error("step " + std::to_string(newest->step) + " loads, older than " + std::to_string(least));
  check_probe_checkpoint(*newest);
  verify_checkpoint(state / "checkpoints/latest");
  if (fs::is_symlink(state / "checkpoints/best")) verify_checkpoint(state / "checkpoints/best");
}

int run(const std::vector<std::string>& arguments) {
  const fs::path scratch = arguments[3];
  const std::int64_t step = std::stoll(arguments[4]), former = std::stoll(arguments[5]);
  Trace trace;
  trace.top = read_tree(trace, arguments[2]);
  TraceReader reader(trace, arguments[1]);
  std::istringstream lines(read_file(arguments[0]));
  for (std::string line; std::getline(lines, line);) reader.take(line);
  reader.read_written();

  // The new checkpoint is promised once its folder's entry is synced.
  std::size_t promised = trace.operations.size() + 1;
  for (std::size_t i = 0; i < trace.operations.size(); ++i) {
    for (const auto& change : trace.operations[i].changes) {
      if (change.first != std::to_string(step) || change.second == nullptr) continue;
      for (std::size_t j = i + 1; j < trace.operations.size() && promised > trace.operations.size(); ++j) {
        if (trace.is_synced(trace.operations[i].inode, i, j + 1)) promised = j + 1;
      }
    }
  }
  if (promised > trace.operations.size())
    throw Error("the trace has no synced rename to " + std::to_string(step));

  int states = 0, failures = 0;
  std::set<std::string> seen;
  for (std::size_t prefix = 0; prefix <= trace.operations.size(); ++prefix) {
    const std::int64_t least = prefix >= promised ? step : former;
    std::vector<std::size_t> pending;
    for (std::size_t i = 0; i < prefix; ++i) {
      const Operation& operation = trace.operations[i];
      if (operation.kind == Operation::Kind::entries && !trace.is_synced(operation.inode, i, prefix))
        pending.push_back(i);
    }
    for (const auto& happened : subsets(pending, static_cast<std::uint32_t>(prefix))) {
      for (std::uint32_t way = 0; way < kUnsyncedWays; ++way) {
        const State state(trace, prefix, happened, way);
        std::string picture = std::to_string(least) + "\n";
        state.describe(*trace.top, "", picture);
        if (!seen.insert(picture).second) continue;
        ++states;
        fs::remove_all(scratch);
        state.write(*trace.top, scratch);
        try {
          check(scratch, least);
        } catch (const Error& error) {
          if (++failures <= 3)
            std::printf("after %zu operations: %s, in\n%s", prefix, error.what(), picture.c_str());
        }
      }
    }
  }
  std::printf("%zu operations, %d states, %d failures\n", trace.operations.size(), states, failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) return 2;
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::printf("power_loss: %s\n", error.what());
    return 1;
  }
}
