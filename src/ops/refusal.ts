// A command that is understood and refused: payctl prints the sentence and exits 1 (architecture, section 7).

export class Refusal extends Error {
  override name = 'Refusal';
}
