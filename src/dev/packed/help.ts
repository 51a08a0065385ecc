// What `payment-intents-sandbox --help` prints.
import { USUAL } from '../stack/ports';

/** Settings beside the ports; docs/configuration.md of a clone has those of each process. */
const SETTINGS = {
  PORTS: 'free: any free port for each that is not set, for a second sandbox',
  LOCAL_DIR: 'folder of the data, secrets and logs (.local)',
  INTENT_TTL_SECONDS: 'how long an intent waits for its payer (1800)',
  PAYOUT_UNKNOWN_SECONDS: 'until an unknown payout needs attention (15)',
  TEMPORAL_ADDRESS: 'a running Temporal server to use (none: starts one)',
  TEMPORAL_NAMESPACE: 'its namespace (default)',
  TEMPORAL_UI_URL: 'its web UI',
};

export const USAGE = 'usage: payment-intents-sandbox [pay … | payctl … | --help]\n';

export function helpText(): string {
  const ports = Object.entries(USUAL).map(([name, { usual, title }]) => {
    return [name, `port of ${title} (${String(usual)}); 0 takes any free one`] as const;
  });
  const rows = [...ports, ...Object.entries(SETTINGS)];
  return `${USAGE}
  (nothing)   start the sandbox in this folder, until Ctrl-C
  pay CENTS   make one payment of the running sandbox; pay --link prints an address to pay at
  payctl      the operator's program: payctl --help

Settings, from the environment:

${rows.map(([name, what]) => `  ${name.padEnd(24)}${what}`).join('\n')}

The partner guide is in docs/partner-guide.md of this package.
`;
}
