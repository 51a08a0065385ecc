// Delivers one signed attempt (decision 18: Standard Webhooks).

export interface WebhookPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type WebhookReply =
  | { readonly status: number; readonly retryAfter: string | undefined; readonly excerpt: string }
  /** No answer: a short text such as `timeout after 15 s` or `connection refused`. */
  | { readonly error: string };

export interface WebhookSender {
  /** Posts once: no redirects, bounded time and answer. Never throws. */
  post(message: WebhookPost): Promise<WebhookReply>;
}
