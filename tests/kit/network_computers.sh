#!/bin/sh
# The first program of a kernel that tests/kit/own_kernel.h starts: a server of NFS 4.2 or SMB 3.1.1 ($FARDEL_NETWORK),
# and two computers that mount its folder, each with its own network and its own client. What the computers mount is
# /mnt/one and /mnt/two, the folder itself /mnt/server. It notes that it has begun in $FARDEL_INSIDE.began, runs
# $FARDEL_INSIDE, writes the exit code to $FARDEL_INSIDE.code, and halts.
set -e
: >"$FARDEL_INSIDE.began"
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t tmpfs tmpfs /mnt
mount -t tmpfs tmpfs /var/lib
mkdir -p /mnt/one /mnt/two /mnt/server /mnt/tmp /mnt/modules/lib /mnt/samba /var/lib/nfs/v4recovery
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
serve_nfs() {
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
}

serve_smb() {
    cat >/mnt/samba/smb.conf <<END
[global]
server role = standalone server
server min protocol = SMB3
smb ports = 445
map to guest = bad user
guest account = root
lock directory = /mnt/samba
state directory = /mnt/samba
cache directory = /mnt/samba
private dir = /mnt/samba
pid directory = /mnt/samba
ncalrpc dir = /mnt/samba/rpc
log file = /mnt/samba/log
load printers = no
disable spoolss = yes
[share]
path = /mnt/server
guest ok = yes
read only = no
force user = root
END
    libraries=$FARDEL_SAMBA/usr/lib/$(uname -m)-linux-gnu
    LD_LIBRARY_PATH=$libraries:$libraries/samba "$FARDEL_SAMBA/usr/sbin/smbd" -D -s /mnt/samba/smb.conf
    /mnt/modprobe cifs
}

"serve_$FARDEL_NETWORK"
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
    case "$FARDEL_NETWORK" in
        nfs) words="nfs4 -o addr=10.0.$at.1,clientaddr=10.0.$at.2,vers=4.2,sec=sys 10.0.$at.1:/" ;;
        smb) words="cifs -o unc=\\\\10.0.$at.1\\share,ip=10.0.$at.1,username=player,password=x,vers=3.1.1
            //10.0.$at.1/share" ;;
    esac
    # The name of a computer tells a server of NFS one client from another.
    $inside unshare --uts sh -c 'hostname "$1" && shift && exec mount -i -t "$@"' sh "$name" $words "/mnt/$name"
done

code=0
TMPDIR=/mnt/tmp "$FARDEL_INSIDE" >"$FARDEL_INSIDE.out" 2>&1 || code=$?
echo "$code" >"$FARDEL_INSIDE.code"
echo o >/proc/sysrq-trigger
sleep 60
