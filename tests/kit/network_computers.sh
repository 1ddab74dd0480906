#!/bin/sh
# The first program of a kernel that tests/kit/own_kernel.h starts: a server of NFS 4.2, and two computers that mount
# its folder, each with its own network and its own client. What the computers mount is /mnt/one and /mnt/two, the
# folder itself /mnt/server. It notes that it has begun in $FARDEL_INSIDE.began, runs $FARDEL_INSIDE, writes the exit
# code to $FARDEL_INSIDE.code, and halts.
set -e
: >"$FARDEL_INSIDE.began"
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t tmpfs tmpfs /mnt
mount -t tmpfs tmpfs /var/lib
mkdir -p /mnt/one /mnt/two /mnt/server /mnt/tmp /mnt/modules/lib /var/lib/nfs/v4recovery
mke2fs -q -F -t ext4 /dev/ubda
mount -t ext4 /dev/ubda /mnt/server
ip link set lo up

# The modules of this kernel lie elsewhere than those of others; it loads some by itself.
ln -s /usr/lib/uml/modules /mnt/modules/lib/modules
printf '#!/bin/sh\nexec /usr/sbin/modprobe -d /mnt/modules "$@"\n' >/mnt/modprobe
chmod +x /mnt/modprobe
echo /mnt/modprobe >/proc/sys/kernel/modprobe
/mnt/modprobe veth

# Who may mount what; rpc.mountd would tell the kernel the same. The flags are "any port", "no checks of subtrees" and
# "the number of the file system is 0".
/mnt/modprobe nfsd
mount -t nfsd nfsd /proc/fs/nfsd
echo "-3 +4 +4.1 +4.2" >/proc/fs/nfsd/versions
for at in 1 2; do
    echo "nfsd 10.0.$at.2 2147483647 *" >/proc/net/rpc/auth.unix.ip/channel
done
echo "* /mnt/server 2147483647 $((2 + 0x400 + 0x2000)) 65534 65534 0" >/proc/net/rpc/nfsd.export/channel
echo '* 1 \x00000000 2147483647 /mnt/server' >/proc/net/rpc/nfsd.fh/channel
echo 8 >/proc/fs/nfsd/threads
echo Y >/proc/fs/nfsd/v4_end_grace # nobody had locks before

at=0
for name in one two; do
    at=$((at + 1))
    ip link add "server$at" type veth peer name "client$at"
    ip addr add "10.0.$at.1/24" dev "server$at"
    ip link set "server$at" up
    touch "/var/lib/$name"
    unshare --net="/var/lib/$name" true
    ip link set "client$at" netns "/var/lib/$name"
    inside="nsenter --net=/var/lib/$name"
    $inside ip addr add "10.0.$at.2/24" dev "client$at"
    $inside ip link set "client$at" up
    # The name of a computer tells a server of NFS one client from another.
    $inside unshare --uts sh -c 'hostname "$1" && shift && exec mount -i -t nfs4 "$@"' sh "$name" \
        -o "addr=10.0.$at.1,clientaddr=10.0.$at.2,vers=4.2,sec=sys" "10.0.$at.1:/" "/mnt/$name"
done

code=0
TMPDIR=/mnt/tmp "$FARDEL_INSIDE" >"$FARDEL_INSIDE.out" 2>&1 || code=$?
echo "$code" >"$FARDEL_INSIDE.code"
echo o >/proc/sysrq-trigger
sleep 60
