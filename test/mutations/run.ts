// `npm run test:mutations -- [PART OF A NAME…] [--json]` applies each mutation to a copy of the
// repository and requires that its test fails. Exit codes: 0 all mutations were caught, 1 one was
// not, 2 the command line is invalid.
import { parseArgs } from 'node:util';
import { processEnvironment, type Environment } from '../../src/config/config';
import { readTools, testServerOf } from '../../src/dev/tools';
import { createTestServers, type TestServers } from '../support/servers/test-servers';
import { isUsageError } from '../support/programs/usage-error';
import type { Mutation, Verdict } from './mutation';
import { MUTATIONS } from './mutations';
import { endTests, requireGreen, tryByTests } from './test-run';
import { createWorkshop, type Workshop } from './workshop';

/** How many copies try mutations in parallel: tests wait for half of their time. */
const LANES = 4;

interface Finding extends Verdict {
  readonly name: string;
  readonly file: string;
  readonly must_fail: string;
  readonly seconds: number;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false } },
  });
  const mutations = MUTATIONS.filter(
    ({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)),
  );
  if (mutations.length === 0) {
    say(`No mutation has "${positionals.join('", "')}" in its name.`);
    return 2;
  }
  const findings = await inWorkshops(Math.min(LANES, mutations.length), (workshops) =>
    withServers((environment) => tryAll(mutations, workshops, environment)),
  );
  process.stdout.write(values.json ? `${JSON.stringify(findings, null, 2)}\n` : tableOf(findings));
  return findings.every(({ verdict }) => verdict === 'caught') ? 0 : 1;
}

/** Each copy takes the next mutation as soon as it has finished one. */
async function tryAll(
  mutations: readonly Mutation[],
  workshops: readonly Workshop[],
  environment: Environment,
): Promise<readonly Finding[]> {
  const [workshop] = workshops;
  if (workshop === undefined) return [];
  workshop.requireFitting(mutations);
  const startedMs = performance.now();
  await requireGreen(mutations, { workshop, environment, onRepeat: say });
  say(`${'green'.padEnd(VERDICT_WIDTH)} ${secondsSince(startedMs)}  without a mutation`);
  const findings: Finding[] = [];
  const left = [...mutations];
  const lane = async (workshop: Workshop) => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const mutation = next;
      const startedMs = performance.now();
      const run = () => tryByTests(mutation, workshop, environment);
      const found = await workshop.withMutation(mutation, run);
      const { name, file, mustFail } = mutation;
      const seconds = (performance.now() - startedMs) / 1_000;
      findings.push({ name, file, must_fail: mustFail, seconds, ...found });
      say(`${found.verdict.padEnd(VERDICT_WIDTH)} ${secondsSince(startedMs)}  ${name}`);
      if (found.verdict !== 'caught') say(found.detail);
    }
  };
  await Promise.all(workshops.map(lane));
  return findings;
}

async function inWorkshops<Result>(
  lanes: number,
  work: (workshops: readonly Workshop[]) => Promise<Result>,
): Promise<Result> {
  const workshops = Array.from({ length: lanes }, createWorkshop);
  const remove = () => workshops.forEach((workshop) => workshop.remove());
  const removeHandlers = onSignals(() => endTests().finally(remove));
  try {
    return await work(workshops);
  } finally {
    removeHandlers();
    remove();
  }
}

/** Starts one Postgres and one Temporal server for all mutations. */
async function withServers<Result>(
  work: (environment: Environment) => Promise<Result>,
): Promise<Result> {
  const servers: TestServers = createTestServers();
  const removeHandlers = onSignals(() => servers.kill());
  try {
    const { databaseUrl, temporalAddress } = await servers.start({ temporalAddress: undefined });
    return await work({
      ...processEnvironment(),
      NODE_ENV: 'test',
      FORCE_COLOR: '0',
      TEST_DATABASE_URL: databaseUrl,
      TEST_TEMPORAL_ADDRESS: temporalAddress,
      TEST_TEMPORAL_TEST_SERVER: testServerOf(readTools()),
    });
  } finally {
    removeHandlers();
    await servers.stop();
  }
}

/** @returns a function that removes the handlers */
function onSignals(end: () => unknown): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const stop = () => {
    process.exitCode = 130;
    void Promise.resolve(end()).finally(() => setImmediate(() => process.exit()));
  };
  for (const signal of signals) process.once(signal, stop);
  return () => signals.forEach((signal) => process.removeListener(signal, stop));
}

const VERDICT_WIDTH = 'caught by another'.length;

/** Mutations that were not caught stand at the end, with what happened instead. */
function tableOf(findings: readonly Finding[]): string {
  const caught = findings.filter(({ verdict }) => verdict === 'caught');
  const missed = findings.filter(({ verdict }) => verdict !== 'caught');
  const rows = [...caught.map(rowOf), ...missed.map((one) => `${rowOf(one)}\n${one.detail}`)];
  return `\n${rows.join('\n')}\n\n${String(caught.length)} of ${String(findings.length)} mutations were caught\n`;
}

function rowOf({ verdict, seconds, file, name, must_fail }: Finding): string {
  const indent = ' '.repeat(VERDICT_WIDTH + 8);
  return `${verdict.padEnd(VERDICT_WIDTH)} ${inSeconds(seconds)}  ${file}: ${name}\n${indent}by "${must_fail}"`;
}

function secondsSince(startedMs: number): string {
  return inSeconds((performance.now() - startedMs) / 1_000);
}

function inSeconds(seconds: number): string {
  return `${seconds.toFixed(1).padStart(5)} s`;
}

/** Prints progress to standard error: standard output has only the result. */
function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

main().then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
  (error: unknown) => {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = isUsageError(error) ? 2 : 1;
  },
);
