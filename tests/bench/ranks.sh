#!/bin/bash
# A training run shared out to ranks: bytes that a rank sends in a step, and seconds a step, over networks of a given rate. Each rank has a
# network namespace of its own on a bridge, as machines have it; tc limits what it sends. Needs root, iproute2, Open MPI.
#   ranks.sh RECIPE-OPTION...     the options and files of train, without -o: ranks.sh -r recipe.yaml --tokenizer t.json text.ids
# BIN: the folder of the tools (build/bin). RANKS: how many (1 2 4). NETWORKS: a rate each ("none 10gbit 1gbit"). STEPS: timed (30).
# Each rank has one thread; they share the processors that there are.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "${BIN:-$here/../../build/bin}" && pwd)
[ $# -gt 0 ] || { echo "usage: $0 TRAIN-OPTION..." >&2; exit 2; }
[ "$(id -u)" = 0 ] || { echo 'ranks.sh: only root can make network namespaces' >&2; exit 2; }
most=8
tmp=$(mktemp -d)
remove_network() {
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

limit() { # RATE or none
  for i in $(seq $most); do
    ip netns exec "hw$i" tc qdisc del dev eth0 root 2>/dev/null || :
    [ "$1" = none ] || ip netns exec "hw$i" tc qdisc add dev eth0 root tbf rate "$1" burst 256kb latency 100ms
  done
}
value() { awk -F '\t' -v name="$1" '$1 == name { print $2 }' "$2"; }

printf 'network\tranks\tbytes_exchanged_a_step\tmilliseconds_a_step\tuseful_tokens_per_second\n'
for network in ${NETWORKS:-none 10gbit 1gbit}; do
  limit "$network"
  for ranks in ${RANKS:-1 2 4}; do
    if [ "$ranks" = 1 ]; then
      "$bin/train" "$@" -q --threads 1 --benchmark-steps "${STEPS:-30}" >"$tmp/out"
      bytes=0
    else
      hosts=$(seq -f '10.77.0.%g:1' -s , "$ranks")
      ip netns exec hw1 mpirun --quiet --mca plm_rsh_agent "$tmp/agent" --mca btl tcp,self --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 \
        --bind-to none --host "$hosts" -n "$ranks" "$bin/train" "$@" -q --threads 1 --benchmark-steps "${STEPS:-30}" >"$tmp/out"
      "$bin/train" "$@" -q --dry-run --ranks "$ranks" --threads 1 >"$tmp/dry"
      bytes=$(value bytes_exchanged_a_step "$tmp/dry")
    fi
    printf '%s\t%s\t%s\t%s\t%s\n' "$network" "$ranks" "$bytes" "$(value milliseconds_a_step "$tmp/out")" "$(value useful_tokens_per_second "$tmp/out")"
  done
done
