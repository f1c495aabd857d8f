// Reads every #include of libcore/ and tools/ and holds it against the levels of the house: includes go only
// downwards, third-party headers stay in the .cpp files of their room, and the library neither prints nor
// ends the program.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace fs = std::filesystem;

namespace {

const std::map<std::string, int, std::less<>> kLevels = {
    {"support", 0},  {"tensor", 1},   {"text", 1},       {"recipe", 1}, {"cli", 1},
    {"autograd", 2}, {"data", 2},     {"checkpoint", 2}, {"metrics", 2}, {"layers", 3}, {"models", 4}, {"tasks", 5},
    {"training", 6}, {"decoding", 6}, {"reports", 6},   {"tools", 7}};

// Rooms that stay away from words and files even where their level would allow it.
const std::set<std::string, std::less<>> kPureRooms = {"tensor", "autograd", "layers"};
const std::set<std::string, std::less<>> kImpureRooms = {"text", "data", "recipe", "cli", "checkpoint"};

struct ThirdParty {
  std::string_view prefix;  // of the header's name
  std::set<std::string_view> rooms;
};
const std::vector<ThirdParty> kThirdParty = {{"Eigen/", {"tensor"}},     {"unsupported/Eigen/", {"tensor"}},
                                             {"hwy/", {"tensor"}},       {"immintrin.h", {"tensor"}},
                                             {"arm_neon.h", {"tensor"}}, {"tbb/", {"support"}},
                                             {"oneapi/", {"support"}},   {"nlohmann/", {"support"}},
                                             {"xxhash.h", {"support"}},  {"fmt/", {"support"}},
                                             {"unicode/", {"text"}},     {"yaml-cpp/", {"recipe"}},
                                             {"png.h", {"data"}},        {"jpeglib.h", {"data"}},
                                             {"CLI/", {"cli"}}};

// Headers of the C library and of Linux; those of the C++ library have neither point nor slash.
const std::set<std::string_view> kSystem = {"cpuid.h",  "fcntl.h",  "poll.h",   "pthread.h", "sched.h",
                                            "signal.h", "unistd.h", "dirent.h", "errno.h",   "time.h"};

// What only cli/ and tools/ may do; looked for outside comments.
const std::vector<std::string_view> kForbiddenWords = {
    "std::cout", "std::cerr",       "std::clog", "getenv(", "std::exit(",
    "abort(",    "std::quick_exit", "printf(",   "_exit(",  "std::puts("};

using Exists = std::function<bool(const std::string&)>;

// "file:line: what" for each fault of one file. `path` starts at the repository's root; `exists` asks for a
// path below libcore/.
class Inspector {
 public:
  explicit Inspector(Exists exists) : exists_(std::move(exists)) {}

  std::vector<std::string> inspect(const std::string& path, const std::string& text) {
    faults_.clear();
    path_ = path;
    room_ = room_of(path);
    is_header_ = path.ends_with(".hpp") || path.ends_with(".h");
    std::istringstream lines(text);
    std::string line;
    bool is_in_comment = false;
    for (line_ = 1; std::getline(lines, line); ++line_) {
      const std::string code = without_comments(line, is_in_comment);
      const std::size_t hash = code.find_first_not_of(" \t");
      if (hash != std::string::npos && code[hash] == '#') {
        const std::size_t word = code.find_first_not_of(" \t", hash + 1);
        if (word != std::string::npos && code.compare(word, 7, "include") == 0)
          check_include(code.substr(word + 7));
      } else if (room_ != "cli" && room_ != "tools") {
        check_words(code);
      }
    }
    return faults_;
  }

 private:
  static std::string room_of(const std::string& path) {
    if (path.starts_with("tools/")) return "tools";
    const std::string below = path.substr(std::string("libcore/").size());
    return below.substr(0, below.find('/'));
  }

  static std::string without_comments(const std::string& line, bool& is_in_comment) {
    std::string out;
    bool is_in_string = false;
    for (std::size_t at = 0; at < line.size(); ++at) {
      const std::string_view two = std::string_view(line).substr(at, 2);
      if (is_in_comment) {
        if (two == "*/") is_in_comment = false, ++at;
        continue;
      }
      if (!is_in_string && two == "//") break;
      if (!is_in_string && two == "/*") {
        is_in_comment = true;
        ++at;
        continue;
      }
      if (line[at] == '"' && (at == 0 || line[at - 1] != '\\')) is_in_string = !is_in_string;
      out += line[at];
    }
    return out;
  }

  void fault(const std::string& what) {
    faults_.push_back(path_ + ":" + std::to_string(line_) + ": " + what);
  }

  void check_include(const std::string& rest) {
    const std::size_t open = rest.find_first_of("\"<");
    if (open == std::string::npos) return fault("an include that is not spelled out");
    const std::size_t close = rest.find_first_of("\">", open + 1);
    if (close == std::string::npos) return fault("an include that does not end");
    const std::string name = rest.substr(open + 1, close - open - 1);
    if (rest[open] == '"') {
      check_own(name);
    } else {
      check_foreign(name);
    }
  }

  void check_own(const std::string& name) {
    const std::size_t slash = name.find('/');
    const std::string target = name.substr(0, slash);
    if (slash == std::string::npos || !kLevels.contains(target)) {
      return fault("\"" + name +
                   "\" does not begin with a room (paths start at libcore/, those of tools at the top)");
    }
    if (!exists_(name)) return fault("\"" + name + "\" is not there");
    if (target == room_) return;
    const auto own_level = kLevels.find(room_);
    if (own_level == kLevels.end())
      return fault("room " + room_ + " has no level (add it to the map of levels)");
    const int level = own_level->second, target_level = kLevels.find(target)->second;
    if (target_level >= level) {
      return fault(room_ + " (level " + std::to_string(level) + ") includes " + target + " (level " +
                   std::to_string(target_level) + ")");
    }
    if (kPureRooms.contains(room_) && kImpureRooms.contains(target)) fault(room_ + " includes " + target);
    if (target == "cli" && room_ != "tools") fault(room_ + " includes cli, which is for tools");
  }

  void check_foreign(const std::string& name) {
    for (const ThirdParty& library : kThirdParty) {
      if (!name.starts_with(library.prefix)) continue;
      if (!library.rooms.contains(room_))
        return fault("<" + name + "> in " + room_ + ", it belongs to " + std::string(*library.rooms.begin()));
      if (is_header_ && room_ != "tensor")
        fault("<" + name + "> in a header (third-party headers stay in .cpp files)");
      if (is_header_ && name.starts_with("Eigen/"))
        fault("<" + name + "> in a header (third-party headers stay in .cpp files)");
      return;
    }
    const bool is_standard = name.find_first_of("./") == std::string::npos;
    if (!is_standard && !name.starts_with("sys/") && !kSystem.contains(name)) {
      fault("<" + name + "> belongs to no room (name its room in tests/layering_test.cpp)");
    }
  }

  void check_words(const std::string& code) {
    for (const std::string_view word : kForbiddenWords) {
      const std::size_t at = code.find(word);
      if (at == std::string::npos) continue;
      const bool is_longer =
          at > 0 && (std::isalnum(static_cast<unsigned char>(code[at - 1])) != 0 || code[at - 1] == '_');
      if (!is_longer)
        fault("\"" + std::string(word) + "\" in " + room_ +
              " (only cli/ and tools/ print, end or read the environment)");
    }
  }

  Exists exists_;
  std::vector<std::string> faults_;
  std::string path_, room_;
  bool is_header_ = false;
  int line_ = 0;
};

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file.good(), path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

// Each "headwater_room(NAME ROOMS a b ... LIBRARIES ...)" of libcore/CMakeLists.txt.
std::map<std::string, std::vector<std::string>> linked_rooms(const std::string& cmake) {
  std::map<std::string, std::vector<std::string>> out;
  std::istringstream lines(cmake);
  std::string line;
  while (std::getline(lines, line)) {
    if (!line.starts_with("headwater_room(")) continue;
    line = line.substr(line.find('(') + 1);
    line = line.substr(0, line.find(')'));
    std::istringstream words(line);
    std::string name, word;
    words >> name;
    std::vector<std::string>& rooms = out[name];
    bool is_room = false;
    while (words >> word) {
      if (word == "ROOMS" || word == "LIBRARIES") {
        is_room = word == "ROOMS";
      } else if (is_room) {
        rooms.push_back(word);
      }
    }
  }
  return out;
}

}  // namespace

TEST_CASE("includes go only downwards, in every file of libcore and tools") {
  const fs::path root = HEADWATER_SOURCE_DIR;
  Inspector inspector([&](const std::string& name) {
    return fs::exists(root / "libcore" / name) || (name.starts_with("tools/") && fs::exists(root / name));
  });
  std::size_t files = 0;
  for (const char* folder : {"libcore", "tools"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".cpp" && extension != ".hpp" && extension != ".h" && extension != ".inc") continue;
      ++files;
      for (const std::string& fault :
           inspector.inspect(fs::relative(entry.path(), root).generic_string(), read(entry.path()))) {
        FAIL_CHECK(fault);
      }
    }
  }
  CHECK(files >= 10);
}

TEST_CASE("each room is linked with lower rooms only, and each folder is a room") {
  const fs::path root = HEADWATER_SOURCE_DIR;
  const auto rooms = linked_rooms(read(root / "libcore" / "CMakeLists.txt"));
  for (const auto& [room, linked] : rooms) {
    REQUIRE_MESSAGE(kLevels.contains(room), room);
    for (const std::string& other : linked) {
      REQUIRE_MESSAGE(kLevels.contains(other), other);
      CHECK_MESSAGE(kLevels.find(other)->second < kLevels.find(room)->second,
                    room << " is linked with " << other);
    }
  }
  for (const auto& entry : fs::directory_iterator(root / "libcore")) {
    if (entry.is_directory())
      CHECK_MESSAGE(rooms.contains(entry.path().filename().string()), entry.path().string());
  }
}

TEST_CASE("the inspector catches what it should, and nothing else") {
  Inspector inspector([](const std::string& name) { return name != "support/gone.hpp"; });
  const auto faults = [&](const std::string& path, const std::string& text) {
    return inspector.inspect(path, text);
  };
  const auto first = [&](const std::string& path, const std::string& text) {
    const std::vector<std::string> found = faults(path, text);
    return found.size() == 1 ? found[0] : std::to_string(found.size()) + " faults";
  };

  // Right.
  CHECK(faults("libcore/layers/x.cpp",
               "#include \"layers/x.hpp\"\n#include \"autograd/ops.hpp\"\n#include <vector>\n")
            .empty());
  CHECK(faults("libcore/support/x.cpp",
               "#include <tbb/parallel_for.h>\n#include <sys/stat.h>\n#include <fcntl.h>\n")
            .empty());
  CHECK(faults("tools/train.cpp",
               "#include <unistd.h>\n#include \"training/loop.hpp\"\nint main() { std::exit(1); }\n")
            .empty());
  CHECK(faults("libcore/tensor/x.hpp",
               "// #include \"text/x.hpp\"\n/* #include <tbb/x.h>\n#include <fmt/x.h> */\n")
            .empty());
  CHECK(faults("libcore/tensor/x.cpp", "std::snprintf(a, 3, b);  // std::cout\n").empty());

  // Wrong.
  CHECK(first("libcore/tensor/x.cpp", "\n#include \"autograd/tape.hpp\"\n") ==
        "libcore/tensor/x.cpp:2: tensor (level 1) includes autograd (level 2)");
  CHECK(first("libcore/tensor/x.cpp", "#include \"text/words.hpp\"\n") ==
        "libcore/tensor/x.cpp:1: tensor (level 1) includes text (level 1)");
  CHECK(first("libcore/training/x.cpp", "  #  include \"decoding/x.hpp\"\n") ==
        "libcore/training/x.cpp:1: training (level 5) includes decoding (level 5)");
  CHECK(first("libcore/layers/x.cpp", "#include \"data/x.hpp\"\n") ==
        "libcore/layers/x.cpp:1: layers includes data");
  CHECK(first("libcore/models/x.cpp", "#include \"cli/lines.hpp\"\n") ==
        "libcore/models/x.cpp:1: models includes cli, which is for tools");
  CHECK(first("libcore/support/x.cpp", "#include \"support/gone.hpp\"\n") ==
        "libcore/support/x.cpp:1: \"support/gone.hpp\" is not there");
  CHECK(first("libcore/support/x.cpp", "#include \"x.hpp\"\n").find("does not begin with a room") !=
        std::string::npos);
  CHECK(first("libcore/support/x.cpp", "#include \"../tensor/x.hpp\"\n").find("does not begin with a room") !=
        std::string::npos);
  CHECK(first("libcore/attic/x.cpp", "#include \"support/x.hpp\"\n").find("room attic has no level") !=
        std::string::npos);
  CHECK(first("libcore/tensor/x.cpp", "#include <tbb/x.h>\n") ==
        "libcore/tensor/x.cpp:1: <tbb/x.h> in tensor, it belongs to support");
  CHECK(first("libcore/support/x.hpp", "#include <tbb/x.h>\n").find("in a header") != std::string::npos);
  CHECK(first("libcore/tensor/x.hpp", "#include <Eigen/Core>\n").find("in a header") != std::string::npos);
  CHECK(first("libcore/text/x.cpp", "#include <boost/any.hpp>\n").find("belongs to no room") !=
        std::string::npos);
  CHECK(first("libcore/text/x.cpp", "#include <immintrin.h>\n").find("it belongs to tensor") !=
        std::string::npos);
  CHECK(first("libcore/text/x.cpp", "#include HEADER\n").find("not spelled out") != std::string::npos);
  CHECK(first("libcore/text/x.cpp", "  std::cerr << 1;\n").find("only cli/ and tools/") != std::string::npos);
  CHECK(first("libcore/text/x.cpp", "  const char* home = std::getenv(\"HOME\");\n").find("getenv(") !=
        std::string::npos);
}

TEST_CASE("the reader of CMakeLists.txt reads it") {
  const auto rooms = linked_rooms(
      "x\nheadwater_room(data ROOMS text tensor LIBRARIES a::b)\nheadwater_room(support LIBRARIES c)\n");
  REQUIRE(rooms.size() == 2);
  CHECK(rooms.at("data") == std::vector<std::string>{"text", "tensor"});
  CHECK(rooms.at("support").empty());
}
