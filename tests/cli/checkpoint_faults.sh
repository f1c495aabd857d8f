#!/bin/bash
# Stops a save at every one of its system calls, and makes every one fail, and looks whether a complete checkpoint loads
# afterwards, a second save goes through, and nothing half done is left.
# Then cuts the power at every one (power_loss.cpp).
#   checkpoint_faults.sh PROBE POWER_LOSS      the programs of writer_probe.cpp and power_loss.cpp
# shellcheck disable=SC2086 # lists of steps and names are meant to be split
# Exit status: 0 all held, 1 something did not, 77 skipped (strace or ptrace is not available).
set -u
probe=$1
power_loss=$2
export ASAN_OPTIONS=detect_leaks=0 # the leak checker cannot run under ptrace

command -v strace >/dev/null || { echo "skipped: no strace here"; exit 77; }
strace -f -o /dev/null -e inject=getppid:retval=1 true 2>/dev/null || { echo "skipped: ptrace is not allowed here"; exit 77; }

base=/dev/shm
[ -w "$base" ] || base=${TMPDIR:-/tmp}
work=$(mktemp -d "$base/headwater-faults-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
kills=0 second_kills=0 errors_made=0 interruptions=0

fail() {
  failures=$((failures + 1))
  echo "FAILED: $*"
}

# A model directory with the checkpoints 20 and 30 of three saves, and one with none.
prepare() {
  for step in 10 20 30; do "$probe" save "$work/usual" $step || exit 1; done
  mkdir "$work/first"
}

# The directory as text: names, links, contents.
picture() { (cd "$1" && find . ! -name .lock \( -type l -printf '%p -> %l\n' -o -printf '%p\n' \) | sort && find . -type f ! -name .lock -exec sha256sum {} + | sort); }

# Calls of each system call in a traced run: "name count" lines.
count_calls() { sed -n 's/^[0-9]* *\([a-z0-9_]*\)(.*/\1/p' "$1" | sort | uniq -c | awk '{print $2, $1}'; }

# After a fault in the copy: what must hold. $1 what happened, $2 steps that may load (none: maybe no checkpoint yet)
inspect() {
  local what=$1
  shift
  if [ $# -gt 0 ]; then
    "$probe" load "$work/copy" "$@" >/dev/null 2>"$work/load" || fail "$what: $(cat "$work/load")"
  fi
  # The same save again, and the one after it, which removes what is old.
  { "$probe" save "$work/copy" 40 && "$probe" save "$work/copy" 50; } 2>"$work/again" || fail "$what: the next save: $(cat "$work/again")"
  picture "$work/copy" >"$work/picture"
  cmp -s "$work/picture" "$work/expected" || fail "$what: the next save leaves something else: $(diff "$work/expected" "$work/picture" | head -3)"
}

fresh_copy() {
  rm -rf "$work/copy"
  cp -a "$work/$scenario" "$work/copy"
}

# The n-th write went to a pipe: sanitizers ask the kernel so whether memory can be read. We write to none.
is_sanitizers() {
  awk -v n="$1" '/^[0-9]+ +write\(/ && ++count == n { is_pipe = /write\([0-9]+<pipe:/ } END { exit !is_pipe }' "$work/trace.save"
}

prepare
calls="open openat write fsync fdatasync close rename renameat renameat2 symlink symlinkat unlink unlinkat mkdir mkdirat rmdir ftruncate flock"
for scenario in usual first; do
  if [ $scenario = usual ]; then may_load="30 40"; else may_load=""; fi
  strace -f -o "$work/trace.start" "$probe" start "$work/copy"
  count_calls "$work/trace.start" >"$work/count.start"
  fresh_copy
  strace -f -y -o "$work/trace.save" "$probe" save "$work/copy" 40 || exit 1
  count_calls "$work/trace.save" >"$work/count.save"
  "$probe" save "$work/copy" 50 || exit 1
  picture "$work/copy" >"$work/expected"
  second=0
  for call in $calls; do
    last=$(awk -v c=$call '$1 == c {print $2}' "$work/count.save")
    begin=$(awk -v c=$call '$1 == c {print $2}' "$work/count.start") # the loader's own
    for ((n = ${begin:-0} + 1; n <= ${last:-0}; ++n)); do
      # killed at the call (it is not carried out)
      fresh_copy
      { strace -f -o /dev/null -e inject=$call:signal=KILL:when=$n "$probe" save "$work/copy" 40; } 2>/dev/null
      [ $? -eq 137 ] || fail "$scenario: $call $n: was not killed"
      kills=$((kills + 1))
      # ... and the run after it killed too, each time elsewhere: a resume or its clean-up that does not end
      if [ $scenario = usual ]; then
        second=$((second % 6 + 1))
        for other in unlinkat rename write fsync; do
          rm -rf "$work/kept"
          cp -a "$work/copy" "$work/kept"
          { strace -f -o /dev/null -e inject=$other:signal=KILL:when=$second "$probe" save "$work/copy" 40; } 2>/dev/null
          [ $? -eq 137 ] && second_kills=$((second_kills + 1))
          inspect "$scenario: killed at $call $n, then at $other $second" $may_load
          rm -rf "$work/copy"
          mv "$work/kept" "$work/copy"
        done
      fi
      inspect "$scenario: killed at $call $n" $may_load
      # failing
      case $call in
        write) errors="ENOSPC EIO EDQUOT" ;;
        open*) errors="EMFILE EACCES EIO" ;;
        fsync | fdatasync | close) errors="EIO ENOSPC" ;;
        *) errors="ENOSPC EIO" ;;
      esac
      for error in $errors; do
        fresh_copy
        strace -f -o /dev/null -e inject=$call:error=$error:when=$n "$probe" save "$work/copy" 40 2>"$work/stderr"
        status=$?
        errors_made=$((errors_made + 1))
        lines=$(wc -l <"$work/stderr")
        if [ $status -eq 1 ]; then
          [ "$lines" -eq 1 ] || fail "$scenario: $error at $call $n: $lines lines on stderr"
        elif [ $status -ne 0 ]; then
          fail "$scenario: $error at $call $n: exit status $status: $(head -1 "$work/stderr")"
        fi
        # Data that could not be written or synced must not be reported as saved.
        case $call in
          write | fsync | rename* | symlink* | mkdir*)
            [ $status -eq 1 ] || { [ $call = write ] && is_sanitizers "$n"; } || fail "$scenario: $error at $call $n: nothing was said" ;;
        esac
        inspect "$scenario: $error at $call $n (status $status)" $may_load
      done
    done
    # an interruption is no failure
    case $call in
      openat | write | fsync | flock)
        for ((n = ${begin:-0} + 1; n <= ${last:-0}; ++n)); do
          fresh_copy
          strace -f -o /dev/null -e inject=$call:error=EINTR:when=$n "$probe" save "$work/copy" 40 2>"$work/stderr" ||
            fail "$scenario: EINTR at $call $n: $(cat "$work/stderr")"
          interruptions=$((interruptions + 1))
          inspect "$scenario: EINTR at $call $n" ${may_load:+40}
        done
        ;;
    esac
  done
done

# Real limits instead of injected ones: a write that stops half way, and a disk that is full where one may be mounted.
scenario=usual
fresh_copy
(trap '' XFSZ && ulimit -f 50 && "$probe" save "$work/copy" 40) 2>"$work/stderr"
status=$?
if [ $status -ne 1 ] || ! grep -q "cannot write: file too large" "$work/stderr"; then fail "file size limit: $(cat "$work/stderr")"; fi
"$probe" load "$work/copy" 30 >/dev/null || fail "file size limit: the checkpoint before does not load"
fresh_copy
# shellcheck disable=SC2016
unshare -rm bash -c 'mount -t tmpfs -o size=220k none "$1/first" && cp -a "$1/copy/." "$1/first/" || exit 77
  "$2" save "$1/first" 40
  [ $? -eq 1 ] || exit 3
  "$2" load "$1/first" 30 || exit 3
  rm -r "$1/first/checkpoints/20" && "$2" save "$1/first" 40 && "$2" load "$1/first" 40 || exit 3
  exit 0' disk "$work" "$(realpath "$probe")" >/dev/null 2>"$work/stderr"
case $? in
  0) grep -q "no space left on device (free some space" "$work/stderr" || fail "full disk: $(cat "$work/stderr")" ;;
  3) fail "full disk: $(cat "$work/stderr")" ;;
  *) echo "skipped: no file system may be mounted here for the full disk" ;;
esac

# This script must notice a writer without a protocol.
noticed=0
for n in 1 2 3 4 5 6 7 8; do
  fresh_copy
  { strace -f -o /dev/null -e inject=write:signal=KILL:when=$n "$probe" careless "$work/copy" 40; } 2>/dev/null
  "$probe" load "$work/copy" 30 40 >/dev/null 2>&1 || noticed=$((noticed + 1))
done
[ $noticed -gt 0 ] || fail "a writer without a protocol passes"

# Power loss: first checkpoint, one of many, and one that takes the place of a damaged one of its step.
cp -a "$work/usual" "$work/damaged"
mkdir "$work/damaged/checkpoints/40"
echo x >"$work/damaged/checkpoints/40/model.safetensors"
for scenario in usual first damaged; do
  former=30
  [ $scenario = first ] && former=0
  fresh_copy
  strace -y -s 200 -o "$work/trace" "$probe" save "$work/copy" 40 || exit 1
  "$power_loss" "$work/trace" "$work/copy" "$work/$scenario" "$work/state" 40 $former >"$work/power" || fail "power loss, $scenario: $(cat "$work/power")"
  echo "power loss, $scenario: $(tail -1 "$work/power")"
  # It must notice a save that syncs less.
  for forgotten in model.safetensors MANIFEST.json checkpoints; do
    grep -v "^fsync([0-9]*<[^>]*/$forgotten>" "$work/trace" >"$work/forgetful"
    "$power_loss" "$work/forgetful" "$work/copy" "$work/$scenario" "$work/state" 40 $former >/dev/null && fail "power loss, $scenario: a save without fsync of $forgotten passes"
  done
done

echo "$kills kills, $second_kills second kills, $errors_made errors, $interruptions interruptions: $failures failures"
[ $((kills + second_kills + errors_made)) -ge 200 ] || { echo "fewer faults than a save has"; exit 1; }
[ $failures -eq 0 ]
