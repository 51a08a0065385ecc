// Free ports below 32768, in a row: the Temporal server keeps those of its members in a column of 16 bits, with a sign.
import { once } from 'node:events';
import { createServer } from 'node:net';

const FIRST = 20_000;
const LAST = 32_000;

/** @throws Error when there are none */
export async function lowPorts(count: number): Promise<readonly number[]> {
  for (let first = FIRST; first + count <= LAST; first += count) {
    const ports = Array.from({ length: count }, (_, nth) => first + nth);
    const areFree = await Promise.all(ports.map(isFree));
    if (areFree.every(Boolean)) return ports;
  }
  throw new Error(
    `no ${String(count)} free ports in a row from ${String(FIRST)} to ${String(LAST)}`,
  );
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
