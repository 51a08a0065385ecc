// What waits for people or for a worker, in numbers: what operations are alarmed by (docs/operations.md).

export interface AttentionFigures {
  readonly needingAttention: Backlog;
  /** Authorized for more than a minute, by whether attention is raised. */
  readonly slowToSettle: { readonly told: number; readonly untold: number };
  /** Webhook events not delivered yet, by whether the partner's endpoint is enabled. */
  readonly owedEvents: { readonly enabled: Backlog; readonly disabled: Backlog };
}

export interface Backlog {
  /** Counted no further than ten thousand. */
  readonly count: number;
  /** The age of the oldest; 0 where there is none. */
  readonly oldestSeconds: number;
}

export interface AttentionWatch {
  /** One bounded statement. @throws when the database cannot tell. */
  read(): Promise<AttentionFigures>;
}
