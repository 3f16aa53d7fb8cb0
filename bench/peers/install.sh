#!/usr/bin/env bash
# Installs the peers of the benchmark: servers from Debian's packages (as root), and npm packages into this folder.
# Debian starts the servers that it installs. The benchmark starts its own on free ports, so you may stop them.
set -euo pipefail
cd "$(dirname "$0")"

if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  apt-get update
  apt-get install --yes --no-install-recommends wrk nginx-light libnginx-mod-http-lua lua-nginx-redis \
    redis-server webdis etcd-server postgresql
else
  echo 'Not root on a Debian system: install wrk, nginx with its Lua module, redis, webdis, etcd and postgresql by hand.' >&2
fi
npm install --no-audit --no-fund --no-package-lock
