// Who does it, for the audit trail (docs/operations.md): the name given with --as, or that of the system user.
import { userInfo } from 'node:os';
import {
  isOperatorName,
  isReason,
  REASON_MAX_CHARACTERS,
  RESERVED_ACTORS,
} from '../domain/operator';
import type { Operator } from './audit-trail';
import { BadOption } from './rejection';
import { option, required } from './verb';

export const AS = option(
  '--as <name>',
  'who you are, for the audit trail; the system user unless given',
);

/** Said of every text that is kept: nobody takes a word out of either again. */
export const KEPT = 'kept in the audit trail: no personal data';
/** Of what a payment's run is told: its history has it too (architecture, section 3, "Legibility and budget"). */
export const KEPT_IN_TEMPORAL_TOO = 'kept in the audit trail and in Temporal: no personal data';

const REASON_TEXT = ['--reason <text>', `why; ${KEPT}`] as const;
export const REASON = option(...REASON_TEXT);
export const REASON_REQUIRED = required(...REASON_TEXT);

export interface OperatorOptions {
  readonly as?: string | undefined;
  readonly reason?: string | undefined;
}

export interface ReasonedOptions extends OperatorOptions {
  readonly reason: string;
}

export interface ReasonedOperator extends Operator {
  readonly reason: string;
}

/** Who does it, and why if that was said. @throws BadOption */
export function operatorOf({ as, reason }: OperatorOptions): Operator {
  return {
    actor: operatorName(as),
    reason: reason === undefined ? null : checkReason('--reason', reason),
  };
}

/** The same of a command that asks for a reason. @throws BadOption */
export function reasonedOperatorOf({ as, reason }: ReasonedOptions): ReasonedOperator {
  return { actor: operatorName(as), reason: checkReason('--reason', reason) };
}

/** @throws BadOption when the name is invalid, or would pass for somebody who is no operator */
export function operatorName(given: string | undefined): string {
  const name = given ?? systemUser();
  if (isOperatorName(name)) return name;
  throw new BadOption(
    `--as ${name} is not a name for the audit trail: 1 to 64 letters, digits, spaces and . _ @ + -, and not ${RESERVED_ACTORS.join(', ')}.`,
  );
}

/** A container may run as a user that has no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch (error) {
    throw new BadOption('The system user has no name: say with --as who you are.', {
      cause: error,
    });
  }
}

/** @throws BadOption when the text is empty, too long for a history, or holds control characters */
export function checkReason(option: string, text: string): string {
  if (isReason(text)) return text;
  throw new BadOption(`${option} is one line of 1 to ${REASON_MAX_CHARACTERS} characters.`);
}
