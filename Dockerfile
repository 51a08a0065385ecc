# One image for api, worker, sandbox and the one-shot commands. The command selects the program.
# Bookworm, because Temporal's native core needs glibc.

FROM node:22.23.2-bookworm-slim AS build
WORKDIR /app
# Packages before sources, so that this layer is reused until the lock file changes.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY workflows ./workflows
COPY activities ./activities
COPY api ./api
# Skips the pre-script, which would download the local Postgres and Temporal.
RUN npm run build --ignore-scripts

FROM node:22.23.2-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --no-audit --no-fund

FROM node:22.23.2-bookworm-slim AS production
ENV NODE_ENV=production
WORKDIR /app
COPY package.json ./
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# The sandbox stores its journal here. A volume mounted over it gets the same owner.
RUN mkdir /data && chown node:node /data
USER node
ENV HOST=0.0.0.0 PORT=8080
EXPOSE 8080
# Node is process 1 and handles SIGTERM and SIGINT: it drains, then exits. It starts no child
# processes, so it needs no init.
STOPSIGNAL SIGTERM
# The health check of the API. docker-compose.yml has those of worker and sandbox.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "dist/src/main/api-health.js"]
CMD ["node", "dist/src/main/api.js"]
