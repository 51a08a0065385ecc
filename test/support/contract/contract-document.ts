// Reads api/openapi.yaml for the tests: the document, its operations, and validators for any schema
// in it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import { readQrPayload } from '../../../src/domain/qr/payload';
import { isQrRejection } from '../../../src/domain/qr/rejection';

export const CONTRACT_FILE = join(__dirname, '..', '..', '..', 'api', 'openapi.yaml');

/** The parts of a JSON Schema that the tests use. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** A response's header, or a parameter. */
export interface Header {
  readonly name?: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: Schema;
  /** The type in Python (decision 143). */
  readonly 'x-py-typing'?: string;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, unknown>>;
}

export interface Media {
  readonly schema: Schema;
  /** A further restriction of the body (decision 115). */
  readonly 'x-narrowed-to'?: Schema;
  readonly examples?: Readonly<Record<string, unknown>>;
}

interface Content {
  readonly content?: Readonly<Record<string, Media>>;
}

export interface Answer extends Content {
  readonly headers?: Readonly<Record<string, unknown>>;
}

export interface Operation {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly unknown[];
  readonly requestBody?: Content & { readonly 'x-py-typing'?: string };
  readonly responses: Readonly<Record<string, unknown>>;
}

type PathItem = Readonly<Record<'get' | 'post', Operation | undefined>>;

interface ContractDocument {
  readonly openapi: string;
  readonly info: { readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly webhooks: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
    readonly securitySchemes: Readonly<Record<string, { readonly description: string }>>;
    readonly parameters: Readonly<Record<string, Header>>;
  };
}

export const CONTRACT = parse(readFileSync(CONTRACT_FILE, 'utf8')) as ContractDocument;

const ID = 'contract';
// Another test checks that the document is valid.
const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
addFormats(ajv);
ajv.addFormat('emvco-qr', (text: string) => !isQrRejection(readQrPayload(text)));
ajv.addSchema(CONTRACT, ID);

/** Caches each compiled schema. */
const compiled = new Map<string, ValidateFunction>();

/** The errors of the value by that schema of the contract; undefined for a valid value. */
export function schemaErrorOf(schema: Schema, value: unknown): string | undefined {
  const key = JSON.stringify(schema);
  const validate = compiled.get(key) ?? ajv.compile(inContract(schema));
  compiled.set(key, validate);
  return validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'body' });
}

/** Prefixes references, so that they point into the contract and not into the compiled schema. */
function inContract(schema: Schema): object {
  const text = JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${ID}#/`);
  return JSON.parse(text) as object;
}

export function answerOf(documented: unknown): Answer {
  return resolved(documented) as Answer;
}

export function headerOf(documented: unknown): Header {
  return resolved(documented) as Header;
}

export function schemaOf(documented: unknown): Schema {
  return resolved(documented) as Schema;
}

export function exampleOf(documented: unknown): unknown {
  return (resolved(documented) as { readonly value: unknown }).value;
}

/**
 * Follows a `$ref`. The caller casts the result, because the place in the document decides its
 * type.
 */
function resolved(thing: unknown): unknown {
  const { $ref } = thing as { readonly $ref?: string };
  if ($ref === undefined) return thing;
  const steps = $ref.replace('#/', '').split('/');
  const target = steps.reduce<unknown>(
    (inside, step) => (inside as Readonly<Record<string, unknown>>)[step],
    CONTRACT,
  );
  return resolved(target);
}

interface KnownOperation extends Operation {
  readonly method: 'GET' | 'POST';
  readonly path: string;
}

/** The four operations, in the order of the document. */
export const OPERATIONS: readonly KnownOperation[] = Object.entries(CONTRACT.paths).flatMap(
  ([path, { get, post }]) => [
    ...(get === undefined ? [] : [{ ...get, method: 'GET' as const, path }]),
    ...(post === undefined ? [] : [{ ...post, method: 'POST' as const, path }]),
  ],
);

/** The five webhooks by their event type. */
export function webhookMedia(type: string): Media | undefined {
  return CONTRACT.webhooks[type]?.post?.requestBody?.content?.['application/json'];
}
