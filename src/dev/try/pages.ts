// The pages of `npm run sandbox:try`: the form, the error page, and the page that watches one
// payment. None has a script. The watching page is one long response: its top is sent at once, then
// a line for each event, until the payment is finished.
import { CORRIDORS, type Corridor } from '../../domain/corridor';
import { formatUsd } from '../../domain/money';
import { readQrPayload } from '../../domain/qr/payload';
import { isQrRejection } from '../../domain/qr/rejection';
import { SAMPLE_CODES } from '../../sandbox/sample-codes';
import { scenarioFor, SCENARIOS } from '../../sandbox/scenarios';
import type { Intent, IntentStatus } from '../../sdk';
import type { Sandbox } from '../demo/sandbox-file';
import { COMMANDS } from '../tools';
import { markup, NOTHING, type Markup } from './markup';
import { TYPED_AMOUNT } from './order';
import type { Happening } from './watch';

const TYPED_DOLLARS = '12.50';

const COUNTRIES: Readonly<Record<Corridor, string>> = {
  th_qrpay: 'Thailand',
  vn_qrpay: 'Vietnam',
};

/** The start of each page; {@link PAGE_END} closes it. */
function pageStart(title: string): Markup {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/style.css">
</head>
<body>
<header><a href="/">Play a payment</a><span>sandbox: no money moves</span></header>
<main>
`;
}

const PAGE_END = markup`</main>
</body>
</html>
`;

export function startPage({ partners }: Sandbox): Markup {
  return markup`${pageStart('Play a payment')}
<h1>Play a payment by hand</h1>
<p class="lead">You are first the partner’s backend and then the payer. Choose the amount: it
decides what the payout provider of the sandbox does with the payment.</p>
<form method="post" action="/payments" class="order">
<fieldset>
<legend>Amount</legend>
<div class="amount"><label><input type="radio" name="amount" value="${TYPED_AMOUNT}" checked>
<b>any other amount</b></label>
<span><label>USD <input name="dollars" value="${TYPED_DOLLARS}" inputmode="decimal"
pattern="[0-9]{1,7}([.][0-9]{1,2})?" title="US dollars, such as 12.50"></label> ${scenarioFor(0).outcome}</span></div>
${SCENARIOS.map(amountChoice)}
</fieldset>
<fieldset class="row">
<legend>Where the payee is</legend>
${CORRIDORS.map((it, index) => choice('corridor', it, `${COUNTRIES[it]} (${it})`, index))}
</fieldset>
<fieldset class="row">
<legend>Partner</legend>
${partners.map(({ partner_id: id }, index) => choice('partner', id, id, index))}
</fieldset>
<button>Create the payment</button>
</form>
${PAGE_END}`;
}

function amountChoice({ amountUsdCents, outcome }: (typeof SCENARIOS)[number]): Markup {
  if (amountUsdCents === 'any other') return NOTHING;
  return markup`<label class="amount"><span><input type="radio" name="amount" value="${amountUsdCents}">
<b>${formatUsd(amountUsdCents)}</b></span> <span>${outcome}</span></label>`;
}

function choice(name: string, value: string, label: string, index: number): Markup {
  const chosen = index === 0 ? markup` checked` : NOTHING;
  return markup`<label><input type="radio" name="${name}" value="${value}"${chosen}> ${label}</label>`;
}

/** @param sentences what happened, why, and what to do */
export function problemPage([title = '', ...sentences]: readonly string[]): Markup {
  return markup`${pageStart(title)}
<h1>${title}</h1>
${sentences.map((sentence) => markup`<p>${sentence}</p>`)}
<p><a href="/">Back to the start</a></p>
${PAGE_END}`;
}

interface PaymentView {
  readonly intent: Intent;
  /** The path of this page. */
  readonly path: string;
  readonly checkoutAddress: string;
  /**
   * The status that rejected the confirm or the cancel before this page; undefined when it was
   * accepted.
   */
  readonly rejectedWith: string | undefined;
}

export function paymentTop(view: PaymentView): Markup {
  const { intent, rejectedWith } = view;
  const title = `${formatUsd(intent.amountUsdCents)} to ${COUNTRIES[intent.corridor]}`;
  const why =
    rejectedWith === '409'
      ? ': the status of the payment does not allow it any more.'
      : '. Read below what happened, and try again.';
  return markup`${pageStart(title)}
<h1>${title}</h1>
<p class="lead">The result of this amount in the sandbox:
<b>${scenarioFor(intent.amountUsdCents).outcome}</b>.</p>
${rejectedWith === undefined ? NOTHING : markup`<p class="refused" role="alert">Rejected with ${rejectedWith}${why}</p>`}
<div class="payment">
${intent.status === 'created' ? payerPart(view) : NOTHING}
<section class="story">
<h2>What happens</h2>
<p class="hint">Each event is added when it happens: this page keeps loading until the payment is
finished.</p>
<ol role="log">
${intent.status === 'created' ? NOTHING : line(intent.createdAt, 'created', STORY.created)}`;
}

function payerPart({ intent, path, checkoutAddress }: PaymentView): Markup {
  const code = SAMPLE_CODES[intent.corridor];
  const picture = `/codes/${intent.corridor}.png`;
  const payee = payeeIn(code);
  return markup`<section class="payer">
<h2>The payer</h2>
<figure>
<img src="${picture}" width="232" height="232" alt="The payment code of ${payee}">
<figcaption>The code of ${payee}, a made-up account. <a href="${picture}" download>Save the picture</a>
or copy the text: <code>${code}</code></figcaption>
</figure>
<p><a class="button" href="${checkoutAddress}" target="_blank" rel="noopener noreferrer">Open the checkout</a></p>
<p class="hint">Scan the code there, upload its picture or paste its text, and confirm. In the end
the checkout opens the app of the payer, which is not on this computer: come back here. The link
holds a session token, which is valid for ten minutes; reload this page for another one.</p>
<form method="post" action="${path}/confirm"><button class="second">Confirm without the checkout</button></form>
<p class="hint">Sends what the checkout sends: the session token and the text of the code.</p>
<form method="post" action="${path}/cancel"><button class="quiet">Cancel, as the partner</button></form>
</section>`;
}

function payeeIn(code: string): string {
  const read = readQrPayload(code);
  if (isQrRejection(read)) return 'a payee';
  return [read.merchant.name, read.merchant.city].filter((part) => part !== null).join(', ');
}

const STORY: Readonly<Record<IntentStatus, string>> = {
  created:
    'The partner’s backend has created the intent with a signed request. It waits for the payer.',
  authorized:
    'The payer has confirmed with the session token, which is used up now. The amount is debited from the holding account, and the provider gets the payout.',
  captured:
    'The payer’s confirm was accepted, the amount debited, and the payee paid by the provider. The payment is finished.',
  failed: 'There was no payout, and no debit remains. The payment is finished.',
  expired: 'The payer did not confirm in time. The payment is finished.',
  cancelled: 'The partner has cancelled the payment. It is finished.',
  refunded: 'The payment was captured, and an operator has refunded it in full.',
};

export function happeningLine(happening: Happening): Markup {
  if (typeof happening === 'string') return markup`<li class="note">${happening}</li>\n`;
  if ('event' in happening) {
    const { received_at: receivedAt, event, headers, body } = happening;
    const text = `${String(event.type)}, received by the partner and verified: HMAC-SHA256 over the exact bytes, ${event.id}.`;
    const shown = Object.entries(headers).filter(([name]) => /^(webhook-|content-type)/.test(name));
    const whole = [...shown.map(([name, value]) => `${name}: ${value}`), '', body].join('\n');
    const more = markup`<details><summary>Headers and body</summary><pre>${whole}</pre></details>`;
    return line(new Date(receivedAt), 'webhook', text, more);
  }
  const { status, createdAt, capturedAt } = happening;
  const at = status === 'created' ? createdAt : capturedAt;
  return line(at ?? undefined, status, STORY[status]);
}

/**
 * @param at undefined when the API does not report the time: then the current time is shown. UTC,
 * like all times of the engine.
 * @param name a status, or `webhook`; the style sheet hides the payer’s part once the status is no
 * longer `created`
 */
function line(at: Date | undefined, name: string, text: string, more = NOTHING): Markup {
  const time = (at ?? new Date()).toISOString();
  const seen = at === undefined ? 'seen at ' : '';
  return markup`<li class="is-${name}"><b>${name}</b> <time datetime="${time}">${seen}${time.slice(11, 23)} UTC</time>
<span>${text}</span>${more}</li>
`;
}

export function paymentEnd(intentId: string): Markup {
  return markup`</ol>
<p class="over">That is all. <a href="/">Play another payment</a>, or read its history:
<code>${COMMANDS.payctl} intents show ${intentId}</code></p>
</section>
</div>
${PAGE_END}`;
}
