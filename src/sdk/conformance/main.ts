// `npm run conformance`: the checks for partners, which their package has too, and the kit that
// certifies a payout provider, which it has not.
import { main as checkForPartners } from './conformance';
import { certifyProvider, isProviderCommand, USAGE } from './provider/command';
import { UsageError } from './settings';

/** @returns the exit code */
async function main(args: readonly string[]): Promise<number> {
  if (isProviderCommand(args)) return certify(args);
  const code = await checkForPartners(args);
  if (args.includes('--help')) print(`\n${USAGE}`);
  return code;
}

async function certify(args: readonly string[]): Promise<number> {
  try {
    return await certifyProvider(args, { print, warn });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    warn(`conformance: ${error.message} See --help.`);
    return 2;
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function warn(text: string): void {
  process.stderr.write(`${text}\n`);
}

void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
