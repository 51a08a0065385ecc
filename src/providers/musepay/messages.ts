// What MusePay sends. Codes, ids and amounts are numbers or texts there, so all are read as text.
import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import { PROVIDER_REFERENCE_MAX_CHARACTERS } from '../../domain/payouts/limits';
import type { OutboundReply } from '../../http/outbound';
import { isFromCache, isPlain, isWholeJson, jsonTextsIn } from '../exchange';
import { keyOf } from './requests';
import { isSigned } from './signature';

const text = z.string().max(PROVIDER_REFERENCE_MAX_CHARACTERS).nullish();
const number = text.refine((said) => said !== '');
const code = z.string().regex(/^\d{1,9}$/);

/** Submitting an order and querying it spell its number differently. */
const namesSchema = z
  .looseObject({ request_id: text, orderNo: number, order_no: number, status: code.nullish() })
  .transform((said) => ({ ...said, reference: said.orderNo ?? said.order_no ?? null }))
  .refine(({ order_no, reference }) => (order_no ?? reference) === reference);

const answerSchema = z.object({ code, data: namesSchema.nullish() });

export type Answer = z.infer<typeof answerSchema>;

/**
 * Undefined if the reply is not certainly one of MusePay: of a cache or gateway, cut, not JSON.
 * Answers need not have our id, so one from a cache may be about another request.
 */
export function answerIn(reply: OutboundReply): Answer | undefined {
  const isOwn = (reply.status === 200 || reply.status >= 400) && !isFromCache(reply);
  const isReadable = isOwn && isPlain(reply) && isWholeJson(reply);
  return isReadable ? answerSchema.safeParse(jsonTextsIn(reply.body)).data : undefined;
}

const callbackSchema = z.record(z.string(), z.string().nullable());

/** The status and the amounts are not read. Undefined unless it is signed and for this account. */
export function hintIn(body: Uint8Array, partnerId: string, publicKey: KeyObject) {
  const { data: members } = callbackSchema.safeParse(jsonTextsIn(body));
  if (members?.['partner_id'] !== partnerId || !isSigned(members, publicKey)) return undefined;
  const { data: names } = namesSchema.safeParse(members);
  return names && { key: keyOf(names.request_id ?? '') ?? null, reference: names.reference };
}
