// The names of an enum's values, as the source has them: those of enum class Cell { lstm, gru } are "lstm"
// and "gru". The values count from 0. A name that would be a keyword ends with an underscore, which is left
// out: auto_ is "auto".
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

namespace headwater {

template <class E>
concept Enum = std::is_enum_v<E>;

namespace enum_names {

// The compiler prints "[with auto kValue = headwater::Cell::gru; ..." or "[kValue = headwater::Cell::gru]",
// and "(headwater::Cell)2" where there is no such value: the name is then empty.
template <auto kValue>
constexpr std::string_view printed_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.find("kValue = "));
  text = text.substr(0, text.find_first_of(";]"));
  text.remove_prefix(text.find_last_of(":)") + 1);
  if (text.front() >= '0' && text.front() <= '9') return {};
  return text.substr(0, text.size() - (text.back() == '_' ? 1 : 0));
}

template <Enum E, int... kValues>
consteval auto printed_names() {
  constexpr int kNext = sizeof...(kValues);
  if constexpr (printed_name<static_cast<E>(kNext)>().empty())
    return std::array{printed_name<static_cast<E>(kValues)>()...};
  else
    return printed_names<E, kValues..., kNext>();
}

}  // namespace enum_names

template <Enum E>
inline constexpr auto value_names = enum_names::printed_names<E>();

template <Enum E>
constexpr std::string_view name_of(E value) {
  return value_names<E>[static_cast<std::size_t>(value)];
}

// None where no value has this name.
template <Enum E>
constexpr std::optional<E> value_of(std::string_view name) {
  const auto found = std::ranges::find(value_names<E>, name);
  if (found == value_names<E>.end()) return {};
  return static_cast<E>(found - value_names<E>.begin());
}

}  // namespace headwater
