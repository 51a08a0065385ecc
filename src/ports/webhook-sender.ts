// Delivers one signed attempt (decision 18: Standard Webhooks).

export interface WebhookPost {
  readonly url: string;
  /** The `webhook-id`, the same on every attempt. */
  readonly eventId: string;
  /** The `webhook-timestamp` of this attempt. */
  readonly sentAt: Date;
  readonly body: string;
  /** One signature is sent for each; two during a rotation. Never log them. */
  readonly secrets: readonly string[];
}

export type WebhookReply =
  | { readonly status: number; readonly retryAfter: string | undefined; readonly excerpt: string }
  /** No answer; a short text such as `timeout after 15 s`. */
  | { readonly error: string };

export interface WebhookSender {
  /**
   * Signs and posts once, without redirects, bounded in time and answer size.
   * @throws only if its activity is cancelled because the worker stops
   */
  post(message: WebhookPost): Promise<WebhookReply>;
}
