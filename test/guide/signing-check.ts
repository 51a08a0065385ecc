// Checks the guide's signing programs: each makes the signatures of the published vectors, and
// creates an intent in the sandbox. None sends a signed request a second time.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { GENERATORS, signingOf } from '../contract/generators/workshop';
import { readVectors, type RequestVector } from '../signing/vectors';
import { compile, demand, programOf, type Program, type Workplace } from './workplace';

export const SIGNING_PROGRAMS: readonly Program[] = [
  'create-intent.mts',
  'create_intent.py',
  'create_intent.go',
  'CreateIntent.java',
  'create-intent.sh',
].map(programOf);

/**
 * @throws Error that names the vector with another signature, the redirect that was followed, or
 * the answer without a created intent
 */
export async function checkSigning(place: Workplace, program: Program): Promise<void> {
  await compile(place, program);
  for (const vector of readVectors().requests) await checkVector(place, program, vector);
  await checkRedirects(place, program);
  const ran = await place.run(program.asPrinted);
  const isCreated = /\b201\b/.test(ran.stdout) && /pi_[0-9a-z]{26}/.test(ran.stdout);
  const isNamed = /\breq_[0-9a-f]{24}\b/.test(ran.stdout);
  demand(ran.code === 0 && isCreated, `${program.file} created no intent`, ran);
  demand(isNamed, `${program.file} does not print the request id`, ran);
}

async function checkVector(
  place: Workplace,
  program: Program,
  vector: RequestVector,
): Promise<void> {
  const { method, path, timestamp, nonce, body, secret, signature } = vector;
  const ran = await place.run([...program.compiled, 'sign', method, path, timestamp, nonce], {
    settings: { SIGNING_SECRET: secret },
    input: body,
  });
  const isRight = ran.code === 0 && ran.stdout.trim() === signature;
  demand(isRight, `${program.file} makes another signature for the vector ${vector.name}`, ran);
}

/**
 * Go itself repeats a request with an Idempotency-Key when a reused connection ends without an
 * answer. The repeat has the same nonce, so its 401 would hide that the create succeeded.
 * @throws Error when a nonce arrives twice
 */
export async function checkLostAnswer(place: Workplace): Promise<void> {
  const service = await aForgetfulService();
  try {
    const folder = join(place.folder, 'two-calls');
    mkdirSync(folder);
    writeFileSync(join(folder, 'create_intent.go'), signingOf('create_intent.go'));
    const programs = ['signed_transport.go', 'two-calls.go'];
    for (const file of programs)
      copyFileSync(join(GENERATORS, 'programs', file), join(folder, file));
    const files = ['create_intent.go', ...programs].map((file) => join('two-calls', file));
    const ran = await place.run(['go', 'run', ...files], { settings: { BASE_URL: service.url } });
    const { nonces } = service;
    demand(ran.code === 0 && nonces.length >= 4, 'the two Go senders do not send', ran);
    demand(new Set(nonces).size === nonces.length, 'Go sends a signed request twice', ran);
  } finally {
    service.close();
  }
}

/**
 * A redirect that is followed carries the signature to another address.
 * @throws Error when a second request arrives
 */
async function checkRedirects(place: Workplace, program: Program): Promise<void> {
  for (const status of [302, 307]) {
    const service = await aService((_, response) => {
      response.writeHead(status, { location: '/elsewhere' }).end('{}');
    });
    const ran = await place.run(program.asPrinted, { settings: { BASE_URL: service.url } });
    service.close();
    const isSent = ran.stdout.includes(String(status)) && service.nonces.length === 1;
    demand(isSent, `${program.file} does not stop at a redirect ${status}`, ran);
  }
}

/** Answers the first request of each connection, and ends the connection at its second. */
function aForgetfulService() {
  return aService((request, response) => {
    if (request.socket.bytesWritten > 0) request.socket.destroy();
    else response.writeHead(201).end('{}');
  });
}

async function aService(answer: RequestListener) {
  const nonces: unknown[] = [];
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    nonces.push(request.headers['x-service-nonce']);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, nonces, close };
}
