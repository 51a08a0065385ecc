// The operator of a command, for the audit trail: the name given with --as, or the system user's.
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

export const AS = option('--as <name>', 'your name for the audit trail (default: the system user)');

/** Every text that is stored says so in its help, because it can never be removed again. */
export const STORED = 'stored in the audit trail: no personal data';
/** A workflow's history has these texts too (architecture, section 3, "Legibility and budget"). */
const STORED_IN_TEMPORAL_TOO = 'stored in the audit trail and in Temporal: no personal data';

const REASON_TEXT = ['--reason <text>', `why; ${STORED}`] as const;
export const REASON = option(...REASON_TEXT);
export const REASON_REQUIRED = required(...REASON_TEXT);

const WORKFLOW_REASON_TEXT = ['--reason <text>', `why; ${STORED_IN_TEMPORAL_TOO}`] as const;
export const WORKFLOW_REASON = option(...WORKFLOW_REASON_TEXT);
export const WORKFLOW_REASON_REQUIRED = required(...WORKFLOW_REASON_TEXT);
export const EVIDENCE = required('--evidence <text>', `how you know; ${STORED_IN_TEMPORAL_TOO}`);

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

/** The reason may be missing. @throws BadOption */
export function operatorOf({ as, reason }: OperatorOptions): Operator {
  return {
    actor: operatorName(as),
    reason: reason === undefined ? null : checkReason('--reason', reason),
  };
}

/** For a command that requires a reason. @throws BadOption */
export function reasonedOperatorOf({ as, reason }: ReasonedOptions): ReasonedOperator {
  return { actor: operatorName(as), reason: checkReason('--reason', reason) };
}

/**
 * In prod Postgres takes the name of the login instead.
 * @throws BadOption if the name is invalid, or the audit trail uses it for another actor
 */
export function operatorName(given: string | undefined): string {
  const name = given ?? systemUser();
  if (isOperatorName(name)) return name;
  if (given === undefined) return UNNAMED;
  throw new BadOption(
    `--as ${name} is not a name for the audit trail. Expected 1 to 64 letters, digits, spaces and . _ @ + -, and not ${RESERVED_ACTORS.join(', ')}.`,
  );
}

/** Of a system user without a name, as in some containers, or with a reserved one. */
const UNNAMED = 'unnamed';

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return '';
  }
}

/** @throws BadOption if the text is empty, too long for a history, or has control characters */
export function checkReason(option: string, text: string): string {
  if (isReason(text)) return text;
  throw new BadOption(`${option} must be one line of 1 to ${REASON_MAX_CHARACTERS} characters.`);
}
