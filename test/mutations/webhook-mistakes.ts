// Mistakes about webhooks: sent by two at once, never, for ever, elsewhere, or not as they were written (decisions 17 to 19).
import type { TestMutation } from './mutation';

export const WEBHOOK_MISTAKES: readonly TestMutation[] = [
  {
    name: 'a webhook is taken although another sends it',
    file: 'src/postgres/webhook-store.ts',
    find: '(v.leased_until is null or v.leased_until <= clock.now)',
    replace: '(v.leased_until is null or true)',
    tests: ['test/postgres/webhook-claim.test.ts'],
    mustFail: 'of an event that another worker sends says so, and gets it when that lease is over',
  },
  {
    name: 'a disabled endpoint is sent what was pending',
    file: 'src/postgres/webhook-store.ts',
    find: 'and e.disabled_at is null, clock',
    replace: ', clock',
    tests: ['test/postgres/webhook-claim.test.ts'],
    mustFail: 'leaves a disabled endpoint alone',
  },
  {
    name: 'the poller sends what the workflow of a payment is about to send',
    file: 'src/postgres/webhook-store.ts',
    find: ' and v.check_at <= clock.now`',
    replace: '`',
    tests: ['test/postgres/webhook-claim.test.ts'],
    mustFail:
      'gets no event whose own workflow is expected to send it, until that is late by a minute',
  },
  {
    name: 'more events than an endpoint has slots are sent to it at a time',
    file: 'src/domain/endpoint-slots.ts',
    find: 'if (count >= Math.min(limit, inUseMax)) return false;',
    replace: '',
    tests: ['test/domain/endpoint-slots.test.ts'],
    mustFail: 'gives no more slots of an endpoint than it has',
  },
  {
    name: 'a slot stays taken when the attempt could not be recorded',
    file: 'activities/webhooks.ts',
    find: '    } finally {\n      slots.release(partnerId);',
    replace: '      } finally {\n        if (partnerId === undefined) slots.release(partnerId);',
    tests: ['test/activities/webhooks.test.ts'],
    mustFail: 'the slot is free again when the event is not recorded',
  },
  {
    name: 'an attempt that reports late decides over the one that is under way',
    file: 'src/postgres/webhook-finish.ts',
    find: "when v.state <> 'owed' or v.lease is distinct from $2 then v.state",
    replace: "when v.state <> 'owed' then v.state",
    tests: ['test/postgres/webhook-finish.test.ts'],
    mustFail: 'and was not: it is counted, and the other decides',
  },
  {
    name: 'what happens while an endpoint is disabled is forgotten',
    file: 'src/postgres/transition-parts.ts',
    find: "join webhook_endpoints e on e.partner_id = m.partner_id\n     where 'payment_intent.'",
    replace:
      "join webhook_endpoints e on e.partner_id = m.partner_id and e.disabled_at is null\n     where 'payment_intent.'",
    tests: ['test/postgres/webhook-store.test.ts'],
    mustFail: 'is written as missed for a partner whose endpoint is disabled',
  },
  {
    name: 'the third 410 in a row disables nothing',
    file: 'src/postgres/webhook-finish.ts',
    find: 'e.gone_in_a_row + 1 >= ${',
    replace: 'e.gone_in_a_row + 1 > ${',
    tests: ['test/postgres/webhook-endpoint.test.ts'],
    mustFail: 'by the third 410 in a row, and says why',
  },
  {
    name: 'five days of failure disable nothing',
    file: 'src/postgres/webhook-finish.ts',
    find: 'e.failing_since <= clock.now - interval',
    replace: 'false and e.failing_since <= clock.now - interval',
    tests: ['test/postgres/webhook-endpoint.test.ts'],
    mustFail: 'once it has taken nothing for five days, and not before',
  },
  {
    name: 'a webhook is tried for ever',
    file: 'src/domain/webhook-schedule.ts',
    find: 'if (wait === undefined) return undefined;',
    replace: 'if (wait === undefined) return RETRY_AFTER_MAX_MS;',
    tests: ['test/domain/webhook-schedule.test.ts'],
    mustFail: 'is used up after 10 attempts, whatever the endpoint asks',
  },
  {
    name: 'a webhook is tried again after 410',
    file: 'activities/webhooks.ts',
    find: 'isDelivered || status === GONE ? null',
    replace: 'isDelivered ? null',
    tests: ['test/activities/webhooks.test.ts'],
    mustFail: 'at once when the endpoint answers 410, and nothing is thrown',
  },
  {
    name: 'each attempt of a webhook has an id of its own',
    file: 'src/http/webhook-sender.ts',
    find: "    'webhook-id': eventId,\n",
    replace: "    'webhook-id': `${eventId}.${timestamp}`,\n",
    tests: ['test/http/webhook-sender.test.ts'],
    mustFail:
      'carries the exact body with id, timestamp in whole seconds, and a signature per secret',
  },
  {
    name: 'the body of a webhook is written anew for each attempt',
    file: 'src/http/webhook-sender.ts',
    find: '          body: message.body,\n',
    replace:
      '          body: JSON.stringify({ ...JSON.parse(message.body), sent_at: message.sentAt }),\n',
    tests: ['test/http/webhook-sender.test.ts'],
    mustFail:
      'carries the exact body with id, timestamp in whole seconds, and a signature per secret',
  },
  {
    name: 'a redirect is followed',
    file: 'src/http/outbound.ts',
    find: 'return await exchange(agent, url, outgoing);',
    replace:
      "return await exchange(agent.compose(require('undici').interceptors.redirect({ maxRedirections: 3 })), url, outgoing);",
    tests: ['test/http/webhook-sender.test.ts'],
    mustFail: 'is not followed when it redirects',
  },
];
