// Reads every #include of libcore/ and tools/ and holds it against the levels of the house
// (libcore/README.md): includes go only downwards, third-party headers stay in the .cpp files of their room,
// and the library neither prints nor ends the program. What CMake links must be what the files include.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace fs = std::filesystem;

namespace {

// From the ground up. A room includes rooms of lower levels only.
const std::vector<std::vector<std::string>> kLevels = {{"support"},
                                                       {"tensor", "text", "cli", "ranks"},
                                                       {"autograd", "checkpoint", "metrics"},
                                                       {"data", "layers", "recipe"},
                                                       {"models"},
                                                       {"families"},
                                                       {"training", "decoding", "reports"},
                                                       {"family_training", "pipeline"},
                                                       {"tools"}};

// The same of a room's folders, where they have an order.
const std::map<std::string, std::vector<std::vector<std::string>>> kFolders = {
    {"text", {{"unicode"}, {"tokenizer"}, {"models"}, {"formats", "learning"}}},
    {"families",
     {{"text_encoder"},
      {"classifier", "language_model", "masked_lm", "translator", "vision"},
      {"bag_of_words", "linear_classifier"}}}};

// -1 for what is in none of the levels.
int level_in(const std::vector<std::vector<std::string>>& levels, std::string_view name) {
  for (std::size_t level = 0; level < levels.size(); ++level) {
    if (std::ranges::find(levels[level], name) != levels[level].end()) return static_cast<int>(level);
  }
  return -1;
}
int level_of(std::string_view room) { return level_in(kLevels, room); }

// Rooms that stay away from words and files even where their level would allow it.
const std::set<std::string, std::less<>> kPureRooms = {"tensor", "autograd", "layers"};
const std::set<std::string, std::less<>> kImpureRooms = {"text", "data", "recipe", "cli", "checkpoint"};

// What does not come with the compiler: its name in CMake, the beginnings of its headers' names, and the one
// room that uses it.
struct Package {
  std::string target;
  std::vector<std::string_view> headers;
  std::string_view room;
};
const std::vector<Package> kPackages = {{"Eigen3::Eigen", {"Eigen/", "unsupported/Eigen/"}, "tensor"},
                                        {"TBB::tbb", {"tbb/", "oneapi/"}, "support"},
                                        {"nlohmann_json::nlohmann_json", {"nlohmann/"}, "support"},
                                        {"xxhash_library", {"xxhash.h"}, "support"},
                                        {"ICU::i18n", {"unicode/uregex.h"}, "text"},
                                        {"ICU::uc", {"unicode/"}, "text"},
                                        {"yaml-cpp", {"yaml-cpp/"}, "recipe"},
                                        {"CLI11::CLI11", {"CLI/"}, "cli"},
                                        {"PNG::PNG", {"png.h"}, "data"},
                                        {"JPEG::JPEG", {"jpeglib.h", "jerror.h"}, "data"},
                                        {"MPI::MPI_C", {"mpi.h"}, "ranks"}};

const Package* package_of(std::string_view header) {
  for (const Package& package : kPackages) {
    for (const std::string_view start : package.headers) {
      if (header.starts_with(start)) return &package;
    }
  }
  return nullptr;
}

// Not of its room's library, but of one that a program opens when it needs it.
constexpr std::string_view kLibraryOfItsOwn = "libcore/ranks/mpi_library.cpp";

// The one header with Eigen's types. Other headers keep it out, since it takes seconds to compile.
constexpr std::string_view kEigenHeader = "tensor/kernels/eigen_map.hpp";

// The compiler's own headers that only one room may use.
const std::set<std::string_view> kVectorHeaders = {"immintrin.h", "arm_neon.h"};

// Headers of the C library and of Linux; those of the C++ library have neither point nor slash.
const std::set<std::string_view> kSystem = {"cpuid.h", "dlfcn.h",  "fcntl.h",    "poll.h",       "pthread.h",
                                            "sched.h", "signal.h", "unistd.h",   "dirent.h",     "fnmatch.h",
                                            "errno.h", "time.h",   "ucontext.h", "linux/magic.h"};

// What only cli/ and tools/ may do; looked for outside comments.
const std::vector<std::string_view> kForbiddenWords = {
    "std::cout", "std::cerr",       "std::clog", "getenv(", "std::exit(",
    "abort(",    "std::quick_exit", "printf(",   "_exit(",  "std::puts("};

// Ends the copies of the process that it makes, not the program.
constexpr std::string_view kEndsItsCopies = "libcore/pipeline/children.cpp";

// The other rooms and the packages that a room includes, or that CMake links it with.
struct Needs {
  std::set<std::string> rooms, packages;
};
using House = std::map<std::string, Needs>;

using Exists = std::function<bool(const std::string&)>;

// "file:line: what" for each fault of one file. `path` starts at the repository's root; `exists` asks for a
// path below libcore/. Remembers what each room includes.
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

  const House& included() const { return included_; }

 private:
  static std::string room_of(const std::string& path) {
    return path.starts_with("libcore/") ? room_of_include(path.substr(std::string("libcore/").size()))
                                        : "tools";
  }

  // In the folder of a family its forward code is of the room below, and what trains it of one above, so that
  // what runs a model links no training.
  static std::string room_of_include(const std::string& name) {
    const std::string room = name.substr(0, name.find('/'));
    if (room != "families") return room;
    const std::string file = name.substr(name.rfind('/') + 1);
    if (file.starts_with("train_")) return "family_training";
    return file == "model.hpp" || file == "model.cpp" ? "models" : room;
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
    const std::string target = room_of_include(name);
    if (slash == std::string::npos || level_of(target) < 0) {
      return fault("\"" + name +
                   "\" does not begin with a room (paths start at libcore/, those of tools at the top)");
    }
    if (!exists_(name)) return fault("\"" + name + "\" is not there");
    if (name == kEigenHeader && (is_header_ || room_ != "tensor"))
      fault("\"" + name + "\" is for .cpp files of tensor");
    if (target == room_) return check_folder(name);
    const int level = level_of(room_), target_level = level_of(target);
    if (level < 0) return fault("room " + room_ + " has no level (add it to the levels)");
    included_[room_].rooms.insert(target);
    if (target_level >= level) {
      return fault(room_ + " (level " + std::to_string(level) + ") includes " + target + " (level " +
                   std::to_string(target_level) + ")");
    }
    if (kPureRooms.contains(room_) && kImpureRooms.contains(target)) fault(room_ + " includes " + target);
    if (target == "cli" && room_ != "tools") fault(room_ + " includes cli, which is for tools");
  }

  // Checks an include within the room.
  void check_folder(const std::string& name) {
    const auto folders = kFolders.find(room_);
    if (folders == kFolders.end()) return;
    const std::string own = folder_of(path_.substr(std::string("libcore/").size())), target = folder_of(name);
    const int level = level_in(folders->second, own), target_level = level_in(folders->second, target);
    const bool is_in_none = level < 0 || target_level < 0;
    if (is_in_none && room_ == "families") return;  // what families share stands beside their folders
    if (is_in_none) return fault(room_ + " has a file in none of its folders");
    if (own != target && target_level >= level) fault(own + " of " + room_ + " includes its " + target);
  }

  // The second folder of a path.
  static std::string folder_of(const std::string& path) {
    const std::size_t begin = path.find('/') + 1;
    return path.substr(begin, path.find('/', begin) - begin);
  }

  void check_foreign(const std::string& name) {
    if (const Package* package = package_of(name)) {
      if (path_ != kLibraryOfItsOwn) included_[room_].packages.insert(package->target);
      if (package->room != room_) return fault_of_room(name, package->room);
      if (is_header_ && path_ != "libcore/" + std::string(kEigenHeader))
        fault("<" + name + "> in a header (third-party headers stay in .cpp files)");
      return;
    }
    if (kVectorHeaders.contains(name)) {
      if (room_ != "tensor") fault_of_room(name, "tensor");
      return;
    }
    const bool is_standard = name.find_first_of("./") == std::string::npos;
    if (!is_standard && !name.starts_with("sys/") && !kSystem.contains(name)) {
      fault("<" + name + "> belongs to no room (name its room in tests/layering_test.cpp)");
    }
  }

  void fault_of_room(const std::string& name, std::string_view owner) {
    fault("<" + name + "> in " + room_ + ", it belongs to " + std::string(owner));
  }

  void check_words(const std::string& code) {
    for (const std::string_view word : kForbiddenWords) {
      const std::size_t at = code.find(word);
      if (at == std::string::npos || (word == "_exit(" && path_ == kEndsItsCopies)) continue;
      const bool is_longer =
          at > 0 && (std::isalnum(static_cast<unsigned char>(code[at - 1])) != 0 || code[at - 1] == '_');
      if (!is_longer)
        fault("\"" + std::string(word) + "\" in " + room_ +
              " (only cli/ and tools/ print, end or read the environment)");
    }
  }

  Exists exists_;
  std::vector<std::string> faults_;
  House included_;
  std::string path_, room_;
  bool is_header_ = false;
  int line_ = 0;
};

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file.good(), path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

// The words between the brackets of each "command(...)" of a CMakeLists.txt that begins a line.
std::vector<std::vector<std::string>> calls(const std::string& cmake, const std::string& command) {
  std::vector<std::vector<std::string>> out;
  for (std::size_t at = 0; (at = cmake.find(command + "(", at)) != std::string::npos; ++at) {
    if (at > 0 && cmake[at - 1] != '\n') continue;
    const std::size_t open = at + command.size() + 1;
    std::istringstream words(cmake.substr(open, cmake.find(')', open) - open));
    out.emplace_back(std::istream_iterator<std::string>(words), std::istream_iterator<std::string>());
  }
  return out;
}

// Each "headwater_room(NAME ROOMS a b ... LIBRARIES ...)" of libcore/CMakeLists.txt. What is part of the
// system (Threads) is no package.
House linked_house(const std::string& cmake) {
  House out;
  for (const std::vector<std::string>& words : calls(cmake, "headwater_room")) {
    Needs& needs = out[words.at(0)];
    std::set<std::string>* list = nullptr;
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i] == "ROOMS") {
        list = &needs.rooms;
      } else if (words[i] == "LIBRARIES") {
        list = &needs.packages;
      } else if (words[i] != "Threads::Threads") {
        REQUIRE_MESSAGE(list != nullptr, words[i]);
        list->insert(words[i]);
      }
    }
  }
  return out;
}

// What CMake links and no file includes, and the other way round.
std::vector<std::string> differences(const House& linked, const House& included) {
  std::vector<std::string> out;
  const auto compare = [&](const std::string& room, const std::set<std::string>& links,
                           const std::set<std::string>& includes) {
    for (const std::string& name : links) {
      if (!includes.contains(name))
        out.push_back(room + " is linked with " + name + " and includes nothing of it");
    }
    for (const std::string& name : includes) {
      if (!links.contains(name)) out.push_back(room + " includes " + name + " and is not linked with it");
    }
  };
  for (const auto& [room, needs] : linked) {
    const auto found = included.find(room);
    const Needs used = found == included.end() ? Needs{} : found->second;
    compare(room, needs.rooms, used.rooms);
    compare(room, needs.packages, used.packages);
  }
  return out;
}

Inspector inspector_of(const fs::path& root) {
  return Inspector([root](const std::string& name) {
    return fs::exists(root / "libcore" / name) || (name.starts_with("tools/") && fs::exists(root / name));
  });
}

// The faults of every file of libcore and tools.
std::vector<std::string> inspect_all(const fs::path& root, Inspector& inspector) {
  std::vector<std::string> faults;
  std::size_t files = 0;
  for (const char* folder : {"libcore", "tools"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".cpp" && extension != ".hpp" && extension != ".h" && extension != ".inc") continue;
      ++files;
      const std::string path = fs::relative(entry.path(), root).generic_string();
      std::ranges::move(inspector.inspect(path, read(entry.path())), std::back_inserter(faults));
    }
  }
  CHECK(files >= 10);
  return faults;
}

// Where types are defined in headers: "headwater::kernels::AttentionShape" and the files. Types of an
// instruction set are meant to stand in several.
std::map<std::string, std::vector<std::string>> types_of(const fs::path& folder) {
  std::map<std::string, std::vector<std::string>> found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".hpp") continue;
    std::ifstream file(entry.path());
    std::string space;
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string first, name, next;
      words >> first >> name >> next;
      if (first == "namespace") space = name;
      const bool is_type = (first == "class" || first == "struct") && line.front() != ' ';
      if (is_type && (next == "{" || next == ":" || next == "final") &&
          space.find("_ISA") == std::string::npos)
        found[space + "::" + name].push_back(entry.path().filename().string());
    }
  }
  return found;
}

}  // namespace

TEST_CASE("includes go only downwards, in every file of libcore and tools") {
  const fs::path root = HEADWATER_SOURCE_DIR;
  Inspector inspector = inspector_of(root);
  for (const std::string& fault : inspect_all(root, inspector)) FAIL_CHECK(fault);
}

// Two of one name are one to the linker, which takes the functions of either for both.
TEST_CASE("no two headers define a type of the same name") {
  const auto types = types_of(HEADWATER_SOURCE_DIR "/libcore");
  CHECK(types.size() > 300);
  for (const auto& [name, files] : types) {
    INFO(name, " in ", files.front(), " and ", files.back());
    CHECK(files.size() == 1);
  }
}

TEST_CASE("each room is linked with what its files include, and each folder is a room") {
  const fs::path root = HEADWATER_SOURCE_DIR;
  const House linked = linked_house(read(root / "libcore" / "CMakeLists.txt"));
  for (const auto& [room, needs] : linked) CHECK_MESSAGE(level_of(room) >= 0, room);
  for (const auto& entry : fs::directory_iterator(root / "libcore")) {
    if (entry.is_directory())
      CHECK_MESSAGE(linked.contains(entry.path().filename().string()), entry.path().string());
  }
  Inspector inspector = inspector_of(root);
  inspect_all(root, inspector);
  for (const std::string& difference : differences(linked, inspector.included())) FAIL_CHECK(difference);
}

// Training, and what a library is linked with that is.
TEST_CASE("what runs a model links no training") {
  const fs::path root = HEADWATER_SOURCE_DIR;
  House linked = linked_house(read(root / "libcore" / "CMakeLists.txt"));
  for (std::vector<std::string> words :
       calls(read(root / "tools" / "CMakeLists.txt"), "target_link_libraries")) {
    std::set<std::string>& rooms =
        linked[words.at(0).starts_with("hw_") ? words[0].substr(3) : words[0]].rooms;
    for (const std::string& word : words) {
      if (word.starts_with("hw_") && word != words[0]) rooms.insert(word.substr(3));
    }
  }
  const std::function<bool(const std::string&)> trains = [&](const std::string& name) {
    return name == "training" || std::ranges::any_of(linked[name].rooms, trains);
  };
  CHECK(trains("train"));
  for (const char* tool :
       {"attn-dump", "classify", "embed", "evaluate", "generate", "tokenize", "translate", "vectorize"}) {
    REQUIRE_MESSAGE(linked.contains(tool), tool);
    CHECK_MESSAGE(!trains(tool), tool);
  }
}

TEST_CASE("every package that CMake looks for is linked by a room") {
  const fs::path root = HEADWATER_SOURCE_DIR;
  std::vector<std::string> linked;
  for (const std::vector<std::string>& words : calls(read(root / "libcore/CMakeLists.txt"), "headwater_room"))
    std::ranges::copy(words, std::back_inserter(linked));
  const auto packages = calls(read(root / "CMakeLists.txt"), "find_package");
  CHECK(packages.size() >= 5);
  for (const std::vector<std::string>& words : packages) {
    const bool is_linked = std::ranges::any_of(
        linked, [&](const std::string& target) { return target.starts_with(words.at(0)); });
    CHECK_MESSAGE(is_linked, words.at(0));
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
               "// #include \"text/x.hpp\"\n/* #include <tbb/x.h>\n#include <CLI/x.h> */\n")
            .empty());
  CHECK(faults("libcore/tensor/x.cpp", "std::snprintf(a, 3, b);  // std::cout\n").empty());

  CHECK(
      faults("libcore/text/models/x.cpp", "#include \"text/models/y.hpp\"\n#include \"text/unicode/x.hpp\"\n")
          .empty());

  // Wrong.
  CHECK(first("libcore/tensor/x.cpp", "\n#include \"autograd/tape.hpp\"\n") ==
        "libcore/tensor/x.cpp:2: tensor (level 1) includes autograd (level 2)");
  CHECK(first("libcore/tensor/x.cpp", "#include \"text/words.hpp\"\n") ==
        "libcore/tensor/x.cpp:1: tensor (level 1) includes text (level 1)");
  CHECK(first("libcore/training/x.cpp", "  #  include \"decoding/x.hpp\"\n") ==
        "libcore/training/x.cpp:1: training (level 6) includes decoding (level 6)");
  CHECK(first("libcore/text/models/x.cpp", "#include \"text/formats/x.hpp\"\n") ==
        "libcore/text/models/x.cpp:1: models of text includes its formats");
  CHECK(first("libcore/text/learning/x.cpp", "#include \"text/formats/x.hpp\"\n") ==
        "libcore/text/learning/x.cpp:1: learning of text includes its formats");
  CHECK(first("libcore/text/x.cpp", "#include \"text/models/x.hpp\"\n").find("in none of its folders") !=
        std::string::npos);
  CHECK(first("libcore/layers/x.cpp", "#include \"checkpoint/x.hpp\"\n") ==
        "libcore/layers/x.cpp:1: layers includes checkpoint");
  CHECK(first("libcore/families/vision/x.cpp",
              "#include \"families/registry.hpp\"\n#include \"families/translator/directory.hpp\"\n") ==
        "libcore/families/vision/x.cpp:2: vision of families includes its translator");
  CHECK(first("libcore/families/text_encoder/x.cpp", "#include \"families/classifier/directory.hpp\"\n") ==
        "libcore/families/text_encoder/x.cpp:1: text_encoder of families includes its classifier");
  CHECK(first("libcore/families/x/model.hpp", "#include \"recipe/x.hpp\"\n#include \"families/x.hpp\"\n") ==
        "libcore/families/x/model.hpp:2: models (level 4) includes families (level 5)");
  CHECK(first("libcore/families/x/y.cpp",
              "#include \"families/x/model.hpp\"\n#include \"families/x/train_y.hpp\"\n") ==
        "libcore/families/x/y.cpp:2: families (level 5) includes family_training (level 7)");
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
  CHECK(faults("libcore/tensor/kernels/eigen_map.hpp", "#include <Eigen/Core>\n").empty());
  CHECK(first("libcore/tensor/x.hpp", "#include \"tensor/kernels/eigen_map.hpp\"\n").find("for .cpp files") !=
        std::string::npos);
  CHECK(first("libcore/text/x.cpp", "#include <boost/any.hpp>\n").find("belongs to no room") !=
        std::string::npos);
  CHECK(first("libcore/text/x.cpp", "#include <immintrin.h>\n").find("it belongs to tensor") !=
        std::string::npos);
  CHECK(first("libcore/text/x.cpp", "#include HEADER\n").find("not spelled out") != std::string::npos);
  CHECK(first("libcore/text/x.cpp", "  std::cerr << 1;\n").find("only cli/ and tools/") != std::string::npos);
  CHECK(first("libcore/text/x.cpp", "  const char* home = std::getenv(\"HOME\");\n").find("getenv(") !=
        std::string::npos);
}

TEST_CASE("the comparison of links and includes catches what it should, and nothing else") {
  const House linked = linked_house(
      "x\nheadwater_room(data ROOMS text\n  tensor LIBRARIES a::b)\n# headwater_room(no)\n"
      "headwater_room(support LIBRARIES c Threads::Threads)\n");
  REQUIRE(linked.size() == 2);
  CHECK(linked.at("data").rooms == std::set<std::string>{"tensor", "text"});
  CHECK(linked.at("data").packages == std::set<std::string>{"a::b"});
  CHECK(linked.at("support").packages == std::set<std::string>{"c"});

  const House same = {{"data", {{"tensor", "text"}, {"a::b"}}}, {"support", {{}, {"c"}}}};
  CHECK(differences(linked, same).empty());
  const House less = {{"data", {{"tensor"}, {"a::b"}}}};
  CHECK(differences(linked, less) ==
        std::vector<std::string>{"data is linked with text and includes nothing of it",
                                 "support is linked with c and includes nothing of it"});
  const House more = {{"data", {{"tensor", "text", "cli"}, {"a::b", "d"}}}, {"support", {{}, {"c"}}}};
  CHECK(differences(linked, more) == std::vector<std::string>{"data includes cli and is not linked with it",
                                                              "data includes d and is not linked with it"});

  Inspector inspector([](const std::string&) { return true; });
  inspector.inspect("libcore/data/x.cpp", "#include \"data/x.hpp\"\n#include \"tensor/x.hpp\"\n");
  inspector.inspect("libcore/data/y.cpp", "// #include \"text/x.hpp\"\n#include <vector>\n");
  inspector.inspect("libcore/text/y.cpp", "#include <unicode/utext.h>\n");
  CHECK(inspector.included().at("data").rooms == std::set<std::string>{"tensor"});
  CHECK(inspector.included().at("data").packages.empty());
  CHECK(inspector.included().at("text").packages == std::set<std::string>{"ICU::uc"});
}
