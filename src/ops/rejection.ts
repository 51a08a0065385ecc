// Errors that end a command. payctl prints their sentence and exits 1, or 2 if no state of the
// system could make the option acceptable.

/** The command is understood, but the current state of the system does not allow it. */
export class Rejection extends Error {
  override name = 'Rejection';
}

/** The value of an option is invalid in every state of the system. */
export class BadOption extends Rejection {
  override name = 'BadOption';
}

/** The statement cannot be read, or belongs to another system. */
export class UnreadableStatement extends BadOption {
  override name = 'UnreadableStatement';

  constructor(line: number, why: string, options?: ErrorOptions) {
    super(
      `The statement cannot be read, line ${String(line)}: ${why} Nothing was reconciled and nothing was stored.`,
      options,
    );
  }
}

/** The command was carried out, and the books differ. */
export class DifferencesFound extends Rejection {
  override name = 'DifferencesFound';
}
