// Secrets that the environment does not hold but names: a file, as container platforms mount it, or
// a command that prints the key-encryption key, such as a call of a KMS, `age` or `sops`.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { systemCodeOf } from '../domain/errors';
import { ConfigError, isSecretName, type Environment } from './values';

const BY_COMMAND = 'KEY_ENCRYPTION_KEY';
const COMMAND = `${BY_COMMAND}_COMMAND`;
const COMMAND_TIMEOUT_MS = 10_000;
/** Libraries read these settings themselves. */
const READ_ELSEWHERE = 'OTEL_';

/**
 * The environment with the secrets that it names. It runs the command once, without a shell.
 * @param settings the names of the settings that the process reads
 * @throws ConfigError if a secret is given twice, or cannot be read
 */
export function withSecrets(environment: Environment, settings: readonly string[]): Environment {
  const named = settings
    .filter((name) => isSecretName(name) && !name.startsWith(READ_ELSEWHERE))
    .map((name) => [name, secretIn(environment, name)] as const)
    .filter(([, secret]) => secret !== undefined);
  return { ...environment, ...Object.fromEntries(named) };
}

/** @throws ConfigError if it is given twice */
function secretIn(environment: Environment, name: string): string | undefined {
  const byCommand = name === BY_COMMAND ? [COMMAND] : [];
  const sources = [name, `${name}_FILE`, ...byCommand].filter(
    (source) => environment[source] !== undefined,
  );
  const [source = name] = sources;
  const given = environment[source];
  if (sources.length > 1) throw new ConfigError(`${sources.join(' and ')} are set: unset one.`);
  if (source === name || given === undefined) return given;
  return source === COMMAND ? runCommand(given) : readSecret(source, given);
}

function readSecret(setting: string, file: string): string {
  try {
    return withoutLineBreak(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ConfigError(
      `${setting} names the file ${file}, which cannot be read (${systemCodeOf(error)}).`,
    );
  }
}

/** Its error output is not shown: it may name the secret. */
function runCommand(command: string): string {
  const [program = '', ...args] = command.trim().split(/\s+/);
  try {
    const printed = execFileSync(program, args, {
      ...{ encoding: 'utf8', timeout: COMMAND_TIMEOUT_MS },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return withoutLineBreak(printed);
  } catch (error) {
    const why = systemCodeOf(error) || 'it exited with an error';
    throw new ConfigError(
      `${COMMAND} did not print a key within ${COMMAND_TIMEOUT_MS / 1_000} s (${why}). Run it by hand as the user of this process.`,
    );
  }
}

const withoutLineBreak = (text: string) => text.replace(/\r?\n$/, '');
