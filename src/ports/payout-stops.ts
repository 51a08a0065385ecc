// The stop of all payouts, by operations or by what notices a restore (decision 127). What has been begun may still land; nothing
// new is sent until people allow it again.

export interface PayoutStops {
  areInForce(): Promise<boolean>;
  /** Answers whether it stopped anything: not where the same actor has stopped them for the same reason already. */
  stop(stop: { readonly actor: string; readonly reason: string }): Promise<boolean>;
}
