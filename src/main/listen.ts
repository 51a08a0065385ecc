// Binds a server to a port, or fails with an error that names the address.
import type { AddressInfo, Server } from 'node:net';

/** @returns the port, which the operating system chose when the given one was 0 */
export function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(new Error(`cannot listen on ${host}:${String(port)}`, { cause: error })),
    );
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}
