// The conformance command against receivers over real HTTP: a good one passes, and each usual
// mistake fails exactly the check that names it.
import { createHmac } from 'node:crypto';
import { verifyWebhook } from '../../../src/sdk';
import { runChecks } from '../../../src/sdk/conformance/check';
import { sendOnce } from '../../../src/sdk/conformance/exchange';
import { receiverChecks } from '../../../src/sdk/conformance/receiver-checks';
import { systemNow } from '../../../src/sdk/clock';
import { startReceiver, type Received } from '../../support/webhooks/webhook-receiver';

const SECRET = `whsec_${Buffer.from('the webhook secret of this test').toString('base64')}`;
const OTHER = `whsec_${Buffer.from('the secret of another partner').toString('base64')}`;

type Webhook = Pick<Received, 'headers' | 'body'>;
type StatusOf = (webhook: Webhook) => number;

const isGenuine = ({ body, headers }: Webhook, secret = SECRET, now = systemNow()): boolean => {
  try {
    verifyWebhook(body, headers, [secret], { now: () => now });
    return true;
  } catch {
    return false;
  }
};
const good: StatusOf = (webhook) => (isGenuine(webhook) ? 204 : 400);
/** The receiver's clock agrees with every timestamp, so it checks none. */
const timeless: StatusOf = (webhook) => {
  const now = new Date(Number(webhook.headers['webhook-timestamp']) * 1_000);
  return isGenuine(webhook, SECRET, now) ? 204 : 400;
};
/** An empty key is one that everybody has. */
function isSignedByNobody({ headers, body }: Webhook): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp } = headers;
  const hmac = createHmac('sha256', '').update(`${String(id)}.${String(timestamp)}.${body}`);
  return headers['webhook-signature'] === `v1,${hmac.digest('base64')}`;
}

async function failuresOf(statusOf: StatusOf): Promise<readonly string[]> {
  const server = await startReceiver((_request, response, nth) => {
    const webhook = server.received[nth - 1] ?? { headers: {}, body: '' };
    response.writeHead(statusOf(webhook)).end();
  });
  try {
    const checks = receiverChecks({ url: server.url, secret: SECRET, send: sendOnce });
    const results = await runChecks('receiver', checks);
    return results.flatMap(({ check, outcome, advice }) =>
      outcome === 'failed' ? [`${check} ${advice ?? ''}`] : [],
    );
  } finally {
    server.close();
  }
}

it('finds no fault in a receiver that verifies by the SDK', async () => {
  await expect(failuresOf(good)).resolves.toEqual([]);
});

const REJECTIONS = [
  'another secret',
  'the empty secret',
  'a body that was changed',
  'an id that was changed',
  'an event of ten minutes ago',
  'an event ten minutes ahead',
  'an event without a signature',
  'a body alone',
];

describe('each mistake of a receiver fails the check that names it:', () => {
  it('one that accepts everything', async () => {
    const failures = await failuresOf(() => 200);
    expect(failures).toHaveLength(REJECTIONS.length);
    for (const [index, name] of REJECTIONS.entries()) {
      expect(failures[index]).toContain(`It rejects ${name}.`);
    }
  });

  it('one that answers 410 to what it rejects', async () => {
    const failures = await failuresOf((webhook) => (isGenuine(webhook) ? 200 : 410));
    expect(failures).toHaveLength(REJECTIONS.length);
    expect(failures[0]).toContain('410 may disable the endpoint.');
  });

  const seen = new Set<unknown>();
  const isNew = ({ headers }: Webhook) => {
    const id = headers['webhook-id'];
    return !seen.has(id) && seen.add(id).has(id);
  };
  const cases: readonly (readonly [string, StatusOf, readonly string[]])[] = [
    [
      'one that verifies a body that it parsed',
      ({ headers, body }) =>
        good({ headers, body: body === '' ? '' : JSON.stringify(JSON.parse(body)) }),
      ['It accepts JSON that is spaced in another way.'],
    ],
    [
      'one that checks no timestamp',
      timeless,
      ['It rejects an event of ten minutes ago.', 'It rejects an event ten minutes ahead.'],
    ],
    [
      'one that reads only the first signature',
      ({ headers, body }) => {
        const [first = ''] = String(headers['webhook-signature']).split(' ');
        return good({ body, headers: { ...headers, 'webhook-signature': first } });
      },
      ['It accepts the second of two signatures.'],
    ],
    [
      'one that reads only the last signature',
      ({ headers, body }) => {
        const last = String(headers['webhook-signature']).split(',').pop() ?? '';
        return good({ body, headers: { ...headers, 'webhook-signature': `v1,${last}` } });
      },
      ['It accepts the first of two signatures.'],
    ],
    [
      'one whose second secret is an empty setting',
      (webhook) => (isGenuine(webhook) || isSignedByNobody(webhook) ? 204 : 400),
      ['It rejects the empty secret.'],
    ],
    [
      'one that rejects what it does not know',
      (webhook) => (webhook.body.includes('payment_intent.conformance') ? 422 : good(webhook)),
      ['It accepts an event of an unknown type.'],
    ],
    [
      'one that rejects an event that comes twice',
      (webhook) => (isGenuine(webhook) && !isNew(webhook) ? 409 : good(webhook)),
      ['It accepts the same event again.'],
    ],
    [
      'one with another secret, and nothing after it',
      (webhook) => (isGenuine(webhook, OTHER) ? 204 : 400),
      ['It accepts a genuine event.'],
    ],
    ['one that redirects', () => 307, ['It accepts a genuine event.']],
  ];

  it.each(cases)('%s', async (_name, statusOf, expected) => {
    const failures = await failuresOf(statusOf);
    expect(failures.map((failure) => failure.replace(/(?<=\.) .*/, ''))).toEqual(expected);
  });
});
