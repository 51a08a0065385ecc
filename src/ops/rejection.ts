// Commands that are not carried out: payctl prints the sentence and exits 1, or 2 when no state of the system could make
// the option acceptable (docs/operations.md).

/** Understood and refused, for how things stand. */
export class Rejection extends Error {
  override name = 'Rejection';
}

/** The value of an option is invalid, whatever the system holds. */
export class BadOption extends Rejection {
  override name = 'BadOption';
}

/** A statement that cannot be read, or is not of this system, whatever the books say: nothing was compared. */
export class UnreadableStatement extends BadOption {
  override name = 'UnreadableStatement';

  constructor(line: number, why: string, options?: ErrorOptions) {
    super(
      `The statement cannot be read, line ${String(line)}: ${why} Nothing was compared and nothing was stored.`,
      options,
    );
  }
}

/** Carried out, and the books differ. */
export class DifferencesFound extends Rejection {
  override name = 'DifferencesFound';
}
