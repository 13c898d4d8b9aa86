#!/usr/bin/env bash
# Measures what linerate promises to stay within, and prints a Markdown table. Exits with 1 when a limit is missed.
#
#   run overhead        wall time of `linerate run` beyond the traffic time of the scenario     ≤ 0.3 s
#   plan of 10,000      time and peak memory of `linerate plan` for a matrix of 10,000 cases    ≤ 1 s, ≤ 200 MB
#   idle server         resident memory of a process whose server waits for its client         ≤ 20 MB
#
# Each figure is the median of RUNS (default 5) runs.
set -euo pipefail
cd "$(dirname "$0")/../.."
runs=${RUNS:-5}
[ -x /usr/bin/time ] || {
    echo "GNU time is needed: sudo apt-get install time" >&2
    exit 1
}
cargo build --release --quiet --bin linerate
program=target/release/linerate
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
missed=0
row() { # what, measured, limit, unit
    local verdict=met
    awk -v m="$2" -v l="$3" 'BEGIN { exit !(m <= l) }' || { verdict=MISSED; missed=1; }
    printf '| %s | %s %s | ≤ %s %s | %s |\n' "$1" "$2" "$4" "$3" "$4" "$verdict"
}

cat >"$work/overhead.yaml" <<'YAML'
linerate: 1
name: overhead
servers: { tcp: { transport: tcp }, udp: { transport: udp } }
tests:
  - { name: tcp, client: { server: tcp, time: 1s }, assert: [throughput > 1 Mbit/s] }
  - { name: udp, client: { server: udp, transport: udp, time: 1s }, assert: [loss < 50%] }
  - { name: down, client: { server: tcp, direction: reverse, time: 1s } }
YAML
traffic_seconds=3

{
    printf 'linerate: 1\nname: many\nservers: { sink: { transport: udp } }\ntests:\n  - name: sweep\n'
    printf '    matrix:\n      a: [%s]\n      b: [%s]\n' "$(seq -s, 1 100)" "$(seq -s, 1 100)"
    printf '    client: { server: sink, transport: udp, bitrate: "{{ a }} Mbit/s", length: "{{ b + 100 }}", time: 1s }\n'
    printf '    assert: [loss < 1%%, jitter < 5 ms]\n'
} >"$work/many.yaml"

cat >"$work/idle.yaml" <<'YAML'
linerate: 1
name: idle
servers: { tcp: { transport: tcp } }
tests:
  - { name: late, client: { server: tcp, time: 1s, start: 3s } }
YAML

for _ in $(seq "$runs"); do
    /usr/bin/time -f '%e' -o "$work/seconds" "$program" run "$work/overhead.yaml" --no-progress >/dev/null 2>&1
    awk -v t=$traffic_seconds '{ printf "%.2f\n", $1 - t }' "$work/seconds" >>"$work/overhead"
    /usr/bin/time -f '%e %M' -o "$work/plan" "$program" plan "$work/many.yaml" >/dev/null
    awk '{ print $1 }' "$work/plan" >>"$work/plan-seconds"
    awk '{ printf "%.0f\n", $2 / 1024 }' "$work/plan" >>"$work/plan-memory"
    "$program" run "$work/idle.yaml" --no-progress >/dev/null 2>&1 &
    pid=$!
    sleep 1.5
    awk '/^VmRSS/ { printf "%.1f\n", $2 / 1024 }' "/proc/$pid/status" >>"$work/idle-memory"
    wait "$pid"
done

echo "Measured $(date -u +%Y-%m-%d), $(uname -sr), $(nproc) × $(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo); median of $runs."
echo
echo '| what | measured | limit | |'
echo '|---|---|---|---|'
row 'run overhead beyond traffic time, 3 cases' "$(median <"$work/overhead")" 0.3 s
row 'plan of 10,000 cases, time' "$(median <"$work/plan-seconds")" 1 s
row 'plan of 10,000 cases, peak memory' "$(median <"$work/plan-memory")" 200 MB
row 'process with an idle server, resident memory' "$(median <"$work/idle-memory")" 20 MB
exit $missed
