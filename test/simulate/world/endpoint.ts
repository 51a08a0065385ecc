// The partner's webhook endpoint: stores the received webhooks, and may fail.
import type { WebhookPost, WebhookReply } from '../../../src/ports/webhooks';
import type { Received } from '../../chaos/report/evidence';
import type { Choices } from '../run/choices';
import type { Fibers } from './fibers';
import type { Fate } from './postgres';

const ANSWERS = ['', 'it answers 500', 'it is not reached', 'its answer is lost'] as const;
const KINDS = ['accepts everything', 'answers 410', 'answers 500'] as const;
const ATTEMPT_MS = 15_000;

const STATUS = { 'accepts everything': 204, 'answers 410': 410, 'answers 500': 500 } as const;

export class SimulatedEndpoint {
  readonly inbox: Received[] = [];
  readonly kind: (typeof KINDS)[number];

  private readonly partnerId: string;
  private readonly fibers: Fibers;
  private readonly choices: Choices;

  constructor(partnerId: string, fibers: Fibers, choices: Choices) {
    this.partnerId = partnerId;
    this.fibers = fibers;
    this.choices = choices;
    this.kind = choices.rareSetting('the endpoint', KINDS);
  }

  /** The endpoint for a process that can die before and after each attempt. */
  of(fate: Fate) {
    return {
      post: async (message: WebhookPost): Promise<WebhookReply> => {
        await this.fibers.sleep(1);
        await fate('endpoint.post begins');
        const reply = await this.reply(message);
        await fate('endpoint.post ends');
        return reply;
      },
    };
  }

  private async reply({ eventId, body }: WebhookPost): Promise<WebhookReply> {
    const fate = this.choices.fault('endpoint.post', ANSWERS);
    const isReached = fate === '' || fate === 'its answer is lost';
    const status = isReached ? STATUS[this.kind] : 500;
    if (status === 204) this.inbox.push(this.read(eventId, body));
    if (fate === '' || fate === 'it answers 500') {
      return { status, retryAfter: undefined, excerpt: '' };
    }
    await this.fibers.sleep(ATTEMPT_MS);
    return { error: 'timeout after 15 s' };
  }

  /** Does not verify signatures: a life replaces the sender that makes them. */
  private read(webhookId: string, body: string): Received {
    const { type, data } = JSON.parse(body) as {
      readonly type: string;
      readonly data: {
        readonly intent_id: string;
        readonly status: string;
        readonly amount_usd_cents: number;
        readonly corridor: string;
      };
    };
    const { intent_id: intentId, status, amount_usd_cents: cents, corridor } = data;
    const event = { type, intentId, status, cents, corridor };
    return { partnerId: this.partnerId, webhookId, event, body };
  }
}
