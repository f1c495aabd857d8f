#!/bin/bash
# Completion in the shells themselves: what they offer for words that are typed, with the scripts that the programs print. zsh and fish
# where they are installed.
#   completion_test.sh BIN     BIN: the folder of the tools
set -euo pipefail
export LC_ALL=C
bin=$(cd "$1" && pwd)
export PATH="$bin:$PATH"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/bash" "$tmp/zsh" "$tmp/fish" "$tmp/work"
programs='attn-dump classify convert embed evaluate generate headwater inspect report tokenize train translate vectorize'
shells=bash
for shell in zsh fish; do if command -v "$shell" >"$tmp/where"; then shells="$shells $shell"; fi; done
fail() {
  echo "failed: $1"
  exit 1
}

for program in $programs; do
  for shell in bash zsh fish; do
    case $shell in bash) name=$program ;; zsh) name=_$program ;; fish) name=$program.fish ;; esac
    "$bin/$program" --print-completion "$shell" >"$tmp/$shell/$name" || fail "$program --print-completion $shell"
    case " $shells " in *" $shell "*) "$shell" -n "$tmp/$shell/$name" || fail "the script of $program for $shell" ;; esac
    # Every option of --help, and no other.
    "$bin/$program" --help | sed -n 's/^  \(-.,\)*\(--[a-z-]*\).*/\2/p' | sort -u >"$tmp/wanted"
    [ -s "$tmp/wanted" ] || fail "options of $program --help"
    while IFS= read -r option; do
      case $shell in fish) sign=" -l ${option#--} " ;; *) sign=$option ;; esac
      grep -qF -- "$sign" "$tmp/$shell/$name" || fail "$shell: $program: no $option"
    done <"$tmp/wanted"
  done
done
! "$bin/train" --print-completion tcsh >"$tmp/out" 2>"$tmp/err" || fail 'another shell'
[ "$(cat "$tmp/err")" = 'train: --print-completion: "tcsh" is no shell of these: bash, zsh, fish' ] || fail 'the message for another shell'
! "$bin/train" --help | grep -F print-completion || fail 'a hidden option in --help'

# What each shell offers for a line that is typed: one word a line. --set of train takes what no shell knows.
cd "$tmp/work"
touch 'my text.txt' recipe.yaml
in_bash() { # WORD...   "=" is a word of its own, as in an interactive shell
  bash -c '
    source "$1/$2"
    complete -p "$2" | grep -q " -o default " || exit 1
    COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2))
    "$(complete -p "$2" | sed "s/.* -F \([^ ]*\) .*/\1/")"
    [ ${#COMPREPLY[@]} = 0 ] || printf "%s\n" "${COMPREPLY[@]}"' completion "$tmp/bash" "$@"
}
in_fish() { # LINE
  fish --no-config -c "source $tmp/fish/${1%% *}.fish; complete -C '$1'" | cut -f 1
}
# A terminal of zsh in which TAB writes the words instead of the line.
cat >"$tmp/in_zsh" <<'END'
zmodload zsh/zpty
zpty terminal zsh -f -i
zpty -w terminal "unset zle_bracketed_paste; PROMPT= RPROMPT=; fpath=($1 \$fpath); cd $2; autoload -Uz compinit; compinit -C -d $1.dump
  setopt no_beep
  compadd() {
    local -a found
    case \" \$* \" in *' -O '* | *' -A '* | *' -D '*) builtin compadd \"\$@\"; return ;; esac
    builtin compadd -A found \"\$@\"
    local word; for word in \$found; do print -r -- \"<\$word>\"; done
    builtin compadd \"\$@\"
  }
  ended() { print -r -- '<<end>>' }
  comppostfuncs=(ended)
  bindkey '^I' list-choices; print -r '<<re''ady>>'"
read_until() { local text all=; while zpty -r terminal text; do all+=$text; [[ $all == *$1* ]] && break; done; print -r -- "$all"; }
read_until '<<ready>>' >/dev/null
zpty -w -n terminal "$3"$'\t'
read_until '<<end>>' | tr -d '\r' | sed -n 's/^.*<\([^<>]*\)>$/\1/p' | sort -u
zpty -d terminal
END
in_zsh() { timeout 20 zsh -f "$tmp/in_zsh" "$tmp/zsh" "$tmp/work" "$1"; }

# The line, and words that are offered, or not (!), or all (=, none: no word).
check() { # LINE WORD...
  local line=$1 shell words sign word wanted
  shift
  for shell in $shells; do
    case $shell in
      bash)
        IFS=' ' read -r -a words <<<"${line//=/ = }"
        case $line in *' ') words+=('') ;; esac
        in_bash "${words[@]}" >"$tmp/offered" || fail "bash: $line"
        ;;
      *) "in_$shell" "$line" >"$tmp/offered" || fail "$shell: $line" ;;
    esac
    sed -i 's/^--[a-z-]*=\(.\)/\1/' "$tmp/offered" # fish offers the whole word
    for sign in "$@"; do
      word=${sign#[=!]}
      case $sign in
        =*)
          wanted=$(tr ' ' '\n' <<<"$word" | sort)
          [ "$(sort -u "$tmp/offered")" = "$wanted" ] || fail "$shell: \"$line\" offers $(paste -s -d ' ' "$tmp/offered"), not $word"
          ;;
        !*) ! grep -qxF -- "$word" "$tmp/offered" || fail "$shell: \"$line\" offers $word" ;;
        *) grep -qxF -- "$word" "$tmp/offered" || fail "$shell: \"$line\" offers $(paste -s -d ' ' "$tmp/offered"), not $word" ;;
      esac
    done
  done
}
check 'train --isa ' '=auto avx2 avx512 portable'
check 'train --isa=avx' '=avx2 avx512'
check 'embed model --pooling m' '=max mean'
check 'train --thr' '=--threads'
check 'train --set ' '=' '!recipe.yaml'
check 'tokenize --learn ' word unigram
check 'headwater ' run recipes new '!recipe.yaml'
check 'headwater run ' phrasebook mnist-vit recipe.yaml
check 'headwater --scale quick run mnist-v' mnist-vit '!quick'
check 'headwater new lang' '=language-model'
check 'vectorize ' ids columns labels terms csv split pairs images recipe.yaml
check 'vectorize lab' '=labels'
check 'vectorize labels ' '!ids'
check 'attn-dump model --view ro' '=rollout'
check 'headwater recipes ' '!recipe.yaml' '!phrasebook'
# Options: those of the mode or command.
check 'vectorize --t' '=--tokenizer --terms --threads'
check 'vectorize pairs --' --max-ratio --threads '!--tokenizer' '!--images'
check 'vectorize labels --l' '=--labels'
check 'vectorize columns --' --allow-empty '!--output'
check 'headwater --a' '=--all --allow-empty --array'
check 'headwater run --' --array --jobs '!--output'
check 'headwater recipes --' --quiet '!--array' '!--jobs' '!--output'
check 'headwater new --o' '=--output'
# Files: bash completes them itself where the reply is empty.
in_bash train --recipe rec >"$tmp/offered"
[ ! -s "$tmp/offered" ] || fail 'bash: files are left to it'
for line in 'train --recipe rec' 'train -r rec' 'inspect rec'; do
  for shell in $shells; do
    [ "$shell" = bash ] || { "in_$shell" "$line" | grep -qx 'recipe[.]yaml'; } || fail "$shell: $line"
  done
done
echo "completed in $shells"
