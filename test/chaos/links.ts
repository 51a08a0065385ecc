// The network between the processes and the servers they use: every connection goes through a proxy of the harness, one for
// each process and server, so that each pair can be cut, made silent or slow by itself.
import { startCutProxy, type CutProxy } from '../faults/cut-proxy';

export const APIS = ['api-1', 'api-2'] as const;
export const WORKERS = ['worker-1', 'worker-2'] as const;
/** Of the system's two partners, in their order. */
export const PARTNERS = ['partner-1', 'partner-2'] as const;
export type ProcessName = (typeof APIS)[number] | (typeof WORKERS)[number];

/** The partners' server has one link for everybody: its address is registered, and the same for all. */
export type ServerName = 'postgres' | 'temporal' | 'provider' | 'partner';

/** Where each server really listens, as a URL. */
export type ServerUrls = Readonly<Record<ServerName, string>>;

export interface Links {
  /** The server's URL as that process knows it. */
  urlFor(process: ProcessName, server: ServerName): string;
  link(process: ProcessName, server: ServerName): CutProxy;
  mend(): void;
  close(): Promise<void>;
}

const SHARED: ServerName = 'partner';

export async function openLinks(servers: ServerUrls): Promise<Links> {
  const opened = new Map<string, CutProxy>();
  const names = Object.keys(servers).filter((name): name is ServerName => name in servers);
  for (const process of [...APIS, ...WORKERS]) {
    for (const server of names) {
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
    urlFor: (process, server) => link(process, server).url.replace(/\/$/, ''),
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
