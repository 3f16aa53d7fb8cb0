# One server. Its data lies in /data, which is to be a volume; with --items and --blobs it holds nothing.
#   docker build -t basedrive .
#   docker run -p 127.0.0.1:8080:8080 -v basedrive:/data basedrive
# It stores rows and bytes as they are described in docs/engines.md; compose.yaml runs several.
FROM node:22-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/server/package.json packages/server/
COPY packages/client/package.json packages/client/
COPY acceptance/package.json acceptance/
COPY bench/package.json bench/
# By the lock; no package needs its install script. What runs, and beside it what compiles.
RUN npm install --no-save --ignore-scripts --omit=dev --workspace packages/server --no-audit --no-fund \
 && cp -R node_modules /runtime \
 && npm install --no-save --ignore-scripts --include=dev --no-audit --no-fund

FROM packages AS build
COPY tsconfig.json tsconfig.base.json ./
COPY packages packages
RUN npx tsc -b packages/server

FROM node:22-bookworm-slim
WORKDIR /app
COPY --from=packages /runtime node_modules
COPY --from=build /app/packages/server/package.json packages/server/
COPY --from=build /app/packages/server/dist/src packages/server/dist/src
RUN install -d -o node -g node -m 700 /data
USER node
VOLUME /data
ENV NODE_ENV=production BASEDRIVE_HOST=0.0.0.0 BASEDRIVE_PORT=8080 BASEDRIVE_DATA=/data
EXPOSE 8080
# Of the process alone: a database that is away is no reason to restart it. /ready tells a load balancer of both.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.BASEDRIVE_PORT}/health`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "packages/server/dist/src/main.js"]
