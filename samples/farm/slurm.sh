#!/bin/sh
# fardel build --farm samples/farm/slurm.sh: runs the jobs of a build as an array job of Slurm.
#
#     FARDEL_FARM_CACHE   the cache that the build and the nodes share: a URL, or a folder that all of them see
#     FARDEL_FARM_OPTIONS options for 'fardel job run', such as --cache-key ci.key
#     FARDEL_FARM_SBATCH  options for sbatch, such as --partition=farm --time=60
#     FARDEL_FARM_PROGRAM fardel on the nodes; default: fardel
#     FARDEL_FARM_PER_TASK
#                         jobs of one task; default: 1. Slurm needs one to three seconds to start a task, so short jobs
#                         want 10 or more
#     FARDEL_FARM_PAUSE   seconds that a node waits after a task that it could not run, because its disk is full or it
#                         lacks a program: it would fail at once with most of the others, too; default: 30
#     FARDEL_FARM_PATIENCE
#                         seconds after which a controller that does not answer is given up; default: 300. One that is
#                         started again before that goes on where it was.
#
# Slurm starts again what a lost node ran. What fails nevertheless, the build runs itself.
set -eu
: "${FARDEL_FARM_CACHE:?is the cache that the build and the nodes share}"
list=$1
count=$(wc -l <"$list")
per_task=${FARDEL_FARM_PER_TASK:-1}
least=$(((count + 999) / 1000)) # Slurm's usual MaxArraySize is 1001
[ "$per_task" -ge "$least" ] || per_task=$least
last=$(((count + per_task - 1) / per_task - 1))

# The tickets travel in the script itself, which Slurm copies to each node.
script=$(mktemp)
trap 'rm -f "$script"' EXIT
{
    cat <<'END'
#!/bin/sh
tickets=$(awk -v task="$SLURM_ARRAY_TASK_ID" '$1 == "#ticket" && $2 == task { print $3 }' "$0")
${FARDEL_FARM_PROGRAM:-fardel} job run --cache "$FARDEL_FARM_CACHE" ${FARDEL_FARM_OPTIONS-} $tickets
status=$?
[ "$status" -le 2 ] || sleep "${FARDEL_FARM_PAUSE:-30}"
exit "$status"
END
    awk -v n="$per_task" '{ print "#ticket", int((NR - 1) / n), $1 }' "$list"
} >"$script"
# shellcheck disable=SC2086 # several options each
sbatch --wait --requeue --export=ALL --job-name=fardel --array=0-"$last" --output=/dev/null \
    ${FARDEL_FARM_SBATCH-} "$script" &
batch=$!
since=$(date +%s)
while kill -0 "$batch" 2>/dev/null; do
    sleep 2
    if timeout 10 scontrol ping >/dev/null 2>&1; then
        since=$(date +%s)
    elif [ $(($(date +%s) - since)) -ge "${FARDEL_FARM_PATIENCE:-300}" ]; then
        echo "slurm.sh: Slurm's controller does not answer" >&2
        kill "$batch"
        break
    fi
done
wait "$batch"
