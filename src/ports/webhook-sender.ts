// Delivers one signed attempt (decision 18: Standard Webhooks).

export interface WebhookPost {
  readonly url: string;
  /** The `webhook-id`: the event's, the same on every attempt. */
  readonly eventId: string;
  /** The `webhook-timestamp`: of this attempt. */
  readonly sentAt: Date;
  readonly body: string;
  /** One signature is sent for each: two while a secret rotates. Never log them. */
  readonly secrets: readonly string[];
}

export type WebhookReply =
  | { readonly status: number; readonly retryAfter: string | undefined; readonly excerpt: string }
  /** No answer: a short text such as `timeout after 15 s` or `connection refused`. */
  | { readonly error: string };

export interface WebhookSender {
  /**
   * Signs and posts once: no redirects, bounded time and answer.
   * @throws only when the activity that sends it is cancelled, because its worker stops
   */
  post(message: WebhookPost): Promise<WebhookReply>;
}
