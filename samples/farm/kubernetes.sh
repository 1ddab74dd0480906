#!/bin/sh
# fardel build --farm samples/farm/kubernetes.sh: runs the jobs of a build as an indexed Job of Kubernetes.
#
#     FARDEL_FARM_CACHE   the URL of the cache that the build and the pods share
#     FARDEL_FARM_IMAGE   an image with fardel in it
#
# Fardel's tests hold the text against the types of Kubernetes' API, and run no cluster. What fails, the build runs
# itself. The list has to fit into a ConfigMap: 16,000 jobs.
set -eu
: "${FARDEL_FARM_CACHE:?is the URL of the cache}" "${FARDEL_FARM_IMAGE:?is an image with fardel in it}"
list=$1
name=fardel-$(cut -c1-12 "$list" | head -n 1)
manifest=$(mktemp)
trap 'rm -f "$manifest"' EXIT
{
    cat <<END
apiVersion: v1
kind: ConfigMap
metadata:
  name: $name
data:
  tickets: |
$(sed 's/^/    /' "$list")
---
apiVersion: batch/v1
kind: Job
metadata:
  name: $name
spec:
  completionMode: Indexed
  completions: $(wc -l <"$list")
  parallelism: 50
  backoffLimit: 100
  ttlSecondsAfterFinished: 3600
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: job
          image: $FARDEL_FARM_IMAGE
          command:
            - sh
            - -c
            - |
              # 1: the program of the job failed, as it would in another pod.
              fardel job run --cache "\$FARDEL_FARM_CACHE" \
                "\$(sed -n "\$((JOB_COMPLETION_INDEX + 1))p" /tickets/tickets)" || [ \$? -eq 1 ]
          env:
            - name: FARDEL_FARM_CACHE
              value: "$FARDEL_FARM_CACHE"
          volumeMounts:
            - name: tickets
              mountPath: /tickets
      volumes:
        - name: tickets
          configMap:
            name: $name
END
} >"$manifest"
if [ "${FARDEL_FARM_KUBECTL-kubectl}" = cat ]; then
    cat "$manifest"
    exit
fi
kubectl apply -f "$manifest"
kubectl wait --for=condition=complete --timeout=24h "job/$name" || true
kubectl delete -f "$manifest"
