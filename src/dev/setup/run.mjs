// Runs child programs of the setup with a time limit, and uses their output for the message of a
// failure.
import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { SetupError } from './progress.mjs';

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd]
 * @property {Record<string, string | undefined>} [env] added to the environment
 * @property {number} timeoutMs
 * @property {{ uid: number, gid: number }} [user] the user it runs as, when not the current one
 * @property {(stop: (reason: string) => void) => () => void} [watch] may stop the program early;
 * returns a function that ends it
 */

/**
 * Runs a program until it exits and returns its output.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {RunOptions} options
 * @returns {Promise<string>}
 */
export function run(program, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...options.user,
    });
    let output = '';
    let stopped = '';
    const append = (/** @type {Buffer} */ chunk) =>
      (output = (output + String(chunk)).slice(-20_000));
    const stop = (/** @type {string} */ reason) => {
      stopped ||= reason;
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), 3_000).unref();
    };
    const timer = setTimeout(
      () => stop(`took longer than ${options.timeoutMs / 1000} s`),
      options.timeoutMs,
    );
    const unwatch = options.watch?.(stop);
    const settle = () => {
      clearTimeout(timer);
      unwatch?.();
    };
    child.stdout.on('data', append);
    child.stderr.on('data', append);
    child.on('error', (error) => {
      settle();
      reject(new SetupError(isMissing(error) ? `${program} is not installed` : error.message));
    });
    child.on('close', (code) => {
      settle();
      if (code === 0 && !stopped) return resolve(output);
      reject(new SetupError(stopped || reasonIn(output) || `${program} ended with code ${code}`));
    });
  });
}

/** @param {unknown} error */
function isMissing(error) {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/**
 * The line of an output that most likely gives the reason: the last one that mentions an error,
 * else the last one.
 * @param {string} output
 */
function reasonIn(output) {
  const lines = output
    .split('\n')
    .map((line) => stripVTControlCharacters(line).trim())
    .filter((line) => line && !line.startsWith('at ') && !/complete log|npm error A /.test(line));
  const errors = lines.filter((line) => /error|refused|fail|not found|no such/i.test(line));
  return (errors.at(-1) ?? lines.at(-1) ?? '').slice(0, 200);
}
