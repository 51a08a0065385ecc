// Where the text of a code goes, from whichever way it came.

export interface CodeTaker {
  /** A text that was scanned or pasted. */
  readonly take: (text: string) => void;
  /** Something else to tell; an empty text takes back what was told before. */
  readonly tell: (text: string) => void;
}
