#!/bin/bash
# A training run shared out to ranks: bytes that a rank sends in a step, and seconds a step, over networks of a given rate and delay. Each rank
# has a network namespace of its own on a bridge, as machines have it; tc limits what it sends. A delay is that of tc's netem, or where the kernel
# has none, of delay_line.cpp in place of the bridge, with packets of 64 KiB (build it with -DHEADWATER_BENCH=ON). Needs root, iproute2, Open MPI.
#   ranks.sh RECIPE-OPTION...     the options and files of train, without -o: ranks.sh -r recipe.yaml --tokenizer t.json text.ids
# BIN: the folder of the tools (build/bin). RANKS: how many (1 2 4). NETWORKS: a rate each ("none 10gbit 1gbit"), with a delay
# one way: "1gbit/5ms". DELAY=line: the delay line, also where netem is there. STEPS: timed (30).
# Each rank has one thread; they share the processors that there are.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "${BIN:-$here/../../build/bin}" && pwd)
[ $# -gt 0 ] || { echo "usage: $0 TRAIN-OPTION..." >&2; exit 2; }
[ "$(id -u)" = 0 ] || { echo 'ranks.sh: only root can make network namespaces' >&2; exit 2; }
most=8
tmp=$(mktemp -d)
line=
end_line() {
  [ -z "$line" ] || kill "$line" 2>/dev/null || :
  [ -z "$line" ] || wait "$line" 2>/dev/null || :
  line=
}
remove_network() {
  end_line
  for i in $(seq $most); do ip netns del "hw$i" 2>/dev/null || :; done
  ip link del hwbridge 2>/dev/null || :
}
trap 'remove_network; rm -rf "$tmp"' EXIT
remove_network

ip link add hwbridge type bridge
ip link set hwbridge up
for i in $(seq $most); do
  ip netns add "hw$i"
  ip link add "hwveth$i" type veth peer name eth0 netns "hw$i"
  ip link set "hwveth$i" master hwbridge up
  ip -n "hw$i" addr add "10.77.0.$i/24" dev eth0
  ip -n "hw$i" link set eth0 up
  ip -n "hw$i" link set lo up
done
# mpirun starts its daemons by this in place of ssh: the address is that of a namespace.
cat >"$tmp/agent" <<'AGENT'
#!/bin/bash
address=$1
shift
exec ip netns exec "hw${address##*.}" bash -c "$*"
AGENT
chmod +x "$tmp/agent"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1

# What a rank sends goes through $device of $subnet, no faster than RATE (or none), and arrives after DELAY ("5ms", or nothing).
set_network() { # RATE DELAY
  local milliseconds=${2%ms} i
  end_line
  device=eth0 subnet=10.77.0 by_netem=
  if [ -n "$2" ] && [ "${DELAY:-}" != line ] && ip netns exec hw1 tc qdisc add dev eth0 root netem delay "$2" 2>/dev/null; then
    by_netem=1
  fi
  if [ -n "$2" ] && [ -z "$by_netem" ]; then
    device=line0 subnet=10.78.0
    : >"$tmp/line"
    # shellcheck disable=SC2046 # a word each
    "$bin/delay_line" $device "$milliseconds" $(seq -f 'hw%g' $most) >"$tmp/line" &
    line=$!
    until grep -q ready "$tmp/line"; do
      kill -0 "$line" || exit 1
      sleep 0.1
    done
  fi
  for i in $(seq $most); do
    if [ $device = line0 ]; then
      ip -n "hw$i" addr add "$subnet.$i/24" dev $device
      ip -n "hw$i" link set $device mtu 65535 up
    fi
    ip netns exec "hw$i" tc qdisc del dev $device root 2>/dev/null || :
    if [ -n "$by_netem" ]; then
      # shellcheck disable=SC2046 # words
      ip netns exec "hw$i" tc qdisc add dev $device root netem delay "$2" $([ "$1" = none ] || echo rate "$1") limit 100000
    elif [ "$1" != none ]; then
      ip netns exec "hw$i" tc qdisc add dev $device root tbf rate "$1" burst 256kb latency 100ms
    fi
  done
}
value() { awk -F '\t' -v name="$1" '$1 == name { print $2 }' "$2"; }

printf 'network\tranks\tbytes_exchanged_a_step\tmilliseconds_a_step\tuseful_tokens_per_second\n'
for network in ${NETWORKS:-none 10gbit 1gbit}; do
  delay=
  [ "$network" = "${network#*/}" ] || delay=${network#*/}
  set_network "${network%%/*}" "$delay"
  for ranks in ${RANKS:-1 2 4}; do
    if [ "$ranks" = 1 ]; then
      "$bin/train" "$@" -q --threads 1 --benchmark-steps "${STEPS:-30}" >"$tmp/out"
      bytes=0
    else
      hosts=$(seq -f "$subnet.%g:1" -s , "$ranks")
      ip netns exec hw1 mpirun --quiet --mca plm_rsh_agent "$tmp/agent" --mca btl tcp,self --mca btl_tcp_if_include $device --mca oob_tcp_if_include $device \
        --bind-to none --host "$hosts" -n "$ranks" "$bin/train" "$@" -q --threads 1 --benchmark-steps "${STEPS:-30}" >"$tmp/out"
      "$bin/train" "$@" -q --dry-run --ranks "$ranks" --threads 1 >"$tmp/dry"
      bytes=$(value bytes_exchanged_a_step "$tmp/dry")
    fi
    printf '%s\t%s\t%s\t%s\t%s\n' "$network" "$ranks" "$bytes" "$(value milliseconds_a_step "$tmp/out")" "$(value useful_tokens_per_second "$tmp/out")"
  done
done
