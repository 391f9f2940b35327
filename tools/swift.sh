#!/usr/bin/env bash
# Starts one node of OpenStack Swift, which has an S3 API, for the tests that need such a service. As root, on Debian:
#
#   apt-get install --no-install-recommends swift-proxy swift-account swift-container swift-object memcached
#   tools/swift.sh 8180 /tmp/swift &
#   TEST_S3_URL=http://test%3Atester:testing@127.0.0.1:8180/notevault npm test -- server/src/ports/blobs
#
# Uses the port and the nine above it, and a folder on a file system with extended attributes. SIGTERM or Ctrl-C ends it
# and everything that it started.
set -euo pipefail
port=$1
dir=$2
user=$(id -un)

mkdir -p /etc/swift "$dir/srv/d1" "$dir/run"
# Swift reads this file only from here.
if ! grep -q swift_hash_path_suffix /etc/swift/swift.conf 2>/dev/null; then
  printf '%s\n' '[swift-hash]' 'swift_hash_path_suffix = test' 'swift_hash_path_prefix = test' \
    '[storage-policy:0]' 'name = one' 'default = yes' >/etc/swift/swift.conf
fi
cd "$dir"
# Killed by their ids, because Swift's servers leave the process group.
trap 'trap - EXIT; kill $(jobs -p)' EXIT INT TERM

at=$port
for kind in object container account; do
  at=$((at + 1))
  if [ ! -f $kind.ring.gz ]; then
    swift-ring-builder $kind.builder create 6 1 1
    swift-ring-builder $kind.builder add r1z1-127.0.0.1:$at/d1 1
    swift-ring-builder $kind.builder rebalance
  fi
  cat >$kind.conf <<CONF
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = $at
workers = 0
user = $user
swift_dir = $dir
devices = $dir/srv
mount_check = false
log_level = ERROR
[pipeline:main]
pipeline = $kind-server
[app:$kind-server]
use = egg:swift#$kind
CONF
  swift-$kind-server $kind.conf &
done

memcached -l 127.0.0.1 -p $((port + 9)) -u "$user" &
cat >proxy.conf <<CONF
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = $port
workers = 0
user = $user
swift_dir = $dir
log_level = ERROR
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache listing_formats bulk s3api tempauth slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:healthcheck]
use = egg:swift#healthcheck
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:$((port + 9))
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:bulk]
use = egg:swift#bulk
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
CONF
swift-proxy-server proxy.conf &
# In the foreground it would delay the trap.
wait
