#!/bin/bash
# The programs open no connection and start no other program: every call of a tool in the cases of this folder and in the session of the
# README is traced.
#   no_network.sh BIN CASES      BIN: the folder of the tools; CASES: the program that runs *.case files
# Exit status 77: skipped (no strace, or it may not trace).
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$1" && pwd)
cases=$(realpath "$2")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export ASAN_OPTIONS=detect_leaks=0 # the leak checker cannot run under ptrace
command -v strace >/dev/null || { echo 'skipped: no strace here'; exit 77; }
strace -f -qq --seccomp-bpf -o /dev/null true 2>/dev/null || { echo 'skipped: ptrace is not allowed here'; exit 77; }

# In place of each tool a script that traces it.
mkdir "$tmp/bin" "$tmp/traces" "$tmp/scratch"
trace=(strace -f -qq --seccomp-bpf -e signal=none -e "trace=%network,execve,execveat,fork,vfork,clone,clone3")
tools=0
for tool in "$bin"/*; do
  name=$(basename "$tool")
  [ -f "$here/../../tools/$name.md" ] || continue
  tools=$((tools + 1))
  cat >"$tmp/bin/$name" <<SCRIPT
#!/bin/sh
exec ${trace[*]} -o "$tmp/traces/$name.\$\$" "$tool" "\$@"
SCRIPT
  chmod +x "$tmp/bin/$name"
done
[ $tools -ge 8 ] || { echo "failed: only $tools tools in $bin"; exit 1; }

# bad FILE: the first call that must not be. The program's own start is the first execve; a thread is no process.
bad() { awk '/ execve\(/ && ++starts == 1 { next } /CLONE_THREAD/ || / resumed>/ { next } / (exec|fork|vfork|clone|socket|connect|bind|listen|accept|send|recv|getsockname)[a-z0-9]*\(/ { print; exit }' "$1"; }
strace -f -qq --seccomp-bpf -e trace=%network,execve,vfork,clone,clone3 -o "$tmp/probe" sh -c 'true | cat; exec 3<>/dev/null'
[ -n "$(bad "$tmp/probe")" ] || { echo 'failed: a program that starts others passes'; exit 1; }

for file in "$here"/*.case; do
  "$cases" "$tmp/bin" "$tmp/scratch" "$file" >"$tmp/log" 2>&1 || { tail -n 20 "$tmp/log"; echo "failed: $(basename "$file") under strace"; exit 1; }
done
"$here/session_test.sh" "$tmp/bin" >"$tmp/log" 2>&1 || { tail -n 20 "$tmp/log"; echo 'failed: the session under strace'; exit 1; }

calls=0
for file in "$tmp"/traces/*; do
  calls=$((calls + 1))
  found=$(bad "$file")
  [ -z "$found" ] || { echo "failed: $(basename "$file"): $found"; exit 1; }
done
for tool in "$tmp"/bin/*; do
  compgen -G "$tmp/traces/$(basename "$tool").*" >/dev/null || { echo "failed: no case calls $(basename "$tool")"; exit 1; }
done
[ $calls -gt 300 ] || { echo "failed: only $calls calls"; exit 1; }
echo "$calls calls of $tools tools: no socket, no other program"
