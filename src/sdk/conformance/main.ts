// `npm run conformance`: the checks for partners, which their package has too, and the kit that
// certifies a payout provider, which it has not.
import { main as checkForPartners } from './conformance';
import { certifyProvider, isProviderCommand, USAGE } from './provider/command';
import { print } from './report';
import { runCommand } from './run-command';

/** @returns the exit code. @throws UsageError */
async function main(args: readonly string[]): Promise<number> {
  if (isProviderCommand(args)) return certifyProvider(args);
  const code = await checkForPartners(args);
  if (args.includes('--help')) print(`\n${USAGE}`);
  return code;
}

runCommand(main);
