// Servers on 127.0.0.1 that count their connections, all closed together.
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { listen } from '../../../src/main/listen';

export interface CountedServer {
  readonly server: Server | TcpServer;
  readonly port: string;
  readonly connections: number;
}

interface CountedServers {
  http(listener: RequestListener): Promise<CountedServer>;
  /** A server that accepts connections and sends nothing. */
  silent(): Promise<CountedServer>;
  /** Starts the given server. */
  start(server: Server | TcpServer): Promise<CountedServer>;
  closeAll(): void;
}

/** Closes all servers after each test. */
export function withServers(): CountedServers {
  const servers = createCountedServers();
  afterEach(() => {
    servers.closeAll();
  });
  return servers;
}

export function createCountedServers(): CountedServers {
  const opened: (() => unknown)[] = [];
  const start = async (server: Server | TcpServer) => {
    let connections = 0;
    server.on('connection', (socket) => {
      connections += 1;
      opened.push(() => socket.destroy());
    });
    opened.push(() => server.close());
    const port = String(await listen(server, 0, '127.0.0.1'));
    return {
      server,
      port,
      get connections() {
        return connections;
      },
    };
  };
  return {
    http: (listener) => start(createHttpServer(listener)),
    silent: () => start(createTcpServer()),
    start,
    closeAll: () => {
      for (const close of opened.splice(0)) close();
    },
  };
}
