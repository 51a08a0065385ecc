#!/usr/bin/env node
// `npm run conformance`, and a program of the SDK package: checks an environment with a partner's
// key, and the partner's own webhook receiver; explains rejected signatures and tokens. It never
// confirms, unless --sandbox says so.
import { runChecks, type CheckResult } from './check';
import { createEnvironment, type EnvironmentOptions } from './environment';
import { explain } from './explain';
import { paymentChecks } from './payment-checks';
import { receiverChecks } from './receiver-checks';
import { countsOf, jsonOf, linesOf, print, type Report } from './report';
import { runCommand } from './run-command';
import { readSettings, USAGE, type Settings } from './settings';
import { cancelChecks, signingChecks } from './signing-checks';
import { tokenChecks } from './token-checks';

export async function checkAll(settings: Settings): Promise<Report> {
  const { environment, receiver } = settings;
  const ofEnvironment =
    environment === undefined ? NOTHING : await checkEnvironment(environment, settings);
  const ofReceiver =
    receiver === undefined ? [] : await runChecks('Webhook receiver', receiverChecks(receiver));
  const notes = receiver === undefined ? [] : [NOT_SEEN];
  return {
    results: [...ofEnvironment.results, ...ofReceiver],
    notes: [...ofEnvironment.notes, ...notes],
  };
}

/** What answers do not show. */
const NOT_SEEN =
  'Not checked: that the receiver stores an event before it answers, and acts once per webhook-id.';

const NOTHING: Report = { results: [], notes: [] };

async function checkEnvironment(
  options: EnvironmentOptions,
  { signer, isSandbox }: Settings,
): Promise<Report> {
  const environment = createEnvironment(options);
  const subject = { environment, intentId: '' };
  const results: CheckResult[] = [];
  const left: string[] = [];
  try {
    results.push(...(await runChecks('Signed requests', signingChecks(subject))));
    if (results[0]?.outcome !== 'passed') return { results, notes: [] };
    if (signer !== undefined) {
      results.push(...(await runChecks('Session tokens', tokenChecks(subject, signer))));
      if (isSandbox) {
        results.push(...(await runChecks('A payment', paymentChecks(environment, signer))));
      }
    }
    results.push(...(await runChecks('Cancel', cancelChecks(subject))));
  } finally {
    left.push(...(await environment.cancelCreated()));
  }
  return { results, notes: notesOf(signer !== undefined, left) };
}

function notesOf(hasSigner: boolean, left: readonly string[]): readonly string[] {
  return [
    ...(hasSigner
      ? []
      : ['Tokens were not checked: set ISSUER, SESSION_KID and SESSION_PRIVATE_KEY_PEM.']),
    ...(left.length > 0 ? [`Not cancelled, so they expire: ${left.join(', ')}.`] : []),
  ];
}

/** @returns the exit code. @throws UsageError */
export async function main(args: readonly string[]): Promise<number> {
  // The SDK package has no reader of the environment: its program reads it here.
  // eslint-disable-next-line no-restricted-properties
  const { env } = process;
  if (args[0]?.startsWith('explain-') === true) {
    const { text, code } = await explain(args, env);
    print(text);
    return code;
  }
  const settings = readSettings(args, env);
  if (settings === undefined) {
    print(USAGE);
    return 0;
  }
  const report = await checkAll(settings);
  print(settings.isJson ? jsonOf(report) : linesOf(report).join('\n'));
  return countsOf(report).failed === 0 ? 0 : 1;
}

if (require.main === module) runCommand(main);
