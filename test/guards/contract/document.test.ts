// api/openapi.yaml has the names and limits of the code. That it is valid, and that examples of
// parameters match their schemas, is shown by the linters of `npm run test:contract`.
import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toErrorReply } from '../../../api/errors';
import { CORRIDORS } from '../../../src/corridors/names';
import { DomainError, ERROR_CODES } from '../../../src/domain/errors';
import * as limits from '../../../src/domain/limits';
import { INTENT_STATUSES } from '../../../src/domain/intents/payment-intent';
import { WEBHOOK_EVENT_TYPES } from '../../../src/domain/webhooks/event';
import {
  CONTRACT,
  CONTRACT_FILE,
  answerOf,
  exampleOf,
  headerOf,
  schemaErrorOf,
  OPERATIONS,
  webhookMedia,
  type Media,
  type Schema,
} from '../../support/contract/contract-document';

const { components, info } = CONTRACT;
const schema = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

function vectors(name: string): unknown {
  return JSON.parse(readFileSync(join(__dirname, '../../vectors', name), 'utf8'));
}

it('is in openapi.json too, without the aliases of YAML', () => {
  const text = readFileSync(join(__dirname, '../../../api/openapi.json'), 'utf8');
  expect(JSON.parse(text)).toEqual(CONTRACT);
});

it('has the version of the contract', () => {
  expect(info.version).toBe('1.0.0');
});

describe('the operations', () => {
  it('are the four of protocol 5.1, with their names, paths and credentials', () => {
    const kinds = (security: (typeof OPERATIONS)[number]['security']) =>
      security.map((one) => Object.keys(one).join());
    const signed = 'SigningKeyId,SigningTimestamp,SigningNonce,SigningSignature';
    expect(OPERATIONS.map((o) => [o.operationId, o.method, o.path, kinds(o.security)])).toEqual([
      ['createPaymentIntent', 'POST', '/v1/payment_intents', [signed]],
      ['getPaymentIntent', 'GET', '/v1/payment_intents/{intent_id}', [signed, 'SessionToken']],
      ['confirmPaymentIntent', 'POST', '/v1/payment_intents/{intent_id}/confirm', ['SessionToken']],
      ['cancelPaymentIntent', 'POST', '/v1/payment_intents/{intent_id}/cancel', [signed]],
    ]);
  });

  it.each(OPERATIONS)('$operationId: every answer has a request id and a date', ({ responses }) => {
    for (const documented of Object.values(responses)) {
      const { headers = {} } = answerOf(documented);
      const needed = ['X-Request-Id', 'Date'].map((name) => headerOf(headers[name]));
      expect(needed.map(({ required }) => required)).toEqual([true, true]);
    }
  });

  it.each(OPERATIONS)(
    '$operationId: every 429 and 503 has Retry-After, and no other answer',
    (operation) => {
      const withRetryAfter = Object.entries(operation.responses).filter(
        ([, documented]) => 'Retry-After' in (answerOf(documented).headers ?? {}),
      );
      const temporary = Object.keys(operation.responses).filter((status) =>
        ['429', '503'].includes(status),
      );
      expect(withRetryAfter.map(([status]) => status)).toEqual(temporary);
    },
  );
});

describe('the names', () => {
  it('of corridors, statuses and events are those of the code', () => {
    const valuesOf = (name: string) => components.schemas[name]?.enum;
    expect(valuesOf('Corridor')).toEqual(CORRIDORS);
    expect(valuesOf('IntentStatus')).toEqual(INTENT_STATUSES);
    expect(Object.keys(CONTRACT.webhooks)).toEqual(WEBHOOK_EVENT_TYPES);
    expect(components.schemas['PaymentIntentEvent']?.properties?.['type']?.enum).toEqual(
      WEBHOOK_EVENT_TYPES,
    );
  });

  it('of the headers of a webhook are those of its parameters, each with its type for Python', () => {
    const { properties = {}, required } = components.schemas['WebhookHeaders'] ?? {};
    expect(required).toEqual(Object.keys(properties));
    for (const type of WEBHOOK_EVENT_TYPES) {
      const { parameters = [], requestBody } = CONTRACT.webhooks[type]?.post ?? {};
      const headers = parameters.map(headerOf);
      expect(Object.fromEntries(headers.map(({ name, schema }) => [name, schema]))).toEqual(
        properties,
      );
      expect(headers.map((header) => header['x-py-typing'])).toEqual(
        headers.map((header) => (header.schema.type === 'integer' ? 'StrictInt' : 'StrictStr')),
      );
      expect(requestBody?.['x-py-typing']).toBe('PaymentIntentEvent');
    }
  });

  it.each(ERROR_CODES)(
    'of the error %s are those that the API answers, with its status',
    (code) => {
      const reply = toErrorReply(new DomainError(code), 'flat', 'req_1');
      const { error } = JSON.parse(reply.body) as { readonly error: string };
      const answers = OPERATIONS.flatMap(({ responses }) => responses[String(reply.status)] ?? []);
      expect(answers.length).toBeGreaterThan(0);
      for (const answer of answers) {
        const media = answerOf(answer).content?.['application/json'];
        expect(media?.['x-narrowed-to']?.properties).toEqual({ error: { const: error } });
      }
      expect(components.schemas['ErrorCode']?.enum).toContain(error);
      expect(info.description).toContain(`| ${String(reply.status)} | \`${error}\` |`);
    },
  );
});

describe('the limits', () => {
  it('of the schemas are those of the code', () => {
    const { UsdCents, CreateIntentRequest, ConfirmRequest } = components.schemas;
    expect(UsdCents).toMatchObject({
      minimum: limits.AMOUNT_MIN_USD_CENTS,
      maximum: limits.AMOUNT_MAX_USD_CENTS,
    });
    expect(CreateIntentRequest?.properties?.['partner_user_id']).toMatchObject({
      minLength: 1,
      maxLength: limits.PARTNER_USER_ID_MAX_CHARACTERS,
    });
    expect(ConfirmRequest?.properties?.['qr_payload']?.maxLength).toBe(limits.QR_PAYLOAD_MAX_BYTES);
    expect(components.parameters['IdempotencyKey']?.schema).toMatchObject({
      minLength: 1,
      maxLength: limits.IDEMPOTENCY_KEY_MAX_CHARACTERS,
    });
  });

  it("of a session token's texts are those of the code", () => {
    const claims = components.schemas['SessionTokenClaims']?.properties;
    const { method } = claims?.['service:kyc_attestation']?.properties ?? {};
    const texts = [claims?.['iss'], claims?.['sub'], claims?.['jti'], method];
    const length = { minLength: 1, maxLength: limits.TOKEN_TEXT_MAX_CHARACTERS };
    expect(texts).toEqual(texts.map(() => expect.objectContaining(length) as unknown));
  });

  it.each<[string, RegExp]>([
    [
      'confirm',
      /confirm a payment intent description: \| \*\*In production the scanned code, `qr_payload`, is required:\*\*/i,
    ],
    ['cancel', /Cancels a `created` intent\..*answered 409/],
    ['repeating', /The same signed bytes sent twice are answered 401/],
  ])('of %s are where it is described', (_name, sentence) => {
    expect(readFileSync(CONTRACT_FILE, 'utf8').replaceAll(/\s+/g, ' ')).toMatch(sentence);
  });

  it('of the table are those of the code, each with its unit', () => {
    const rows = [...info.description.matchAll(/^\| (.+?) +\| (\d+) (.+?) +\|$/gm)];
    expect(rows.map(([, what, number, unit]) => [what, Number(number), unit])).toEqual([
      ['Amount, smallest', limits.AMOUNT_MIN_USD_CENTS, 'USD cents'],
      ['Amount, largest', limits.AMOUNT_MAX_USD_CENTS, 'USD cents'],
      ['`partner_user_id`', limits.PARTNER_USER_ID_MAX_CHARACTERS, 'characters'],
      ['`Idempotency-Key`', limits.IDEMPOTENCY_KEY_MAX_CHARACTERS, 'characters'],
      ['`qr_payload`', limits.QR_PAYLOAD_MAX_BYTES, 'bytes'],
      ['Clock difference of a signed request', limits.TIMESTAMP_SKEW_MAX_SECONDS, 'seconds'],
      ['Lifetime of a session token', limits.TOKEN_LIFETIME_MAX_SECONDS, 'seconds'],
      ['Age of a session token (`iat`)', limits.TOKEN_AGE_MAX_SECONDS, 'seconds'],
      ["`iat` ahead of the server's clock", limits.TOKEN_ISSUED_AHEAD_MAX_SECONDS, 'seconds'],
      ["`nbf` ahead of the server's clock", limits.TOKEN_NOT_BEFORE_AHEAD_MAX_SECONDS, 'seconds'],
      ["Attestation ahead of the server's clock", limits.ATTESTED_AHEAD_MAX_SECONDS, 'seconds'],
      ['Session token', limits.TOKEN_MAX_CHARACTERS, 'characters'],
      ['`iss`, `sub`, `jti`, `method`', limits.TOKEN_TEXT_MAX_CHARACTERS, 'characters'],
      ['`kid`', limits.KID_MAX_CHARACTERS, 'characters'],
      ['Session key, smallest modulus', limits.RSA_MODULUS_MIN_BITS, 'bits'],
      ['Session key, largest modulus', limits.RSA_MODULUS_MAX_BITS, 'bits'],
      ['Keys of a key set', limits.KEY_SET_KEYS_MAX, 'keys'],
      ['Key set', limits.KEY_SET_MAX_BYTES, 'bytes'],
      ['Answer with a key set', limits.KEY_SET_TIMEOUT_MS, 'milliseconds'],
      ['Key set cached', limits.KEY_SET_FRESH_SECONDS, 'seconds'],
      ['Active signing keys', limits.ACTIVE_SIGNING_KEYS_MAX, 'keys'],
      ['Body of a request', limits.BODY_MAX_BYTES, 'bytes'],
      ['Headers of a request, together', limits.HEADER_MAX_BYTES, 'bytes'],
      ['Chunks of a body', limits.BODY_CHUNKS_MAX, 'chunks'],
      ['Levels of a JSON body', limits.JSON_DEPTH_MAX, 'levels'],
      [
        'Requests ahead of their answers, on one connection',
        limits.PIPELINED_REQUESTS_MAX,
        'requests',
      ],
      ['Life of an unconfirmed intent', limits.INTENT_TTL_DEFAULT_SECONDS, 'seconds'],
      ['Wait of a confirm for the outcome', limits.CONFIRM_WAIT_DEFAULT_MS, 'milliseconds'],
      ['Answer to a webhook', limits.WEBHOOK_ATTEMPT_TIMEOUT_MS, 'milliseconds'],
    ]);
  });
});

describe('the examples', () => {
  const mediaOf = (content: Readonly<Record<string, Media>> | undefined) =>
    Object.values(content ?? {});
  const ofOperations = OPERATIONS.flatMap(({ requestBody, responses }) => [
    ...mediaOf(requestBody?.content),
    ...Object.values(responses).flatMap((one) => mediaOf(answerOf(one).content)),
  ]);
  const ofWebhooks = WEBHOOK_EVENT_TYPES.flatMap((type) => webhookMedia(type) ?? []);

  it('match their schemas', () => {
    const checked = [...ofOperations, ...ofWebhooks].flatMap((media) =>
      Object.values(media.examples ?? {}).flatMap((example) => {
        const value = exampleOf(example);
        return [media.schema, media['x-narrowed-to'] ?? {}].map((one) => schemaErrorOf(one, value));
      }),
    );
    expect(checked.length).toBeGreaterThan(50);
    expect(checked.filter((mistake) => mistake !== undefined)).toEqual([]);
  });

  it('of a signature is right', () => {
    const text = String(components.securitySchemes['SigningSignature']?.description);
    const found = (pattern: RegExp) => String(pattern.exec(text)?.[1]);
    const [secret, body] = [found(/signing secret +(\S+)/), found(/body +(\{.*\})/)];
    const canonical = found(/canonical request\n([\s\S]*?)\n\n/);
    const signature = found(/^signature +(\S+)$/m);
    expect(canonical.split('\n').at(-1)).toBe(createHash('sha256').update(body).digest('hex'));
    expect(createHmac('sha256', secret).update(canonical).digest('base64')).toBe(signature);
  });

  it('of a webhook is the one of the published vectors', () => {
    const example = (name: string) => components.parameters[name]?.example;
    const { webhooks } = vectors('signing.json') as {
      readonly webhooks: readonly Readonly<Record<string, string>>[];
    };
    const [captured] = webhooks;
    expect(captured).toMatchObject({
      id: example('WebhookId'),
      timestamp: String(example('WebhookTimestamp')),
      signature: example('WebhookSignature'),
      body: JSON.stringify(components.examples['CapturedEvent']?.value),
    });
    expect(components.parameters['WebhookSignature']?.description).toContain(captured?.['secret']);
  });

  it('of a session token are the claims of the token `good` in the published vectors', () => {
    const { tokens } = vectors('session-token.json') as {
      readonly tokens: readonly { readonly name: string; readonly payload: string }[];
    };
    const good = tokens.find(({ name }) => name === 'good')?.payload ?? '';
    const { examples } = components.schemas['SessionTokenClaims'] as { examples: unknown[] };
    expect(examples).toEqual([JSON.parse(good)]);
    expect(schemaErrorOf(schema('SessionTokenClaims'), examples[0])).toBeUndefined();
  });
});
