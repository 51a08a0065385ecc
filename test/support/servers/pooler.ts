// A proxy in front of Postgres that announces a number of its own for each connection, as a pooler
// does (message BackendKeyData of Postgres' protocol: `K`, a length of 12, a number, a key).
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

const KEY_DATA = Buffer.from([0x4b, 0, 0, 0, 12]);

export async function startPooler(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
    }
    client.pipe(upstream);
    upstream.on('data', (bytes: Buffer) => client.write(announcingAnother(bytes)));
    upstream.on('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function announcingAnother(bytes: Buffer): Buffer {
  const at = bytes.indexOf(KEY_DATA);
  if (at < 0) return bytes;
  const number = at + KEY_DATA.length;
  bytes.writeInt32BE(bytes.readInt32BE(number) + 1, number);
  return bytes;
}
