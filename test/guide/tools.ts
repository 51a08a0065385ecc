// The tools that the guide's programs and generated clients need, each with the message for a
// machine without it.
import { runProgram } from './run-program';

interface Tool {
  readonly command: readonly string[];
  readonly sentence: string;
}

const BASH: Tool = {
  command: ['bash', '--version'],
  sentence: 'The shell programs need bash: install it.',
};

/** The tools that `npm test` needs. */
export const SHELL_TOOLS: readonly Tool[] = [
  BASH,
  {
    command: ['openssl', 'version'],
    sentence: 'The shell programs need openssl: install OpenSSL 3.',
  },
  {
    command: ['curl', '--version'],
    sentence: 'The shell programs need curl: install it.',
  },
];

const COMPILERS: readonly Tool[] = [
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

/** The tools that `npm run test:guide` needs. */
export const GUIDE_TOOLS: readonly Tool[] = [
  ...SHELL_TOOLS,
  {
    command: pythonFrom(10),
    sentence: 'The Python programs need python3 of 3.10 or later with venv and pip: install it.',
  },
  ...COMPILERS,
];

/** The tools that `npm run test:contract` needs for generated clients. */
export const GENERATOR_TOOLS: readonly Tool[] = [
  BASH,
  {
    command: pythonFrom(11),
    sentence: 'The newest generators need python3 of 3.11 or later with venv and pip: install it.',
  },
  ...COMPILERS,
  {
    command: ['mvn', '--version'],
    sentence: 'The generated Java needs mvn, which gets its libraries: install Maven 3.6 or later.',
  },
];

function pythonFrom(minor: number): readonly string[] {
  const imports = 'import ensurepip, sys, venv';
  return ['python3', '-c', `${imports}; assert sys.version_info >= (3, ${String(minor)})`];
}

/** @returns one message for each tool that is missing or does not run */
export async function missingTools(
  env: Readonly<Record<string, string | undefined>>,
  tools: readonly Tool[],
): Promise<readonly string[]> {
  const checks = tools.map(async ({ command, sentence }) =>
    (await works(command, env)) ? [] : [sentence],
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
