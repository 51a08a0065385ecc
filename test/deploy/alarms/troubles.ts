// The troubles of docs/operations.md, "Rehearsed": how each is produced in the sandbox of
// `npm start`, the alarm that has to fire, the command that shows what is wrong, and what ends it.

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
  /** A shell command that ends the trouble; without it the alarm lasts an hour. */
  readonly mend?: string;
  /** Nobody else pays meanwhile. */
  readonly isQuiet?: true;
  /** Settings of `npm start` and of the commands. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Shell functions of the commands. */
export const FUNCTIONS = `
pid() { node -p "require('\${LOCAL_DIR:-./.local}/sandbox.json').processes.find((p) => p.name === '$1').pid"; }
pay() { npm run -s sandbox:pay -- "$@"; }
# An endpoint that answers 410 for five minutes.
gone() { timeout 300 node -e "http.createServer((_, answer) => answer.writeHead(410).end()).listen($GONE_PORT)" > /dev/null 2>&1; }
`;

export const TROUBLES: readonly Trouble[] = [
  {
    name: 'provider down',
    produce: 'kill -STOP $(pid sandbox)',
    alarm: 'ProviderFails',
    understand: 'payctl status',
    says: /^provider th_qrpay +waits/m,
    mend: 'kill -CONT $(pid sandbox)',
  },
  {
    name: 'Temporal down',
    produce: 'kill -STOP $(pid temporal)',
    alarm: 'ConfirmsFail',
    understand: 'payctl status',
    says: /^Temporal +away/m,
    mend: 'kill -CONT $(pid temporal)',
  },
  {
    name: 'Postgres down',
    produce: 'kill -STOP $(pid postgres) $(pgrep -P $(pid postgres))',
    alarm: 'PaymentFiguresMissing',
    understand: 'payctl status',
    says: /^Postgres +away/m,
    mend: 'kill -CONT $(pid postgres) $(pgrep -P $(pid postgres))',
  },
  {
    name: 'worker hung',
    produce: 'kill -STOP $(pid worker)',
    alarm: 'ConfirmsFail',
    understand: 'payctl status',
    says: /^workers +away/m,
    mend: 'kill -CONT $(pid worker)',
  },
  {
    name: 'API hung',
    produce: 'kill -STOP $(pid api)',
    alarm: 'PaymentFiguresMissing',
    understand: 'curl -sS -m 2 127.0.0.1:${API_METRICS_PORT:-9464}/livez',
    says: /timed out/,
    mend: 'kill -CONT $(pid api)',
  },
  {
    name: 'failing workflow task',
    produce:
      'temporal workflow signal --workflow-id $(pay 40005) --name confirm --input 1 --input 2 --input-meta encoding=x',
    alarm: 'WorkflowTasksFail',
    understand: 'payctl intents show $ID',
    says: /Its tasks are failing/,
    mend: 'temporal workflow terminate --workflow-id $ID',
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
    mend: 'temporal worker deployment set-current-version --deployment-name payments --unversioned --yes',
  },
  {
    name: 'unknown payout',
    produce: 'pay 40005',
    alarm: 'AttentionRaised',
    understand: 'payctl intents list --attention',
    says: /unknown/,
    mend: 'payctl intents resolve $ID --outcome declined --provider-is-gone --evidence rehearsal',
  },
  {
    name: 'amount mismatch',
    produce: 'pay 40008',
    alarm: 'AttentionRaised',
    understand: 'payctl intents list --attention',
    says: /reports 40009\s+cents/,
    // The recheck finds that the provider still reports the other amount.
    mend: 'payctl intents resolve $ID --outcome paid --evidence rehearsal; until payctl intents acknowledge $ID --reason rehearsal; do sleep 1; done',
  },
  {
    name: 'low balance',
    produce: 'pay 100000000',
    alarm: 'HoldingBalanceLow',
    understand: 'payctl accounts list',
    says: /runs low/,
    mend: 'payctl accounts fund --amount-usd-cents 1000000000 --key rehearsal --yes',
    settings: { HOLDING_LOW_USD_CENTS: '9950000000' },
  },
  {
    name: 'endpoint disabled',
    produce: 'payctl webhooks disable siam-travel --reason rehearsal',
    alarm: 'WebhookEndpointDisabled',
    understand: 'payctl webhooks list',
    says: /disabled/,
    mend: 'payctl webhooks set siam-travel',
  },
  {
    name: 'events exhausted',
    produce:
      'gone > /dev/null 2>&1 & payctl webhooks set siam-travel --url http://127.0.0.1:$GONE_PORT/',
    alarm: 'WebhookEventsExhausted',
    understand: 'payctl webhooks list',
    says: /siam-travel +\w+ +\d+ +\d+ +[1-9]/,
  },
  {
    name: 'every request rejected',
    produce: 'payctl partners set siam-travel --allow 203.0.113.7 --yes',
    alarm: 'EveryRequestRejected',
    understand: 'payctl requests list',
    says: /source_address_not_registered/,
    mend: 'payctl partners set siam-travel --allow 127.0.0.1 --allow ::1 --yes',
  },
  {
    name: 'every payout declined',
    produce: 'for payment in $(seq 16); do pay 40001; done',
    alarm: 'PayoutsDeclined',
    understand: 'payctl intents list --reason payout_declined',
    says: /failed: payout_declined/,
    mend: 'for payment in $(seq 8); do pay 1250; done',
    isQuiet: true,
  },
  {
    name: 'payouts stopped',
    produce: 'payctl payouts stop --reason rehearsal',
    alarm: 'PayoutsStopped',
    understand: 'payctl payouts show',
    says: /rehearsal/,
    mend: 'payctl payouts allow --reason rehearsal',
  },
];
