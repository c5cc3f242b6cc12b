#!/bin/bash
# Runs a study through Slurm on one node, this machine, and alone; compares the tables; writes a report.
#
#   testbench/tools/slurm.sh [STUDY.toml [REPORT.md]]
#
# On Debian 12, as root. It installs slurm-wlm, munge and python3-venv from Debian if they are missing, and Snakemake with its
# executor for Slurm from PyPI. Configuration, keys, logs and results are in a scratch folder; munged, slurmctld and slurmd run
# without systemd, and end with the script. FAULTLINE names another faultline than target/release/faultline.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
study=${1:-examples/study/schemes.toml}
report=${2:-sim/reports/study_slurm.md}
faultline=${FAULTLINE:-$root/target/release/faultline}
snakemake_version=9.27.1
executor_version=2.8.0
cd "$root"

fail() {
    echo "error: $*" >&2
    exit 1
}

[ "$(id -u)" = 0 ] || fail "run it as root, who starts Slurm's daemons"
[ -x "$faultline" ] || fail "$faultline is not there: cargo build --release"
[ -f "$study" ] || fail "there is no study $study"

if ! command -v slurmctld slurmd sbatch munged > /dev/null; then
    # RUNLEVEL keeps Debian's scripts from starting the daemons where there is no systemd.
    RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -q slurm-wlm munge python3-venv
fi

scratch=$(mktemp -d -t faultline-slurm.XXXXXX)
chmod 755 "$scratch"
pids=()
workflow=
end() {
    status=$?
    trap - EXIT
    if [ -n "$workflow" ]; then
        kill "$workflow" 2> /dev/null || true
        wait "$workflow" 2> /dev/null || true
    fi
    if [ "${#pids[@]}" -gt 1 ]; then
        scancel --state=PENDING,RUNNING --user=root 2> /dev/null || true
    fi
    # The last one started is the first one to end.
    for ((place = ${#pids[@]} - 1; place >= 0; place--)); do
        kill "${pids[place]}" 2> /dev/null || true
        wait "${pids[place]}" 2> /dev/null || true
    done
    if [ "$status" = 0 ]; then
        rm -rf "$scratch"
    else
        echo "the logs are in $scratch" >&2
    fi
    exit "$status"
}
trap end EXIT
trap 'exit 1' INT TERM HUP

# Snakemake.
python3 -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install -q --disable-pip-version-check \
    "snakemake==$snakemake_version" "snakemake-executor-plugin-slurm==$executor_version"
PATH="$scratch/venv/bin:$PATH"

# A cluster of this machine.
mkdir -m 700 "$scratch/munge" "$scratch/state" "$scratch/spool"
dd if=/dev/urandom of="$scratch/munge/key" bs=1024 count=1 status=none
chmod 400 "$scratch/munge/key"
host=$(hostname -s)
cpus=$(nproc)
memory=$(awk '/MemTotal/ { print int($2 / 1024) }' /proc/meminfo)
export SLURM_CONF="$scratch/slurm.conf"
# Snakemake takes SLURM_CONF out of the environment of a job, whose step needs it.
printf '#!/bin/sh\nSLURM_CONF=%s exec %s "$@"\n' "$SLURM_CONF" "$(command -v srun)" > "$scratch/venv/bin/srun"
chmod 755 "$scratch/venv/bin/srun"
cat > "$SLURM_CONF" << END
ClusterName=faultline
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
AuthType=auth/munge
AuthInfo=socket=$scratch/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd.pid
SlurmctldLogFile=$scratch/slurmctld.log
SlurmdLogFile=$scratch/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
MinJobAge=3600
MaxJobCount=100000
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cpus RealMemory=$memory State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP
END

# Waits for a command to succeed, or for the daemon to end.
await() {
    local pid=$1
    shift
    for _ in $(seq 150); do
        "$@" > /dev/null 2>&1 && return
        kill -0 "$pid" 2> /dev/null || break
        sleep 0.2
    done
    fail "$* does not succeed"
}

munged --foreground --force --socket="$scratch/munge.socket" --key-file="$scratch/munge/key" \
    --pid-file="$scratch/munge/pid" --log-file="$scratch/munge/log" --seed-file="$scratch/munge/seed" \
    > "$scratch/munged.out" 2>&1 &
pids+=($!)
await $! munge --no-input --socket="$scratch/munge.socket"
slurmctld -D > "$scratch/slurmctld.out" 2>&1 &
pids+=($!)
await $! scontrol ping
slurmd -D > "$scratch/slurmd.out" 2>&1 &
pids+=($!)
is_idle() { sinfo --noheader --format=%t | grep -qx idle; }
await $! is_idle

# The study in one process at a time, and as Slurm's jobs, each with results of its own.
"$faultline" study --jobs 1 --results "$scratch/alone" --csv "$scratch/alone.csv" -- "$study" > /dev/null
"$faultline" study --results "$scratch/results" --snakemake "$scratch/workflow" -- "$study" > /dev/null
cd "$scratch"
snakemake -s "$scratch/workflow/Snakefile" --executor slurm --jobs 10 \
    --slurm-status-command squeue --slurm-init-seconds-before-status-checks 5 \
    --latency-wait 30 > "$scratch/snakemake.log" 2>&1 &
workflow=$!
# A job is cut off while it runs; Snakemake has it run again.
cut_off=
while [ -z "$cut_off" ] && kill -0 "$workflow" 2> /dev/null; do
    running=$(squeue --noheader --states=RUNNING --format=%i | head -n 1)
    if [ -n "$running" ]; then
        scancel --signal=KILL --full "$running" || true
        for _ in $(seq 50); do
            state=$(squeue --noheader --states=all --jobs="$running" --format=%T)
            [ "$state" = RUNNING ] || [ "$state" = COMPLETING ] || break
            sleep 0.1
        done
        # One that has ended by itself before does not count.
        [ "$state" = COMPLETED ] || cut_off=$running
    fi
    sleep 0.1
done
wait "$workflow" || {
    tail -n 40 "$scratch/snakemake.log" >&2
    fail "snakemake has failed"
}
workflow=
[ -n "$cut_off" ] || fail "no job was cut off"
table="$scratch/workflow/$(basename "$study" .toml).csv"
cmp "$scratch/alone.csv" "$table" || fail "the tables differ"
rows=$(($(wc -l < "$table") - 1))
runs=$(find "$scratch/results" -name '*.json' | wc -l)
finished=$(squeue --noheader --states=COMPLETED --format=%i | wc -l)
[ "$finished" -ge "$runs" ] || fail "Slurm has finished $finished jobs of $runs runs"

cd "$root"
cat > "$report" << END
# A study through Slurm

\`testbench/tools/slurm.sh $study\` wrote this page. Slurm ran on one node of $cpus CPUs, the machine itself, with munged, slurmctld and slurmd.

| Tool | Version |
|---|---|
| faultline | $("$faultline" --version | cut -d' ' -f2) |
| Slurm | $(slurmctld -V | cut -d' ' -f2) |
| munge | $(munge --version | head -n 1 | sed 's/^munge-\([^ ]*\).*/\1/') |
| Snakemake | $(snakemake --version) |
| snakemake-executor-plugin-slurm | $executor_version |

\`\`\`
faultline study $study --snakemake workflow
snakemake -s workflow/Snakefile --executor slurm --jobs 10 --slurm-status-command squeue
faultline study $study --jobs 1 --csv alone.csv
cmp alone.csv workflow/$(basename "$table")
\`\`\`

| | |
|---|---|
| Runs of the study | $runs |
| Jobs that Slurm has completed | $finished |
| Jobs that were killed while they ran, and ran again | 1, which ended as $state |
| Rows of the table | $rows |
| The tables of Slurm and of one process | equal, byte for byte |
END
echo "$report: $runs runs, the tables are equal"
