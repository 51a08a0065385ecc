// Checks the conformance program of the packed SDK: the sandbox passes every check, and a wrong
// secret fails with what to do.
import { demand, type Settings, type Workplace } from './workplace';

/** Relative to the partner's folder. */
export const CONFORMANCE = 'node_modules/.bin/payment-intents-conformance';

export async function checkConformance(place: Workplace): Promise<void> {
  const { BASE_URL = '', KEY_ID = '' } = place.settings;
  const command = [CONFORMANCE, '--base-url', BASE_URL, '--key', KEY_ID, '--sandbox'];
  const good = await place.run(command);
  const isGood = good.code === 0 && good.stdout.trim().endsWith('33 passed, 0 failed, 0 skipped.');
  demand(isGood, 'the sandbox does not pass every check', good);
  const bad = await place.run(command, { settings: { SIGNING_SECRET: 'another secret' } });
  const isNamed = /FAILED {3}A signed create is answered 201\.\n[^]*SIGNING_SECRET/.test(
    bad.stdout,
  );
  demand(bad.code === 1 && isNamed, 'a wrong secret is not named', bad);
}

/** Checks a partner's own receiver. */
export async function checkReceiver(place: Workplace, settings: Settings): Promise<void> {
  const receiver = `http://127.0.0.1:${place.serverPort}/webhooks`;
  const ran = await place.run([CONFORMANCE, '--receiver', receiver], { settings });
  const isGood = ran.code === 0 && ran.stdout.trim().endsWith('14 passed, 0 failed, 0 skipped.');
  demand(isGood, 'partner-server.mts does not pass every check', ran);
}
