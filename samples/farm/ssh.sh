#!/bin/sh
# fardel build --farm samples/farm/ssh.sh: runs the jobs of a build on other machines through ssh.
#
#     FARDEL_FARM_HOSTS   the machines, as ssh knows them: "ann@node1 node2"
#     FARDEL_FARM_JOBS    how many jobs each of them runs at once; default: 2
#     FARDEL_FARM_CACHE   the cache that the build and the machines share: a URL, or a folder that all of them see
#     FARDEL_FARM_OPTIONS options for 'fardel job run', such as --cache-key ci.key
#     FARDEL_FARM_SSH     ssh with its options; default: ssh -o BatchMode=yes
#     FARDEL_FARM_PROGRAM fardel on the machines; default: fardel
#
# What a machine does not do, because it cannot be reached or its disk is full, the build runs itself.
set -eu
: "${FARDEL_FARM_HOSTS:?are the machines}" "${FARDEL_FARM_CACHE:?is the cache that the build and they share}"
list=$1
# shellcheck disable=SC2086 # several words each
set -- $FARDEL_FARM_HOSTS
count=$#
run="xargs -n 1 -P ${FARDEL_FARM_JOBS:-2} ${FARDEL_FARM_PROGRAM:-fardel} job run --cache '$FARDEL_FARM_CACHE' \
${FARDEL_FARM_OPTIONS-}"
number=0
for host in "$@"; do
    # Every machine gets each n-th job, so that neighbours, which often take equally long, are shared out.
    # shellcheck disable=SC2086
    awk -v n="$count" -v i="$number" 'NR % n == i' "$list" |
        ${FARDEL_FARM_SSH:-ssh -o BatchMode=yes} "$host" "$run" >/dev/null &
    number=$((number + 1))
done
wait
