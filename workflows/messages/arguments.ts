// Checks the arguments of messages and starts. A handler that throws would fail its workflow task
// for ever, and accepted values go into the audit trail and the ledger (decision 131).
import { defaultPayloadConverter, rawValueTypeInfo, type RawValue } from '@temporalio/common';
import { ApplicationFailure, defineSignal, workflowInfo } from '@temporalio/workflow';
import { parsePartnerId } from '../../src/domain/ids';
import { isOperatorName, isReason } from '../../src/domain/operator';
import type { PaymentStart } from '../../src/domain/intents/payment-start';
import { MALFORMED, NOT_A_PAYMENT, paymentWorkflowId, type OperatorConfirm } from './messages';

type Members = Readonly<Record<string, unknown>>;

const JTI_HASH = /^[0-9a-f]{64}$/;
/** The latest instant of a Date. */
const INSTANT_MAX_MS = 8.64e15;

/** The signal with its raw argument: the SDK would fail the task if it could not decode it. */
export function undecoded({ name }: { readonly name: string }) {
  return defineSignal<[RawValue?]>(name, { typeInfo: { inputTypes: [rawValueTypeInfo] } });
}

/** Undefined if the argument is missing or cannot be decoded. */
export function decode(argument: RawValue | undefined): unknown {
  if (argument === undefined) return undefined;
  try {
    return defaultPayloadConverter.fromPayload(argument.payload);
  } catch {
    return undefined;
  }
}

/** Operator and reason without any other member, or undefined if one is missing. */
export function parseOperatorConfirm(argument: unknown): OperatorConfirm | undefined {
  const { actor, reason } = membersOf(argument);
  if (typeof actor !== 'string' || typeof reason !== 'string') return undefined;
  return isOperatorName(actor) && isReason(reason) ? { actor, reason } : undefined;
}

/** @throws ApplicationFailure `MalformedMessage`, which rejects an update */
export function requireConfirmRequest(argument: unknown): void {
  const { token, waitForOutcome } = membersOf(argument);
  const { partnerId, jtiHash, expiresAtMs, hasQrPayload = false } = membersOf(token);
  demand(typeof waitForOutcome === 'boolean' && isInstant(expiresAtMs));
  demand(typeof partnerId === 'string' && parsePartnerId(partnerId) !== undefined);
  demand(typeof jtiHash === 'string' && JTI_HASH.test(jtiHash));
  demand(typeof hasQrPayload === 'boolean');
}

/** @throws ApplicationFailure `MalformedMessage`, which rejects an update */
export function requireResolution(argument: unknown): void {
  const { outcome, actor, evidence, isProviderGone = false } = membersOf(argument);
  demand((outcome === 'paid' || outcome === 'declined') && typeof isProviderGone === 'boolean');
  requireClosing({ actor, evidence });
}

/** @throws ApplicationFailure `MalformedMessage`, which rejects an update */
export function requireClosing(argument: unknown): void {
  const { actor, evidence } = membersOf(argument);
  demand(typeof actor === 'string' && isOperatorName(actor));
  demand(typeof evidence === 'string' && isReason(evidence));
}

function isInstant(ms: unknown): boolean {
  return Number.isSafeInteger(ms) && Math.abs(Number(ms)) <= INSTANT_MAX_MS;
}

function membersOf(argument: unknown): Members {
  return typeof argument === 'object' && argument !== null ? (argument as Members) : {};
}

function demand(isSound: boolean): void {
  if (isSound) return;
  throw ApplicationFailure.nonRetryable(
    'The arguments of this message are malformed. Use the API or payctl to send it.',
    MALFORMED,
  );
}

const NUMBERS = ['amountUsdCents', 'createdAtMs', 'expiresAtMs'] as const;
const TEXTS = ['intentId', 'partnerId', 'corridor', 'status'] as const;

/**
 * Checks the input of a payment's workflow: `temporal workflow start` accepts any input.
 * @throws ApplicationFailure, which ends the workflow, if the input is not the payment of this
 * workflow id
 */
export function paymentStartOf(input: PaymentStart | undefined): PaymentStart {
  if (input !== undefined && isPaymentStart(input)) return input;
  throw ApplicationFailure.nonRetryable(
    `The input is not the payment of workflow ${workflowInfo().workflowId}. The service starts payments itself. No money was moved.`,
    NOT_A_PAYMENT,
  );
}

function isPaymentStart(input: PaymentStart): boolean {
  const members: Members = { ...input };
  return (
    NUMBERS.every((name) => Number.isSafeInteger(members[name])) &&
    TEXTS.every((name) => typeof members[name] === 'string') &&
    paymentWorkflowId(input.intentId) === workflowInfo().workflowId
  );
}
