// NumPy's archive of arrays: a zip file whose members NAME.npy are stored as they are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headwater {

struct NpzMember {
  std::string name;       // without .npy
  std::string_view file;  // its npy file, of the archive's bytes
};
// In the order of the archive's directory. Throws Error "where: what" for what is no zip file, for
// compressed, encrypted or damaged members, and for names that are no text, end otherwise or occur twice.
std::vector<NpzMember> read_npz(std::string_view bytes, std::string_view where);
bool begins_as_zip(std::string_view bytes);

}  // namespace headwater
