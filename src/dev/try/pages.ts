// The pages of `npm run sandbox:try` that come in one piece: the form, and what is wrong. None holds a script.
import { CORRIDORS, type Corridor } from '../../domain/corridor';
import { formatUsd } from '../../domain/money';
import { scenarioFor, SCENARIOS } from '../../sandbox/scenarios';
import type { Sandbox } from '../sandbox-file';
import { markup, NOTHING, type Markup } from './markup';
import { TYPED_AMOUNT } from './order';

const TYPED_DOLLARS = '12.50';

export const COUNTRIES: Readonly<Record<Corridor, string>> = {
  th_qrpay: 'Thailand',
  vn_qrpay: 'Vietnam',
};

/** What stands before a page's own part; {@link PAGE_END} closes it. */
export function pageStart(title: string): Markup {
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

export const PAGE_END = markup`</main>
</body>
</html>
`;

export function startPage({ partners }: Sandbox): Markup {
  return markup`${pageStart('Play a payment')}
<h1>Play a payment by hand</h1>
<p class="lead">You are the partner’s backend first and the payer then. Choose what the payout provider of the sandbox shall
make of the payment: it goes by the exact amount.</p>
<form method="post" action="/payments" class="order">
<fieldset>
<legend>Amount</legend>
${typedChoice()}
${SCENARIOS.map(amountChoice)}
</fieldset>
<fieldset class="row">
<legend>Where the payee is</legend>
${CORRIDORS.map(corridorChoice)}
</fieldset>
<fieldset class="row">
<legend>Partner</legend>
${partners.map(({ partner_id: id }, index) => choice('partner', id, id, index === 0))}
</fieldset>
<button>Create the payment</button>
</form>
${PAGE_END}`;
}

/** Two labels in one row: the button's, and that of the field for the amount. */
function typedChoice(): Markup {
  return markup`<div class="amount"><label><input type="radio" name="amount" value="${TYPED_AMOUNT}" checked>
<b>any other amount</b></label>
<span><label>USD <input name="dollars" value="${TYPED_DOLLARS}" inputmode="decimal"
pattern="[0-9]{1,7}([.][0-9]{1,2})?" title="US dollars, such as 12.50"></label> ${scenarioFor(0).outcome}</span></div>`;
}

function amountChoice({ amountUsdCents, outcome }: (typeof SCENARIOS)[number]): Markup {
  if (amountUsdCents === 'any other') return NOTHING;
  return markup`<label class="amount"><span><input type="radio" name="amount" value="${amountUsdCents}">
<b>${formatUsd(amountUsdCents)}</b></span> <span>${outcome}</span></label>`;
}

function corridorChoice(corridor: Corridor, index: number): Markup {
  return choice('corridor', corridor, `${COUNTRIES[corridor]} (${corridor})`, index === 0);
}

function choice(name: string, value: string, label: string, isChosen: boolean): Markup {
  const chosen = isChosen ? markup` checked` : NOTHING;
  return markup`<label><input type="radio" name="${name}" value="${value}"${chosen}> ${label}</label>`;
}

/** @param sentences what happened, why, and what to do */
export function problemPage(title: string, sentences: readonly string[]): Markup {
  return markup`${pageStart(title)}
<h1>${title}</h1>
${sentences.map((sentence) => markup`<p>${sentence}</p>`)}
<p><a href="/">Back to the start</a></p>
${PAGE_END}`;
}
