// Holds every answer that tests see to api/openapi.yaml: an undocumented status, header, member or shape fails the test that
// met it, whatever that test is about.
import {
  answerOf,
  headerOf,
  mistakeBy,
  OPERATIONS,
  webhookMedia,
  type Answer,
  type Header,
  type Media,
  type Operation,
  type Schema,
} from './contract-document';
import type { RawReply } from '../http/raw-http';

export interface Exchange {
  readonly method: string;
  /** As sent, its query string included. */
  readonly path: string;
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly text: string;
  /** What ERROR_ENVELOPE of the process says; flat unless told. */
  readonly envelope?: 'flat' | 'nested';
}

/** What HTTP itself puts on an answer, and no contract speaks of. */
const OF_HTTP = new Set([
  'connection',
  'content-length',
  'content-type',
  'keep-alive',
  'transfer-encoding',
]);

/** Paths that are not the partners': health, and the checkout with its status. */
const OUTSIDE = /^\/(healthz|readyz|flow)(\/|\?|$)/;

/** "An undocumented path or method is 404 in the usual envelope"; what is not HTTP is 400. */
const ELSEWHERE: Operation['responses'] = {
  '400': { $ref: '#/components/responses/ValidationFailed' },
  '404': { $ref: '#/components/responses/NotFound' },
};

/** @throws Error that names each way in which the answer is not what the contract says */
export function holdToContract(exchange: Exchange): void {
  const mistakes = mistakesIn(exchange);
  if (mistakes.length === 0) return;
  const { method, path, status, text } = exchange;
  const what = `${method} ${path.slice(0, 200)} was answered ${String(status)} ${text.slice(0, 500)}`;
  throw new Error(`Not in api/openapi.yaml: ${mistakes.join('; ')}. ${what}`);
}

/** Empty when the answer is what the contract says. */
export function mistakesIn(exchange: Exchange): readonly string[] {
  if (OUTSIDE.test(exchange.path)) return [];
  const documented = responsesFor(exchange)[String(exchange.status)];
  if (documented === undefined) return [`the status ${String(exchange.status)} is not documented`];
  const answer = answerOf(documented);
  return [...headerMistakes(exchange, answer), ...bodyMistakes(exchange, answer)];
}

/**
 * The same for answers to raw bytes: to the first as to its request, if that was one, and to those behind it as to any.
 * @throws Error likewise
 */
export function holdRawToContract(
  parts: readonly (string | Buffer)[],
  replies: readonly RawReply[],
  envelope: 'flat' | 'nested',
): void {
  const sent = Buffer.concat(parts.map((part) => Buffer.from(part))).toString('latin1');
  const [, method = 'GET', path = '*'] = /^([A-Z]+) (\S+) HTTP\/1\.1\r\n/.exec(sent) ?? [];
  replies.forEach(({ status, head, text }, index) => {
    const headers = head.split('\r\n').map((line) => {
      const [, name = line, value = ''] = /^([^:]+): *(.*)$/.exec(line) ?? [];
      return [name, value] as const;
    });
    const answer = { status, headers, text, envelope };
    if (index === 0) holdToContract({ method, path, ...answer });
    else holdToAnyOperation(answer);
  });
}

function holdToAnyOperation(answer: Omit<Exchange, 'method' | 'path'>): void {
  const asked = [...OPERATIONS, { method: 'GET', path: '*' }];
  const isExplained = asked.some((one) => mistakesIn({ ...one, ...answer }).length === 0);
  if (!isExplained) holdToContract({ method: 'GET', path: '*', ...answer });
}

/** HEAD is answered as GET is, without the body. */
function responsesFor({ method, path }: Exchange): Operation['responses'] {
  const [plain = ''] = path.split('?', 1);
  const asked = method === 'HEAD' ? 'GET' : method;
  const operation = OPERATIONS.find(
    (one) => one.method === asked && patternOf(one.path).test(plain),
  );
  return operation?.responses ?? ELSEWHERE;
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

function headerMistakes({ headers }: Exchange, answer: Answer): readonly string[] {
  const documented = new Map(
    Object.entries(answer.headers ?? {}).map(([name, header]) => [
      name.toLowerCase(),
      headerOf(header),
    ]),
  );
  const undocumented = headers
    .map(([name]) => name.toLowerCase())
    .filter((name) => !documented.has(name) && !OF_HTTP.has(name))
    .map((name) => `the header ${name} is not documented`);
  const wrong = [...documented].flatMap(([name, header]) => {
    const values = headers.filter(([sent]) => sent.toLowerCase() === name);
    return headerMistake(
      name,
      header,
      values.map(([, value]) => value),
    );
  });
  return [...undocumented, ...wrong];
}

function headerMistake(name: string, { required, schema }: Header, values: readonly string[]) {
  const [value] = values;
  if (value === undefined) return required === true ? [`the header ${name} is missing`] : [];
  if (values.length > 1) return [`the header ${name} comes more than once`];
  const mistake = mistakeBy(schema, schema.type === 'integer' ? Number(value) : value);
  return mistake === undefined ? [] : [`the header ${name} is ${value}: ${mistake}`];
}

function bodyMistakes(exchange: Exchange, { content }: Answer): readonly string[] {
  const type = headerIn(exchange, 'content-type') ?? 'none';
  const media = content?.[type.replace(/; charset=utf-8$/, '')];
  if (media === undefined) return [`the content type ${type} is not documented`];
  if (exchange.method === 'HEAD') return exchange.text === '' ? [] : ['there is a body'];
  const { parsed, isJson } = parseJson(exchange.text);
  if (!isJson) return ['the body is not JSON'];
  const schemas = exchange.envelope === 'nested' ? nested(media, exchange) : schemasOf(media);
  return schemas.flatMap((schema) => mistakeBy(schema, parsed) ?? []);
}

function headerIn({ headers }: Exchange, lowerCaseName: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === lowerCaseName)?.[1];
}

function schemasOf(media: Media): readonly Schema[] {
  const { schema, 'x-narrowed-to': narrower } = media;
  return narrower === undefined ? [schema] : [schema, narrower];
}

/** The same code inside the other envelope, with the id that the header has; what is no error is the same in both. */
function nested(media: Media, exchange: Exchange): readonly Schema[] {
  if (media.schema.$ref !== '#/components/schemas/ErrorEnvelope') return schemasOf(media);
  const code = media['x-narrowed-to']?.properties?.['error'] ?? {};
  const id = headerIn(exchange, 'x-request-id');
  return [
    { $ref: '#/components/schemas/NestedErrorEnvelope' },
    { properties: { error: { properties: { code, request_id: { const: id } } } } },
  ];
}

function parseJson(text: string): { readonly parsed: unknown; readonly isJson: boolean } {
  try {
    return { parsed: JSON.parse(text), isJson: true };
  } catch {
    return { parsed: undefined, isJson: false };
  }
}

/** The given `fetch`, with every answer held to the contract. */
export function heldToContract(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init);
    const url = new URL(input instanceof Request ? input.url : input);
    holdToContract({
      method: init?.method ?? 'GET',
      path: url.pathname + url.search,
      status: response.status,
      headers: [...response.headers],
      text: await response.clone().text(),
    });
    return response;
  };
}

/** Likewise, Node's own. */
export const contractFetch = heldToContract(fetch);

/** What a webhook carries besides what HTTP does. */
const WEBHOOK_HEADERS = ['WebhookId', 'WebhookTimestamp', 'WebhookSignature'];

/** @throws Error unless the webhook is one of the five, with their headers and payload */
export function holdWebhookToContract(webhook: {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}): void {
  const { parsed } = parseJson(webhook.body);
  const { type } = (parsed ?? {}) as { readonly type?: unknown };
  const media = webhookMedia(String(type));
  const ofBody = media && schemasOf(media).flatMap((schema) => mistakeBy(schema, parsed) ?? []);
  const ofHeaders = WEBHOOK_HEADERS.flatMap((key) => {
    const { name = key, ...header } = headerOf({ $ref: `#/components/parameters/${key}` });
    const value = webhook.headers[name];
    return headerMistake(name, header, value === undefined ? [] : [value]);
  });
  const mistakes = [...(ofBody ?? ['its type is not documented']), ...ofHeaders];
  if (mistakes.length === 0) return;
  throw new Error(`Not a webhook of api/openapi.yaml: ${mistakes.join('; ')}. ${webhook.body}`);
}
