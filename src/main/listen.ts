// Binds a server, or fails with a sentence that names the address.
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:net';

/** @returns the port, which was chosen by the system when 0 was asked for */
export function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(new Error(`cannot listen on ${host}:${String(port)}`, { cause: error }));
    });
    server.listen(port, host, () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
}
