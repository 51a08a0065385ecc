// Checks every answer in tests against api/openapi.yaml: an undocumented status, header, member or
// shape fails the test, whatever its subject.
import {
  answerOf,
  headerOf,
  schemaErrorOf,
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
  /** ERROR_ENVELOPE of the process; default flat. */
  readonly envelope?: 'flat' | 'nested';
}

/** Headers of HTTP itself, which the contract does not document. */
const OF_HTTP = new Set([
  'connection',
  'content-length',
  'content-type',
  'keep-alive',
  'transfer-encoding',
]);

/** Paths outside the partner contract: health, and the checkout with its status. */
const OUTSIDE = /^\/(healthz|readyz|flow)(\/|\?|$)/;

/** "An undocumented path or method is 404 in the usual envelope"; what is not HTTP is 400. */
const ELSEWHERE: Operation['responses'] = {
  '400': { $ref: '#/components/responses/ValidationFailed' },
  '404': { $ref: '#/components/responses/NotFound' },
};

/** @throws Error that lists all differences from the contract */
export function assertContract(exchange: Exchange): void {
  const errors = contractErrorsIn(exchange);
  if (errors.length === 0) return;
  const { method, path, status, text } = exchange;
  const what = `${method} ${path.slice(0, 200)} was answered ${String(status)} ${text.slice(0, 500)}`;
  throw new Error(`Not in api/openapi.yaml: ${errors.join('; ')}. ${what}`);
}

/** The differences from the contract; empty for a correct answer. */
export function contractErrorsIn(exchange: Exchange): readonly string[] {
  if (OUTSIDE.test(exchange.path)) return [];
  const documented = responsesFor(exchange)[String(exchange.status)];
  if (documented === undefined) return [`the status ${String(exchange.status)} is not documented`];
  const answer = answerOf(documented);
  return [...headerErrors(exchange, answer), ...bodyErrors(exchange, answer)];
}

/**
 * Checks answers to raw bytes: the first against its request, and further ones against any
 * operation.
 * @throws Error that lists all differences from the contract
 */
export function assertRawContract(
  parts: readonly (string | Buffer)[],
  replies: readonly RawReply[],
  envelope: 'flat' | 'nested',
): void {
  const sent = Buffer.concat(parts.map((part) => Buffer.from(part))).toString('latin1');
  const [, method = 'GET', path = '*'] =
    /^([A-Z]+) (?:https?:\/\/[^/?\s]+)?(\S+) HTTP\/1\.1\r\n/i.exec(sent) ?? [];
  replies.forEach(({ status, head, text }, index) => {
    const headers = head.split('\r\n').map((line) => {
      const [, name = line, value = ''] = /^([^:]+): *(.*)$/.exec(line) ?? [];
      return [name, value] as const;
    });
    const answer = { status, headers, text, envelope };
    if (index === 0) assertContract({ method, path, ...answer });
    else assertAnyOperation(answer);
  });
}

function assertAnyOperation(answer: Omit<Exchange, 'method' | 'path'>): void {
  const candidates = [...OPERATIONS, { method: 'GET', path: '*' }];
  const isDocumented = candidates.some(
    (one) => contractErrorsIn({ ...one, ...answer }).length === 0,
  );
  if (!isDocumented) assertContract({ method: 'GET', path: '*', ...answer });
}

/** HEAD has the responses of GET, without the body. */
function responsesFor({ method, path }: Exchange): Operation['responses'] {
  const [plain = ''] = path.split('?', 1);
  const candidates = method === 'HEAD' ? 'GET' : method;
  const operation = OPERATIONS.find(
    (one) => one.method === candidates && patternOf(one.path).test(plain),
  );
  return operation?.responses ?? ELSEWHERE;
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

function headerErrors({ headers }: Exchange, answer: Answer): readonly string[] {
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
    return headerError(
      name,
      header,
      values.map(([, value]) => value),
    );
  });
  return [...undocumented, ...wrong];
}

function headerError(name: string, { required, schema }: Header, values: readonly string[]) {
  const [value] = values;
  if (value === undefined) return required === true ? [`the header ${name} is missing`] : [];
  if (values.length > 1) return [`the header ${name} comes more than once`];
  const error = schemaErrorOf(schema, schema.type === 'integer' ? Number(value) : value);
  return error === undefined ? [] : [`the header ${name} is ${value}: ${error}`];
}

function bodyErrors(exchange: Exchange, { content }: Answer): readonly string[] {
  const type = headerIn(exchange, 'content-type') ?? 'none';
  const media = content?.[type.replace(/; charset=utf-8$/, '')];
  if (media === undefined) return [`the content type ${type} is not documented`];
  if (exchange.method === 'HEAD') return exchange.text === '' ? [] : ['there is a body'];
  const { parsed, isJson } = parseJson(exchange.text);
  if (!isJson) return ['the body is not JSON'];
  const schemas = exchange.envelope === 'nested' ? nested(media, exchange) : schemasOf(media);
  return schemas.flatMap((schema) => schemaErrorOf(schema, parsed) ?? []);
}

function headerIn({ headers }: Exchange, lowerCaseName: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === lowerCaseName)?.[1];
}

function schemasOf(media: Media): readonly Schema[] {
  const { schema, 'x-narrowed-to': narrower } = media;
  return narrower === undefined ? [schema] : [schema, narrower];
}

/**
 * Schemas for the nested envelope: an error has the same code and the request id of the header;
 * other bodies do not differ.
 */
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

/** Wraps `fetch` and checks every answer against the contract. */
export function withContractAssertions(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init);
    const url = new URL(input instanceof Request ? input.url : input);
    assertContract({
      method: init?.method ?? 'GET',
      path: url.pathname + url.search,
      status: response.status,
      headers: [...response.headers],
      text: await response.clone().text(),
    });
    return response;
  };
}

/** Node's `fetch` with contract checks. */
export const contractFetch = withContractAssertions(fetch);

/** The documented headers of a webhook. */
const WEBHOOK_HEADERS = ['WebhookId', 'WebhookTimestamp', 'WebhookSignature'];

/** @throws Error unless type, headers and payload are those of a documented webhook */
export function assertWebhookContract(webhook: {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}): void {
  const { parsed } = parseJson(webhook.body);
  const { type } = (parsed ?? {}) as { readonly type?: unknown };
  const media = webhookMedia(String(type));
  const ofBody = media && schemasOf(media).flatMap((schema) => schemaErrorOf(schema, parsed) ?? []);
  const ofHeaders = WEBHOOK_HEADERS.flatMap((key) => {
    const { name = key, ...header } = headerOf({ $ref: `#/components/parameters/${key}` });
    const value = webhook.headers[name];
    return headerError(name, header, value === undefined ? [] : [value]);
  });
  const errors = [...(ofBody ?? ['its type is not documented']), ...ofHeaders];
  if (errors.length === 0) return;
  throw new Error(`Not a webhook of api/openapi.yaml: ${errors.join('; ')}. ${webhook.body}`);
}
