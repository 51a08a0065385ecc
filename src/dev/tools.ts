// The tools that setup.mjs found: the Temporal servers, the Postgres programs, a browser. `npm
// start` and the tests use them.
import { join, relative } from 'node:path';
import { z } from 'zod';
import { readJsonFile } from './private-files';
import { StartError } from './stack/start-error';

const found = z.object({ way: z.string(), path: z.string() });
const toolsSchema = z.object({
  cacheDir: z.string(),
  postgres: z.object({
    dir: z.string(),
    version: z.string(),
    /** The user that Postgres runs as, when the current user is root. */
    user: z.object({ uid: z.number(), gid: z.number() }).optional(),
  }),
  temporal: found.optional(),
  testServer: found.optional(),
  /** `libraries`: a folder of shared libraries that the system lacks. */
  chromium: found.extend({ libraries: z.string().optional() }).optional(),
});

export type Tools = z.infer<typeof toolsSchema>;
type Chromium = NonNullable<Tools['chromium']>;
export type PostgresPrograms = Tools['postgres'];

/** The root of the clone, or of the packed sandbox's package. */
export const ROOT = join(__dirname, '..', '..');

/** A clone runs its TypeScript; only the packed sandbox contains it compiled (decision 142). */
export const IS_PACKED = __filename.endsWith('.js');

/** Arguments with which Node runs TypeScript. A hook of `require` starts faster than a loader. */
export const RUN_TYPESCRIPT = ['--require', join(ROOT, 'src', 'dev', 'typescript.cjs')];

/**
 * The commands that messages name. Those of the packed sandbox name files: `npx` with a name that
 * is not installed here would run the package of that name on a registry, which is not ours.
 */
export const COMMANDS = IS_PACKED
  ? {
      start: packed(process.argv[1]),
      pay: `${packed(process.argv[1])} pay`,
      payctl: `${packed(process.argv[1])} payctl`,
    }
  : { start: 'npm start', pay: 'npm run sandbox:pay --', payctl: 'npm run payctl --' };

function packed(program = ''): string {
  const near = relative(process.cwd(), program);
  return `node ${near.startsWith('..') ? program : near}`;
}

/** @throws StartError when the setup did not run in this clone */
export function readTools(): Tools {
  const file = join(ROOT, 'node_modules', '.payment-intents', 'tools.json');
  const parsed = toolsSchema.safeParse(readJsonFile(file));
  if (parsed.success) return parsed.data;
  throw new StartError(
    'This clone is not set up: run `node src/dev/setup.mjs --test`, which `npm start` and `npm test` do by themselves.',
  );
}

/** @throws StartError when the setup used a running server and found no CLI */
export function temporalCliOf(tools: Tools): string {
  if (tools.temporal) return tools.temporal.path;
  throw new StartError('The Temporal CLI is not set up: run `node src/dev/setup.mjs`.');
}

/** @throws StartError when the setup ran without `--test` */
export function testServerOf(tools: Tools): string {
  if (tools.testServer) return tools.testServer.path;
  throw new StartError(
    'The Temporal test server is not set up: run `node src/dev/setup.mjs --test`.',
  );
}

/** @throws StartError when the setup found no browser for the tests */
export function chromiumOf(tools: Tools): Chromium {
  if (tools.chromium) return tools.chromium;
  throw new StartError(
    'There is no browser for the tests of the checkout: install Chrome or Chromium, or set CHROME_PATH to one, and run `node src/dev/setup.mjs --test`.',
  );
}
