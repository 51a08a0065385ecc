// The troubles of docs/operations.md, "Rehearsed": how each is produced in the sandbox of
// `npm start`, the alarm that has to fire, and the command that shows what is wrong.

export interface Trouble {
  readonly name: string;
  /** A shell command that makes what the next one needs, while all is well. */
  readonly prepare?: string;
  /** A shell command that produces the trouble. */
  readonly produce: string;
  /** The alarm that names the trouble. */
  readonly alarm: string;
  /** A command of the page; in it, `$ID` is a payment that the trouble has met. */
  readonly understand: string;
  /** What the output of that command says then. */
  readonly says: RegExp;
  /** Settings of `npm start` and of the commands. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Shell functions of the commands. */
export const FUNCTIONS = `
pid() { node -p "require('\${LOCAL_DIR:-./.local}/sandbox.json').processes.find((p) => p.name === '$1').pid"; }
pay() { npm run -s sandbox:pay -- "$@"; }
`;

export const TROUBLES: readonly Trouble[] = [
  {
    name: 'provider down',
    produce: 'kill -STOP $(pid sandbox)',
    alarm: 'ProviderFails',
    understand: 'payctl intents show $ID',
    says: /last answer/i,
  },
  {
    name: 'Temporal down',
    produce: 'kill -STOP $(pid temporal)',
    alarm: 'ConfirmsFail',
    understand: 'payctl intents show $ID',
    says: /Temporal gave no answer/,
  },
  {
    name: 'Postgres down',
    produce: 'kill -STOP $(pid postgres) $(pgrep -P $(pid postgres))',
    alarm: 'PaymentFiguresMissing',
    understand: 'payctl payouts show',
    says: /Postgres/,
  },
  {
    name: 'worker hung',
    produce: 'kill -STOP $(pid worker)',
    alarm: 'ConfirmsFail',
    understand: 'curl -sS -m 2 127.0.0.1:${WORKER_METRICS_PORT:-9465}/livez',
    says: /timed out/,
  },
  {
    name: 'failing workflow task',
    produce:
      'temporal workflow signal --workflow-id $(pay 40005) --name confirm --input 1 --input 2 --input-meta encoding=x',
    alarm: 'WorkflowTasksFail',
    understand: 'payctl intents show $ID',
    says: /Its tasks are failing/,
  },
  {
    name: 'wrong build current',
    // A build that had workers once, so that Temporal keeps tasks for it.
    prepare:
      'xargs -0a /proc/$(pid worker)/environ sh -c \'env "$@" WORKER_BUILD_ID=wrong METRICS_PORT=0 timeout 30 npm run start:worker\' -',
    produce:
      'temporal worker deployment set-current-version --deployment-name payments --build-id wrong --allow-no-pollers --yes',
    alarm: 'ConfirmsFail',
    understand: 'temporal worker deployment describe --name payments',
    says: /CurrentVersionBuildID +wrong/,
  },
  {
    name: 'unknown payout',
    produce: 'pay 40005',
    alarm: 'AttentionRaised',
    understand: 'payctl intents list --attention',
    says: /unknown/,
  },
  {
    name: 'amount mismatch',
    produce: 'pay 40008',
    alarm: 'AttentionRaised',
    understand: 'payctl intents list --attention',
    says: /reports 40009 cents/,
  },
  {
    name: 'low balance',
    produce: 'pay 100000000',
    alarm: 'HoldingBalanceLow',
    understand: 'payctl accounts list',
    says: /runs low/,
    settings: { HOLDING_LOW_USD_CENTS: '9950000000' },
  },
  {
    name: 'endpoint disabled',
    produce: 'payctl webhooks disable siam-travel --reason rehearsal',
    alarm: 'WebhookEndpointDisabled',
    understand: 'payctl webhooks list',
    says: /disabled/,
  },
  {
    name: 'payouts stopped',
    produce: 'payctl payouts stop --reason rehearsal',
    alarm: 'PayoutsStopped',
    understand: 'payctl payouts show',
    says: /rehearsal/,
  },
];
