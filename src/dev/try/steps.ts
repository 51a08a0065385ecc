// The steps that a person takes on the page: create, watch, confirm, cancel. Each step but watching ends in a redirect to the
// page that watches, so that a reload repeats nothing.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '../../sandbox/http-server';
import { ApiError, type Client } from '../../sdk';
import type { Sandbox, SandboxPartner } from '../sandbox-file';
import { readOrder } from './order';
import { checkoutOf, clientOf, confirmAsPayer, createIntent, watchingClientOf } from './payer';
import { happeningLine, paymentEnd, paymentTop } from './payment-page';
import { nothingHere, Problem, problemOf } from './problem';
import { watchPayment, type Happening, type Watched } from './watch';

const FORM_MAX_BYTES = 2_048;

export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
}

/** The payment that an address names. */
export interface Named {
  readonly sandbox: Sandbox;
  readonly partner: SandboxPartner;
  readonly intentId: string;
}

/** @throws Problem when no partner of the sandbox has this id */
export function partnerOf({ partners }: Sandbox, partnerId: string): SandboxPartner {
  const partner = partners.find(({ partner_id }) => partner_id === partnerId);
  if (partner === undefined) throw nothingHere();
  return partner;
}

export async function createPayment({ request, response }: Call, sandbox: Sandbox): Promise<void> {
  const form = new URLSearchParams((await readBody(request, FORM_MAX_BYTES)).toString('utf8'));
  const order = readOrder(form);
  if (typeof order === 'string') throw new Problem(400, ['The payment was not created.', order]);
  const partner = partnerOf(sandbox, order.partnerId);
  const { intentId } = await createIntent(clientOf(sandbox, partner), order);
  redirect(response, pageOf({ sandbox, partner, intentId }));
}

/** One answer that goes on until the payment is over, or the browser leaves. */
export async function watchOnPage({ response, url }: Call, named: Named): Promise<void> {
  const { sandbox, partner, intentId } = named;
  const client = watchingClientOf(sandbox, partner);
  const intent = await client.getIntent(intentId);
  const view = {
    intent,
    path: pageOf(named),
    checkoutAddress: await checkoutOf(sandbox, partner, intent),
    refusedWith: /^\d{3}$/.exec(url.searchParams.get('refused') ?? '')?.[0] ?? null,
  };
  const left = new AbortController();
  response.once('close', () => {
    left.abort();
  });
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.write(paymentTop(view).html);
  const watched = { client, partner, intentId, signal: left.signal };
  for await (const happening of toldToTheEnd(watched)) {
    response.write(happeningLine(happening).html);
  }
  response.end(paymentEnd(view).html);
}

/** The page is half written when something goes wrong here, so that is one of its lines. */
async function* toldToTheEnd(watched: Watched): AsyncGenerator<Happening> {
  try {
    yield* watchPayment(watched);
  } catch (error) {
    yield { kind: 'sentence', text: problemOf(error).sentences.join(' ') };
  }
}

export async function confirm({ response }: Call, named: Named): Promise<void> {
  const { sandbox, partner, intentId } = named;
  const intent = await clientOf(sandbox, partner).getIntent(intentId);
  backToPage(response, named, await confirmAsPayer(sandbox, partner, intent));
}

export async function cancel({ response }: Call, named: Named): Promise<void> {
  const { sandbox, partner, intentId } = named;
  backToPage(response, named, await cancelStatus(clientOf(sandbox, partner), intentId));
}

async function cancelStatus(client: Client, intentId: string): Promise<number> {
  try {
    await client.cancelIntent(intentId);
    return 200;
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
}

function pageOf({ partner, intentId }: Named): string {
  return `/payments/${partner.partner_id}/${intentId}`;
}

function backToPage(response: ServerResponse, named: Named, status: number): void {
  redirect(response, status === 200 ? pageOf(named) : `${pageOf(named)}?refused=${status}`);
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location }).end();
}
