#include "cli/completion.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "support/enum_names.hpp"
#include "support/error.hpp"

namespace headwater::cli {
namespace {

// The text with a backslash before each of these characters.
std::string with_backslashes(std::string_view text, std::string_view characters) {
  std::string out;
  for (const char c : text) {
    if (characters.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// One word of bash and zsh.
std::string between_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string fish_word(std::string_view text) { return "'" + with_backslashes(text, "\\'") + "'"; }

// A line of a menu has room for what goes before the first semicolon; one after a colon is a character that
// is meant.
std::string_view short_help(std::string_view help) {
  std::size_t end = help.find("; ");
  while (end != std::string_view::npos && help.substr(0, end).ends_with(": ")) end = help.find("; ", end + 1);
  return help.substr(0, end);
}

// hw-attn-dump: a name of a function has no hyphen in every mode of the shells.
std::string function_name(std::string_view program) {
  std::string out = "_headwater_";
  for (const char c : program) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return out;
}

std::string first_line(const Completion& completion, std::string_view shell) {
  return "# Completion of " + completion.program + " for " + std::string(shell) + ", written by " +
         completion.program + " --print-completion " + std::string(shell) + ".\n";
}

std::vector<std::string> command_names(const Completion& completion) {
  std::vector<std::string> out;
  for (const CommandWords& command : completion.commands) out.push_back(command.command);
  return out;
}

bool is_of(const CompletedOption& option, const std::string& command) {
  return option.commands.empty() || std::ranges::count(option.commands, command) > 0;
}

// The commands or modes that lack an option.
std::vector<std::string> commands_without_some(const Completion& completion) {
  std::vector<std::string> all = completion.modes;
  for (const std::string& name : command_names(completion)) all.push_back(name);
  std::erase_if(all, [&](const std::string& command) {
    return std::ranges::all_of(completion.options,
                               [&](const CompletedOption& option) { return is_of(option, command); });
  });
  return all;
}

// --- bash

// Names of the options of one sort, as a pattern of `case`; "" where there are none.
template <class IsOfSort>
std::string bash_pattern(const Completion& completion, const IsOfSort& is_of_sort) {
  std::string out;
  for (const CompletedOption& option : completion.options) {
    if (option.value_name.empty() || !is_of_sort(option)) continue;
    out += (out.empty() ? "" : " | ") + joined(option.names, " | ");
  }
  return out;
}

std::string bash_reply(const std::vector<std::string>& words) {
  return "mapfile -t COMPREPLY < <(compgen -W " + between_quotes(joined(words, " ")) + " -- \"$word\")";
}

// Words, or files where the word is none of them.
std::string bash_reply_or_files(const std::vector<std::string>& words) {
  return "mapfile -t COMPREPLY < <({ compgen -W " + between_quotes(joined(words, " ")) +
         " -- \"$word\"; compgen -f -- \"$word\"; } | sort -u); compopt -o filenames 2>/dev/null";
}

// The first operand as $command.
std::string bash_command(const Completion& completion) {
  const std::string valued = bash_pattern(completion, [](const CompletedOption&) { return true; });
  std::string out =
      "  local command=\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    case ${COMP_WORDS[i]} in\n";
  if (!valued.empty()) out += "      " + valued + ") ((++i)) ;;\n";
  return out +
         "      -* | =) ;;\n"
         "      *) command=${COMP_WORDS[i]}; break ;;\n"
         "    esac\n"
         "  done\n";
}

std::string bash_options(const Completion& completion, const std::string& command) {
  std::vector<std::string> names;
  for (const CompletedOption& option : completion.options) {
    if (command.empty() || is_of(option, command))
      names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return bash_reply(names);
}

// What goes with the command.
std::string bash_commands(const Completion& completion) {
  std::string out =
      "  case $command in\n"
      "    '') " +
      bash_reply(command_names(completion)) + " ;;\n";
  for (const CommandWords& command : completion.commands) {
    out += "    " + command.command + ") " +
           (command.has_files ? bash_reply_or_files(command.words) : bash_reply(command.words)) + " ;;\n";
  }
  return out +
         "  esac\n"
         "  [[ ${#COMPREPLY[@]} != 0 ]] || compopt +o default 2>/dev/null\n";
}

// An empty reply is files, which bash itself completes best (-o default).
std::string bash_script(const Completion& completion) {
  const std::string function = function_name(completion.program);
  std::string out =
      first_line(completion, "bash") + function +
      "() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} operands='' i\n"
      "  COMPREPLY=()\n"
      "  # --name=value is three words here\n"
      "  if [[ $word == = ]]; then word=\n"
      "  elif [[ $option == = ]]; then option=${COMP_WORDS[COMP_CWORD - 2]}\n"
      "  fi\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    [[ ${COMP_WORDS[i]} != -- ]] || { option=; operands=yes; }\n"
      "  done\n"
      "  case $option in\n";
  for (const CompletedOption& option : completion.options) {
    if (option.value_name.empty() || option.words.empty()) continue;
    out += "    " + joined(option.names, " | ") + ") " + bash_reply(option.words) + "; return ;;\n";
  }
  const std::string files =
      bash_pattern(completion, [](const CompletedOption& o) { return o.words.empty() && o.is_file; });
  const std::string others =
      bash_pattern(completion, [](const CompletedOption& o) { return o.words.empty() && !o.is_file; });
  if (!files.empty()) out += "    " + files + ") return ;;\n";
  if (!others.empty()) out += "    " + others + ") compopt +o default 2>/dev/null; return ;;\n";
  out += "  esac\n";
  if (!completion.commands.empty()) out += bash_command(completion);
  if (!completion.modes.empty()) out += "  local command=${COMP_WORDS[1]}\n";
  out += "  if [[ -z $operands && $word == -* ]]; then\n";
  const std::vector<std::string> some = commands_without_some(completion);
  if (!some.empty()) out += "    case $command in\n";
  for (const std::string& command : some)
    out += "      " + command + ") " + bash_options(completion, command) + "; return ;;\n";
  if (!some.empty()) out += "    esac\n";
  out += "    " + bash_options(completion, "") +
         "\n"
         "    return\n"
         "  fi\n";
  if (!completion.commands.empty()) out += bash_commands(completion);
  if (!completion.modes.empty())
    out += "  [[ $COMP_CWORD != 1 ]] || { " + bash_reply_or_files(completion.modes) + "; }\n";
  return out + "}\ncomplete -o default -F " + function + " " + completion.program + "\n";
}

// --- zsh

std::string zsh_words(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (const std::string& word : words) out.push_back(with_backslashes(word, "\\ ():"));
  return "(" + joined(out, " ") + ")";
}

std::string zsh_option(const CompletedOption& option) {
  const bool is_flag = option.value_name.empty();
  const bool is_help = option.names.back() == "--help" || option.names.back() == "--version";
  std::string excluded, names;
  if (is_help)
    excluded = "(- *)";
  else if (option.is_repeated)
    excluded = "*";
  else if (option.names.size() > 1)
    excluded = "(" + joined(option.names, " ") + ")";
  for (const std::string& name : option.names)
    names += (names.empty() ? "" : ",") + name + (is_flag ? "" : name.starts_with("--") ? "=" : "+");
  std::string rest = "[" + with_backslashes(short_help(option.help), "\\[]") + "]";
  if (!is_flag) {
    rest += ":" + with_backslashes(option.value_name, "\\:") + ":";
    rest += !option.words.empty() ? zsh_words(option.words) : option.is_file ? "_files" : " ";
  }
  const std::string before = excluded.empty() ? "" : between_quotes(excluded);
  if (option.names.size() > 1) return before + "{" + names + "}" + between_quotes(rest);
  return before + between_quotes(names + rest);
}

// A line each, of what the command has.
std::string zsh_options(const Completion& completion, const std::string& command) {
  std::string out;
  for (const CompletedOption& option : completion.options) {
    if (command.empty() || is_of(option, command)) out += " \\\n  " + zsh_option(option);
  }
  return out;
}

std::string zsh_script(const Completion& completion) {
  const bool has_commands = !completion.commands.empty();
  std::string out = "#compdef " + completion.program + "\n" + first_line(completion, "zsh");
  if (!completion.modes.empty())
    out += "[[ $CURRENT != 2 || $words[2] == -* ]] || { _alternative " +
           between_quotes("modes:mode:" + zsh_words(completion.modes)) + " 'files:file:_files'; return }\n";
  if (has_commands) out += "local curcontext=$curcontext state line\ntypeset -A opt_args\n";
  std::string options = zsh_options(completion, "");
  if (const std::vector<std::string> some = commands_without_some(completion); !some.empty()) {
    out += "local -a known\nknown=(" + std::exchange(options, " $known") + ")\ncase $words[2] in\n";
    for (const std::string& command : some)
      out += command + ") known=(" + zsh_options(completion, command) + ") ;;\n";
    out += "esac\n";
  }
  out += (has_commands ? "_arguments -C -s -S" : "_arguments -s -S") + options;
  if (!has_commands) return out + " \\\n  '*:file:_files'\n";
  out += " \\\n  '1:command:" + zsh_words(command_names(completion)) +
         "' \\\n  '*:word:->words' && return\n" + "[[ $state == words ]] || return\ncase $line[1] in\n";
  for (const CommandWords& command : completion.commands) {
    out += "  " + command.command + ") ";
    const std::string words = between_quotes("words:word:" + zsh_words(command.words));
    if (!command.words.empty() && command.has_files)
      out += "_alternative " + words + " 'files:file:_files'";
    else if (!command.words.empty())
      out += "_alternative " + words;
    else
      out += command.has_files ? "_files" : "_message 'no more words'";
    out += " ;;\n";
  }
  return out + "esac\n";
}

// --- fish

std::string fish_script(const Completion& completion) {
  const std::string begin = "complete -c " + completion.program;
  std::string out = first_line(completion, "fish");
  const std::vector<std::string> some = commands_without_some(completion);
  for (const CompletedOption& option : completion.options) {
    out += begin;
    std::vector<std::string> others = some;
    std::erase_if(others, [&](const std::string& command) { return is_of(option, command); });
    if (!others.empty()) out += " -n 'not __fish_seen_subcommand_from " + joined(others, " ") + "'";
    for (const std::string& name : option.names)
      out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!option.words.empty())
      out += " -x -a " + fish_word(joined(option.words, " "));
    else if (!option.value_name.empty())
      out += option.is_file ? " -r -F" : " -x";
    out += " -d " + fish_word(short_help(option.help)) + "\n";
  }
  const std::string names = joined(command_names(completion), " ");
  if (!names.empty()) {
    out += begin + " -n 'not __fish_seen_subcommand_from " + names + "' -f -a " + fish_word(names) + "\n";
  }
  if (!completion.modes.empty())
    out += begin + " -n 'test (count (commandline -opc)) -eq 1' -a " +
           fish_word(joined(completion.modes, " ")) + "\n";
  for (const CommandWords& command : completion.commands) {
    out += begin + " -n '__fish_seen_subcommand_from " + command.command + "'";
    out += command.has_files ? " -F" : " -f";
    if (!command.words.empty()) out += " -a " + fish_word(joined(command.words, " "));
    out += "\n";
  }
  return out;
}

}  // namespace

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : std::string(between)) + word;
  return out;
}

std::optional<Shell> shell_to_complete(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "--print-completion") return std::nullopt;
  const std::string_view asked = argc == 3 ? argv[2] : "";
  if (const std::optional<Shell> shell = value_of<Shell>(asked)) return shell;
  throw UsageError("--print-completion: " +
                   (argc == 3 ? quote(asked) + " is no shell of these: " : "one of ") + "bash, zsh, fish");
}

std::string completion_script(const Completion& completion, Shell shell) {
  switch (shell) {
    case Shell::bash:
      return bash_script(completion);
    case Shell::zsh:
      return zsh_script(completion);
    case Shell::fish:
      break;
  }
  return fish_script(completion);
}

}  // namespace headwater::cli
