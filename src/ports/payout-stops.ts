// The stop of all payouts, by operations or by what notices a restore (decision 127). What has been begun may still land; nothing
// new is sent until people allow it again.

export interface PayoutStops {
  areInForce(): Promise<boolean>;
  /** Answers whether that was new: not where the same actor has stopped them for the same reason already. */
  stop(stop: PayoutStopping): Promise<boolean>;
}

export interface PayoutStopping {
  readonly actor: string;
  readonly reason: string;
  /** Because a database was put back: it is ended only by who says that people have compared. */
  readonly isForRestore: boolean;
}
