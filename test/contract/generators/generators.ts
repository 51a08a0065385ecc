// Makes a client by every generator of the table, and one signed call with each to a running
// sandbox.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sandbox } from '../../../src/dev/demo/sandbox-file';
import type { Terminal } from '../../../src/dev/terminal';
import { tableLines } from '../../../src/ops/layout';
import { CONTRACT } from '../../support/contract/contract-document';
import type { Recipe } from './recipe';
import { RECIPES } from './versions';
import { tryRecipe, type Outcome, type Settings } from './workshop';

/** A compiler or a JVM takes about one core. */
const AT_ONCE = 2;

/** The intent that the sandbox has created, then the webhook of the contract's examples. */
const EXPECTED =
  /^pi_[0-9a-z]{26} created 1250 th_qrpay\nevt_0{26} payment_intent\.captured captured\n$/;

interface Given {
  readonly sandbox: Sandbox;
  readonly terminal: Terminal;
  readonly stop: AbortSignal;
}

/** Prints a table of all clients. @returns whether each was compiled and created an intent */
export async function tryGenerators({ sandbox, terminal, stop }: Given): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'generators-'));
  const settings = settingsOf(sandbox);
  const outcomes = new Map<Recipe, Outcome>();
  const waiting = [...RECIPES.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next && !stop.aborted; next = waiting.shift()) {
      const [index, recipe] = next;
      const place = { folder: join(folder, String(index)), settings, expected: EXPECTED };
      outcomes.set(recipe, await terminal.step(titleOf(recipe), () => tryRecipe(recipe, place)));
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return report(
    RECIPES.flatMap((recipe) => outcomes.get(recipe) ?? []),
    terminal,
  );
}

function report(outcomes: readonly Outcome[], terminal: Terminal): boolean {
  const rows = outcomes.map(({ recipe, isCompiled, isCalled }) => ({
    generator: recipe.generator,
    version: recipe.version,
    client: recipe.client,
    compiled: isCompiled ? 'yes' : 'no',
    'signed call': isCalled ? 'yes' : 'no',
  }));
  terminal.line();
  for (const line of tableLines(rows)) terminal.line(line);
  for (const { recipe, fault } of outcomes)
    if (fault !== undefined) terminal.complain(`${titleOf(recipe)}: ${fault}`);
  return outcomes.length === RECIPES.length && outcomes.every(({ isCalled }) => isCalled);
}

function titleOf({ generator, version, client }: Recipe): string {
  return `${generator} ${version}, ${client}`;
}

/** The names of the guide's settings, and a webhook. */
function settingsOf({ base_url: baseUrl, partners: [partner] }: Sandbox): Settings {
  if (partner === undefined) throw new Error('The sandbox has no partner.');
  const { parameters, examples } = CONTRACT.components;
  const headers = ['WebhookId', 'WebhookTimestamp', 'WebhookSignature'].map((name) => {
    const { name: header, example } = parameters[name] ?? {};
    return [header, example];
  });
  return {
    BASE_URL: baseUrl,
    KEY_ID: partner.key_id,
    SIGNING_SECRET: partner.signing_secret,
    WEBHOOK_BODY: JSON.stringify(examples['CapturedEvent']?.value),
    WEBHOOK_HEADERS: JSON.stringify(Object.fromEntries(headers)),
  };
}
