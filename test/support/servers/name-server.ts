// A name server on the loopback with answers of the test: addresses of both families, failures,
// silence, or changing answers.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIP } from 'node:net';

/** A response code, addresses of both families (each question gets its own), or no answer. */
export type NameAnswer =
  { readonly code: number } | { readonly addresses: readonly string[] } | 'nothing';

export const [SERVER_FAILURE, NO_SUCH_NAME, REFUSED] = [2, 3, 5];

export interface Question {
  readonly name: string;
  readonly family: 4 | 6;
}

export interface NameServer {
  /** The servers argument of `createNameLookup`. */
  readonly servers: readonly string[];
  /** Every question so far, in order. */
  readonly asked: readonly Question[];
  forget(): void;
  /** Resolves once all of these names have been looked up. */
  untilAsked(names: readonly string[]): Promise<void>;
  close(): void;
}

export async function startNameServer(
  answerTo: (question: Question) => NameAnswer | undefined,
): Promise<NameServer> {
  const asked: Question[] = [];
  const socket = createSocket('udp4', (packet, from) => {
    const { end, ...question } = readQuestion(packet);
    asked.push(question);
    socket.emit('asked');
    const answer = answerTo(question) ?? 'nothing';
    if (answer === 'nothing') return;
    socket.send(reply(packet.subarray(0, end), question, answer), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    servers: [`127.0.0.1:${String(socket.address().port)}`],
    asked,
    forget: () => {
      asked.length = 0;
    },
    async untilAsked(names) {
      const isAsked = (name: string) => asked.some((question) => question.name === name);
      while (!names.every(isAsked)) await once(socket, 'asked');
    },
    close: () => socket.close(),
  };
}

const AAAA = 28;

function readQuestion(packet: Buffer) {
  const labels: string[] = [];
  let at = 12;
  for (let length = packet[at] ?? 0; length > 0; length = packet[at] ?? 0) {
    labels.push(packet.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const family: 4 | 6 = packet.readUInt16BE(at + 1) === AAAA ? 6 : 4;
  return { name: labels.join('.').toLowerCase(), family, end: at + 5 };
}

function reply(
  question: Buffer,
  { family }: Question,
  answer: Exclude<NameAnswer, 'nothing'>,
): Buffer {
  const addresses =
    'addresses' in answer ? answer.addresses.filter((it) => isIP(it) === family) : [];
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180 | ('code' in answer ? answer.code : 0), 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt16BE(0, 10);
  return Buffer.concat([head, ...addresses.map(toRecord)]);
}

/** A record of the queried name with a time to live of zero. */
function toRecord(address: string): Buffer {
  const bytes = isIP(address) === 4 ? ipv4Bytes(address) : ipv6Bytes(address);
  const record = Buffer.from('c00c0001000100000000', 'hex');
  if (bytes.length > 4) record.writeUInt16BE(AAAA, 2);
  return Buffer.concat([record, Buffer.of(0, bytes.length), bytes]);
}

function ipv4Bytes(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number));
}

function ipv6Bytes(address: string): Buffer {
  // The URL parser also converts a dotted IPv4 part at the end to hexadecimal.
  const [head = [], tail = []] = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  const groups = [...head, ...zeros, ...tail].map((group) => group.padStart(4, '0'));
  return Buffer.from(groups.join(''), 'hex');
}
