// Decisions of operators: the one way in which `payctl` writes (decision 159). Postgres checks who
// decides, and whether another has approved, in the statement that takes effect.
import { systemCodeOf } from '../../domain/errors';
import { readOne, type Queryable } from '../database';

export interface Decision {
  /** The command, such as `accounts fund`. */
  readonly verb: string;
  /** Its arguments, as an approver sees them and as the effect compares them; never a secret. */
  readonly given: object;
  /** The name that was typed; it counts in the sandbox only. */
  readonly actor?: string;
  /** Secrets that it makes, in plain text and sealed (hexadecimal), by what they are. */
  readonly secrets?: object | undefined;
  readonly sealed?: Readonly<Record<string, string>>;
}

interface Decided<Effect> {
  readonly effect: Effect;
  /** Who asked for it, if another has approved it: its secrets were shown to that operator. */
  readonly asked_by: string | null;
}

/** Nothing was changed: somebody else has to approve it. */
export class ApprovalRequired extends Error {
  override name = 'ApprovalRequired';

  readonly decision: Decision;

  constructor(decision: Decision) {
    super(`"${decision.verb}" needs an approval`);
    this.decision = decision;
  }
}

/** Nothing was changed, and the approval is void: what it was about is no longer so. */
export class ApprovalVoid extends Error {
  override name = 'ApprovalVoid';
}

/** Postgres refuses, in a sentence for people. */
export class Refused extends Error {
  override name = 'Refused';
}

/**
 * @returns null if there was nothing to move, which needs no approval
 * @throws ApprovalRequired, ApprovalVoid, Refused; the violation of a constraint
 */
export async function decide<Effect extends object = object>(
  connection: Queryable,
  decision: Decision,
): Promise<Decided<Effect> | null> {
  const { verb, given, sealed, actor } = decision;
  const { decided } = await asking(decision, () =>
    readOne<{ readonly decided: Decided<Effect> | null }>(connection, {
      text: 'select decide($1, $2, $3, $4) as decided',
      values: [verb, JSON.stringify(given), sealed, actor],
    }),
  );
  return decided;
}

/** A new secret, or null if the command that asked for the decision has shown it. */
export function shownOnce(done: Decided<object> | null, secret: string): string | null {
  return done?.asked_by === null ? secret : null;
}

/**
 * For what a workflow carries out: its statement spends the approval.
 * @returns the name of the operator, for the workflow
 * @throws ApprovalRequired, ApprovalVoid, Refused
 */
export async function permit(connection: Queryable, decision: Decision): Promise<string> {
  const { verb, given, actor } = decision;
  const { operator } = await asking(decision, () =>
    readOne<{ readonly operator: string }>(connection, {
      text: 'select permitted($1, $2, $3) as operator',
      values: [verb, JSON.stringify(given), actor],
    }),
  );
  return operator;
}

/** @throws what the failure of a decision means */
export async function asking<Answer>(
  decision: Decision,
  work: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    switch (systemCodeOf(error)) {
      case REFUSED:
        throw new Refused(error instanceof Error ? error.message : String(error), { cause: error });
      case APPROVAL_REQUIRED:
        throw new ApprovalRequired(decision);
      case APPROVAL_VOID:
        throw new ApprovalVoid('what it acts on has changed since it was asked for');
      default:
        throw error;
    }
  }
}

/** The errors that the functions of the database raise on purpose. */
const REFUSED = 'PI001';
const APPROVAL_REQUIRED = 'PI004';
const APPROVAL_VOID = 'PI005';

/** Whether a statement moved nothing, because no valid approval permits an operator's decision. */
export function isNotPermitted(error: unknown): boolean {
  return [APPROVAL_REQUIRED, APPROVAL_VOID].includes(systemCodeOf(error));
}
