# One image for api, worker, sandbox and the one-shot commands: which one it is, the command says.
# bookworm, since Temporal's native core needs glibc.

FROM node:22.23.2-bookworm-slim AS build
WORKDIR /app
# Packages before sources: this layer stays as long as the lock file does.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY workflows ./workflows
COPY activities ./activities
COPY api ./api
# Without the pre-script, which would fetch the local Postgres and Temporal.
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
# The sandbox keeps its journal here; a volume mounted over it takes over the owner.
RUN mkdir /data && chown node:node /data
USER node
ENV HOST=0.0.0.0 PORT=8080
EXPOSE 8080
# node itself is process 1 and handles SIGTERM and SIGINT: it drains, then ends. It starts no processes of its own, so
# there is nobody to reap and no need of an init.
STOPSIGNAL SIGTERM
# The API's own; the worker and the sandbox have theirs in docker-compose.yml.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "dist/src/main/api-health.js"]
CMD ["node", "dist/src/main/api.js"]
