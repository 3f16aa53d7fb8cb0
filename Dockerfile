# One server. Its data is stored in /data, so mount a volume there. With both --items and --blobs it holds nothing but
# the certificate of --https.
#   docker build -t basedrive .
#   docker run -p 127.0.0.1:8080:8080 -v basedrive:/data --stop-timeout 30 basedrive
# --stop-timeout is longer than --shutdown-grace: Docker's own 10 s would kill a server that still waits for requests.
# docs/engines.md describes the engines for rows and bytes; compose.yaml runs several servers.
FROM node:22-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/server/package.json packages/server/
COPY packages/client/package.json packages/client/
COPY packages/console/package.json packages/console/
COPY acceptance/package.json acceptance/
COPY bench/package.json bench/
# Installs the versions in package-lock.json. No package needs its install script. First what the server needs at run
# time, kept in /runtime, and in /own what npm puts below the server's folder; then what compiles it.
RUN npm install --no-save --ignore-scripts --omit=dev --workspace packages/server --no-audit --no-fund \
 && cp -R node_modules /runtime \
 && mkdir -p packages/server/node_modules && cp -R packages/server/node_modules /own \
 && npm install --no-save --ignore-scripts --include=dev --no-audit --no-fund

FROM packages AS build
COPY tsconfig.json tsconfig.base.json ./
COPY packages packages
RUN node packages/server/http-types/build.mjs && npx tsc -b packages/server packages/client \
 && node packages/server/bundle.mjs && node packages/console/build.mjs

FROM node:22-bookworm-slim
WORKDIR /app
COPY --from=packages /runtime node_modules
COPY --from=packages /own packages/server/node_modules
COPY --from=build /app/packages/server/package.json packages/server/
COPY --from=build /app/packages/server/dist/src packages/server/dist/src
COPY --from=build /app/packages/server/client packages/server/client
COPY --from=build /app/packages/server/console packages/server/console
RUN install -d -o node -g node -m 700 /data
USER node
VOLUME /data
# MALLOC_ARENA_MAX: the threads of LevelDB share two regions of memory (docs/operations.md#memory).
ENV NODE_ENV=production BASEDRIVE_HOST=0.0.0.0 BASEDRIVE_PORT=8080 BASEDRIVE_DATA=/data MALLOC_ARENA_MAX=2
EXPOSE 8080
# /health checks the process alone: a database that is down is no reason to restart the server. A load balancer asks
# /ready, which checks both engines. With --https or a certificate only HTTPS answers; whose certificate it is does not matter here.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "const { BASEDRIVE_PORT: port, BASEDRIVE_HTTPS: https, BASEDRIVE_TLS_CERT: certificate } = process.env; const ask = (scheme) => new Promise((pass, fail) => require(scheme).get(`${scheme}://127.0.0.1:${port}/health`, { rejectUnauthorized: false }, (answer) => (answer.statusCode === 200 ? pass() : fail())).on('error', fail)); const [first, second] = https || certificate ? ['https', 'http'] : ['http', 'https']; ask(first).catch(() => ask(second)).then(() => process.exit(0), () => process.exit(1))"]
ENTRYPOINT ["node", "packages/server/dist/src/main.js"]
