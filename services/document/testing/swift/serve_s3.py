"""Serves S3 for tests: OpenStack Swift with s3api in one process, on ports of its own choice.

/usr/bin/python3 serve_s3.py FOLDER    prints one line of JSON, {"port": …}, once it serves; ends when its input does.

One project "sss" with three users whose secret is "<user>-secret":
  setup       may do everything
  quarantine  reads and writes the bucket "quarantine"
  clean       reads and writes the bucket "clean" and reads "quarantine"
Both buckets are there from the start.
"""
import configparser
import json
import os
import pathlib
import sys

import eventlet

eventlet.monkey_patch()

from eventlet import listen, tpool, wsgi
from swift.common import storage_policy, utils

BACKENDS = ("account", "container", "object")
GRANTS = {
    "quarantine": {"X-Container-Read": "sss:quarantine,sss:clean", "X-Container-Write": "sss:quarantine"},
    "clean": {"X-Container-Read": "sss:clean", "X-Container-Write": "sss:clean"},
}
CLUSTER = """
[swift-hash]
swift_hash_path_prefix = tests
swift_hash_path_suffix = tests
[storage-policy:0]
name = only
default = yes
"""
PROXY = """
[pipeline:main]
pipeline = catch_errors cache gatekeeper s3api tempauth copy slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:tempauth]
use = egg:swift#tempauth
user_sss_setup = setup-secret .admin
user_sss_quarantine = quarantine-secret
user_sss_clean = clean-secret
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
auth_pipeline_check = false
# s3api will not work without a cache, but does with one that nobody answers for.
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
"""


def main(folder: pathlib.Path) -> None:
    (folder / "devices" / "disk").mkdir(parents=True)
    (folder / "swift.conf").write_text(CLUSTER)
    take_settings_from(folder / "swift.conf")

    # Only what was set above may be read by now: Swift looks at it when it is imported.
    from swift.common.wsgi import SwiftHttpProtocol, loadapp

    def serve(kind: str, config: str, socket):
        path = folder / f"{kind}.conf"
        path.write_text(f"""
[DEFAULT]
swift_dir = {folder}
devices = {folder}/devices
mount_check = false
fallocate_reserve = 0
bind_ip = 127.0.0.1
bind_port = {socket.getsockname()[1]}
{config}""")
        app = loadapp(str(path), global_conf={"log_name": kind})
        eventlet.spawn(wsgi.server, socket, app, protocol=SwiftHttpProtocol, log_output=False, max_size=256)
        return app

    sockets = {kind: listen(("127.0.0.1", 0), backlog=256) for kind in BACKENDS}
    for kind, socket in sockets.items():
        save_ring(folder / f"{kind}.ring.gz", socket.getsockname()[1])
    for kind, socket in sockets.items():
        serve(kind, f"[pipeline:main]\npipeline = app\n[app:app]\nuse = egg:swift#{kind}\n", socket)
    front = listen(("127.0.0.1", 0), backlog=256)
    proxy = serve("proxy", PROXY, front)
    make_buckets(proxy)

    print(json.dumps({"port": front.getsockname()[1]}), flush=True)
    tpool.execute(sys.stdin.read)
    os._exit(0)


def take_settings_from(path: pathlib.Path) -> None:
    utils.SWIFT_CONF_FILE = str(path)
    utils.HASH_PATH_PREFIX = utils.HASH_PATH_SUFFIX = b"tests"
    config = configparser.ConfigParser()
    config.read(path)
    storage_policy._POLICIES = storage_policy.parse_storage_policies(config)
    storage_policy.reload_storage_policies = lambda: None


def save_ring(path: pathlib.Path, port: int) -> None:
    from swift.common.ring import RingBuilder

    address = {"ip": "127.0.0.1", "port": port, "replication_ip": "127.0.0.1", "replication_port": port}
    ring = RingBuilder(part_power=4, replicas=1, min_part_hours=0)
    ring.add_dev({"region": 1, "zone": 1, "device": "disk", "weight": 1, **address})
    ring.rebalance()
    ring.get_ring().save(str(path))


def make_buckets(proxy) -> None:
    """S3 has no way to grant one user of a project a bucket of another; Swift's own interface has."""
    from swift.common.wsgi import make_pre_authed_request

    for bucket, grants in GRANTS.items():
        request = make_pre_authed_request({}, "PUT", f"/v1/AUTH_sss/{bucket}", headers=grants)
        # Nobody else may grant.
        request.environ["swift_owner"] = True
        made = request.get_response(proxy)
        if made.status_int // 100 != 2:
            sys.exit(f"the bucket {bucket} could not be made: {made.status}")


main(pathlib.Path(sys.argv[1]).resolve())
