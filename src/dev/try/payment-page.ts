// The page that watches one payment: its top is written at once, and then one line for each thing that happens, until the
// payment is over. No script runs: the answer is simply not finished before the payment is.
import type { IntentStatus, Intent } from '../../sdk';
import { formatUsd } from '../../domain/money';
import { readQrPayload } from '../../domain/qr-payload';
import { isQrRefusal } from '../../domain/qr-refusal';
import { SAMPLE_CODES } from '../../sandbox/sample-codes';
import { scenarioFor } from '../../sandbox/scenarios';
import { markup, NOTHING, type Markup } from './markup';
import { COUNTRIES, PAGE_END, pageStart } from './pages';
import { canConfirm } from './payer';
import type { Happening, Received } from './watch';

export interface PaymentView {
  readonly intent: Intent;
  /** Where this page is. */
  readonly path: string;
  readonly checkoutAddress: string;
  /** What the confirm or cancel that led here was answered, where it was refused. */
  readonly refusedWith: string | null;
}

export function paymentTop(view: PaymentView): Markup {
  const { intent, refusedWith } = view;
  const title = `${formatUsd(intent.amountUsdCents)} to ${COUNTRIES[intent.corridor]}`;
  return markup`${pageStart(title)}
<h1>${title}</h1>
<p class="lead">What the sandbox makes of this amount: <b>${scenarioFor(intent.amountUsdCents).outcome}</b>.</p>
${refusedWith === null ? NOTHING : markup`<p class="refused" role="alert">${refusalSentence(refusedWith)}</p>`}
<div class="payment">
${canConfirm(intent.status) ? payerPart(view) : NOTHING}
<section class="story">
<h2>What happens</h2>
<p class="hint">Written while it happens: this page goes on loading until the payment is over.</p>
<ol role="log">
${earlier(intent)}`;
}

function refusalSentence(status: string): string {
  if (status === '409')
    return 'Refused with 409: the status of the payment does not allow it any more.';
  return `Refused with ${status}. Look at what happened below, and try again.`;
}

function payerPart({ intent, path, checkoutAddress }: PaymentView): Markup {
  const code = SAMPLE_CODES[intent.corridor];
  return markup`<section class="payer">
<h2>The payer</h2>
<figure>
<img src="/codes/${intent.corridor}.png" width="232" height="232" alt="The payment code of ${payeeIn(code)}">
<figcaption>The code of ${payeeIn(code)}, nobody’s account. <a href="/codes/${intent.corridor}.png" download>Save the picture</a>
or copy the text: <code>${code}</code></figcaption>
</figure>
<p><a class="button" href="${checkoutAddress}" target="_blank" rel="noopener noreferrer">Open the checkout</a></p>
<p class="hint">Scan the code there, upload its picture or paste its text, and confirm. At its end the checkout calls the app
of the payer, which this computer has not: come back here. The link holds a session token, which is good for ten minutes; reload
this page for another.</p>
<form method="post" action="${path}/confirm"><button class="second">Confirm without the checkout</button></form>
<p class="hint">Sends what the checkout sends: the session token and the text of the code.</p>
<form method="post" action="${path}/cancel"><button class="quiet">Cancel, as the partner</button></form>
</section>`;
}

function payeeIn(code: string): string {
  const read = readQrPayload(code);
  if (isQrRefusal(read)) return 'a payee';
  return [read.merchant.name, read.merchant.city].filter((part) => part !== null).join(', ');
}

/** Whoever comes late, or reloads, is told how it began. */
function earlier(intent: Intent): Markup {
  if (intent.status === 'created') return NOTHING;
  return line({ at: intent.createdAt, name: 'created', text: STORY.created });
}

const STORY: Readonly<Record<IntentStatus, string>> = {
  created:
    'The partner’s backend has created the intent with a signed request. It waits for the payer.',
  authorized:
    'The payer has confirmed with the session token, which is used up now. The amount is debited from the holding account, and the provider is asked to pay.',
  captured:
    'The payer’s confirm was taken, the amount debited, and the payee paid by the provider. The payment is over.',
  failed: 'There was no payout, and nothing was taken. The payment is over.',
  expired: 'Nobody confirmed in time. The payment is over.',
  cancelled: 'The partner has cancelled it. The payment is over.',
  refunded: 'It was captured, and the operator has given it back in full.',
};

export function happeningLine(happening: Happening): Markup {
  if (happening.kind === 'sentence') return markup`<li class="note">${happening.text}</li>\n`;
  if (happening.kind === 'webhook') return webhookLine(happening);
  const { intent, at } = happening;
  const { status, createdAt, capturedAt } = intent;
  const known = status === 'created' ? createdAt : capturedAt;
  return line({ at: known ?? at, isSeen: known === null, name: status, text: STORY[status] });
}

function webhookLine({ event, received }: Extract<Happening, { kind: 'webhook' }>): Markup {
  const text = `${String(event.type)}, received by the partner and verified: HMAC-SHA256 over the exact bytes, ${event.id}.`;
  return line({
    at: new Date(received.received_at),
    name: 'webhook',
    text,
    more: asReceived(received),
  });
}

function asReceived({ headers, body }: Received): Markup {
  const shown = Object.entries(headers).filter(([name]) => /^(webhook-|content-type)/.test(name));
  const text = [...shown.map(([name, value]) => `${name}: ${value}`), '', body].join('\n');
  return markup`<details><summary>Headers and body</summary><pre>${text}</pre></details>`;
}

interface Line {
  readonly at: Date;
  /** Whether that is when this page saw it, since the API does not tell when it was. */
  readonly isSeen?: boolean;
  /** A status, or `webhook`; the style sheet hides the payer’s part once it is no longer `created`. */
  readonly name: string;
  readonly text: string;
  readonly more?: Markup;
}

function line({ at, isSeen = false, name, text, more = NOTHING }: Line): Markup {
  return markup`<li class="is-${name}"><b>${name}</b> <time datetime="${at.toISOString()}">${isSeen ? 'seen at ' : ''}${timeOf(at)}</time>
<span>${text}</span>${more}</li>
`;
}

/** UTC, like everything that the engine writes. */
function timeOf(at: Date): string {
  return `${at.toISOString().slice(11, 23)} UTC`;
}

export function paymentEnd({ intent }: PaymentView): Markup {
  return markup`</ol>
<p class="over">That is all. <a href="/">Play another payment</a>, or look behind it:
<code>npm run payctl -- intents show ${intent.intentId}</code></p>
</section>
</div>
${PAGE_END}`;
}
