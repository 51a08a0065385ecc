// Checks the guide's signing programs: each makes the signatures of the published vectors, and
// creates an intent in the sandbox.
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
 * @throws Error that names the vector with another signature, or the answer without a created
 * intent
 */
export async function checkSigning(place: Workplace, program: Program): Promise<void> {
  await compile(place, program);
  for (const vector of readVectors().requests) await checkVector(place, program, vector);
  const ran = await place.run(program.asPrinted);
  const isCreated = ran.stdout.includes('201') && /pi_[0-9a-z]{26}/.test(ran.stdout);
  demand(ran.code === 0 && isCreated, `${program.file} created no intent`, ran);
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
