// The network between processes and servers: each pair of process and server has its own proxy, so
// that the harness can cut, mute or slow down one pair alone.
import { startCutProxy } from '../../faults/cut-proxy';

export const APIS = ['api-1', 'api-2'] as const;
export const WORKERS = ['worker-1', 'worker-2'] as const;
export const LINKED = [...APIS, ...WORKERS];
/** Names of the two partners, in the order of the system. */
export const PARTNERS = ['partner-1', 'partner-2'] as const;
export const SERVERS = ['postgres', 'temporal', 'provider', 'partner'] as const;
export type ApiName = (typeof APIS)[number];
export type WorkerName = (typeof WORKERS)[number];
type ProcessName = ApiName | WorkerName;
type ServerName = (typeof SERVERS)[number];

/** The real URL of each server, behind its proxy. */
export type ServerUrls = Readonly<Record<ServerName, string>>;
export type Link = Awaited<ReturnType<typeof startCutProxy>>;
export type Links = Awaited<ReturnType<typeof openLinks>>;

/** All processes share one link to the partners' server, because partners register one address. */
const SHARED: ServerName = 'partner';

export async function openLinks(servers: ServerUrls) {
  const opened = new Map<string, Link>();
  for (const process of LINKED) {
    for (const server of SERVERS) {
      const key = keyOf(process, server);
      if (!opened.has(key)) opened.set(key, await startCutProxy(servers[server]));
    }
  }
  const link = (process: ProcessName, server: ServerName) => {
    const proxy = opened.get(keyOf(process, server));
    if (proxy === undefined) throw new Error(`no link from ${process} to ${server}`);
    return proxy;
  };
  return {
    link,
    /** The URL that the process uses: the proxy's. */
    urlFor: (process: ProcessName, server: ServerName) =>
      link(process, server).url.replace(/\/$/, ''),
    mend() {
      for (const proxy of opened.values()) proxy.mend();
    },
    async close() {
      await Promise.all([...opened.values()].map((proxy) => proxy.close()));
    },
  };
}

function keyOf(process: ProcessName, server: ServerName): string {
  return server === SHARED ? server : `${process} ${server}`;
}
