// The tools that the guide's programs need, each with the message for a machine without it.
import { runProgram } from './run-program';

interface Tool {
  readonly command: readonly string[];
  readonly sentence: string;
}

const TOOLS: readonly Tool[] = [
  {
    command: ['bash', '--version'],
    sentence: 'The shell programs need bash: install it.',
  },
  {
    command: ['openssl', 'version'],
    sentence: 'The shell programs need openssl: install OpenSSL 3.',
  },
  {
    command: ['curl', '--version'],
    sentence: 'The shell programs need curl: install it.',
  },
  {
    command: ['python3', '-c', 'import ensurepip, sys, venv; assert sys.version_info >= (3, 10)'],
    sentence: 'The Python programs need python3 of 3.10 or later with venv and pip: install it.',
  },
  {
    command: ['go', 'version'],
    sentence: 'The Go programs need go: install Go 1.21 or later.',
  },
  {
    command: ['java', '--version'],
    sentence: 'The Java programs need java: install a JDK of 17 or later.',
  },
  {
    command: ['javac', '--version'],
    sentence: 'The Java programs need javac: install a JDK of 17 or later, not a runtime alone.',
  },
];

/** The tools that `npm test` needs. `npm run test:guide` needs all. */
export const SHELL_TOOLS = ['bash', 'openssl', 'curl'];

/** @returns one message for each tool that is missing or does not run */
export async function missingTools(
  env: Readonly<Record<string, string | undefined>>,
  wanted: readonly string[] = TOOLS.map(({ command }) => command[0] ?? ''),
): Promise<readonly string[]> {
  const checks = TOOLS.filter(({ command: [name = ''] }) => wanted.includes(name)).map(
    async ({ command, sentence }) => ((await works(command, env)) ? [] : [sentence]),
  );
  return (await Promise.all(checks)).flat();
}

async function works(
  command: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  try {
    return (await runProgram(command, { cwd: '/', env })).code === 0;
  } catch {
    // The program is not on the PATH.
    return false;
  }
}
