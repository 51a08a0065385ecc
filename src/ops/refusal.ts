// Commands that are not carried out: payctl prints the sentence and exits 1, or 2 when no state of the system could make
// the option acceptable (docs/operations.md).

/** Understood and refused, for how things stand. */
export class Refusal extends Error {
  override name = 'Refusal';
}

/** The value of an option is invalid, whatever the system holds. */
export class BadOption extends Refusal {
  override name = 'BadOption';
}
