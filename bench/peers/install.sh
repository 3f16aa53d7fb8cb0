#!/usr/bin/env bash
# Installs what the service is measured against and is not part of this repository: servers from Debian's packages
# (as root) and packages from npm, into this folder alone. Debian starts the servers it installs; the benchmark
# starts its own on free ports and needs none of them: stop them where they disturb.
set -euo pipefail
cd "$(dirname "$0")"

if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  apt-get update
  apt-get install --yes --no-install-recommends wrk nginx-light redis-server webdis etcd-server postgresql
else
  echo 'Not root on a Debian system: install wrk, nginx, redis, webdis, etcd and postgresql yourself.' >&2
fi
npm install --no-audit --no-fund --no-package-lock
