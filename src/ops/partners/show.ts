// `payctl partners show`: everything about one partner but its secrets.
import { formatUsd } from '../../domain/money';
import type { ListedAction } from '../audit-trail';
import {
  notedTableLines,
  recordLines,
  section,
  tableOr,
  toTheSecond,
  WIDTH,
  type NotedRow,
} from '../layout';
import { keyRow } from '../keys/signing-keys';
import { verb } from '../verb';
import { toNotedRow } from '../webhooks/endpoint-view';
import { findPartnerStory, type PartnerStory } from './story';

export const show = verb('show <partner>', {
  does: 'Show what a partner is registered with, its keys, its webhook endpoint, and what operators changed. No secret is shown.',
  work(partnerId: string) {
    return ({ database }) => findPartnerStory(database, partnerId);
  },
  lines: partnerStoryLines,
});

const SECTION_WIDTH = WIDTH - 2;

function partnerStoryLines(story: PartnerStory): readonly string[] {
  const { keys, webhook_endpoint: endpoint, actions } = story;
  return [
    ...recordLines(headOf(story)),
    ...section('Keys', tableOr(keys.map(keyRow), 'None.', SECTION_WIDTH)),
    ...section(
      'Webhooks',
      endpoint === null ? ['No endpoint.'] : notedTableLines([toNotedRow(endpoint)], SECTION_WIDTH),
    ),
    ...(actions.length === 0
      ? []
      : section('Changed by operators', notedTableLines(actions.map(toActionRow), SECTION_WIDTH))),
  ];
}

function headOf(story: PartnerStory) {
  return {
    partner: story.partner_id,
    environment: story.environment,
    registered: toTheSecond(story.created_at),
    ...(story.suspended_at === null ? {} : { suspended: toTheSecond(story.suspended_at) }),
    issuer: story.issuer,
    'key set': story.jwks_url,
    networks: story.networks,
    'return schemes': story.return_schemes,
    'KYC at most': age(story.kyc_max_age_seconds),
    'sanctions at most': age(story.sanctions_max_age_seconds),
    'intents a second': story.intents_per_second ?? 'no limit',
    'at most a day': day(story),
    'shown to payers': story.display_name ?? '-',
    logo: story.logo_id === null ? '-' : `/flow/logos/${story.logo_id}.png`,
  };
}

function day({ usd_cents_per_day: limit, authorized_today_usd_cents: today }: PartnerStory) {
  return limit === null ? 'no limit' : `${formatUsd(limit)}; today ${formatUsd(today)}`;
}

function age(seconds: number | null): string {
  return seconds === null ? 'any age' : `${seconds} s old`;
}

function toActionRow({
  at,
  actor,
  action,
  event_id,
  events,
  reason,
  details,
}: ListedAction): NotedRow {
  return {
    row: { at: toTheSecond(at), actor, command: action, events },
    notes: [event_id, details, reason === null ? null : `because: ${reason}`].filter(
      (note) => note !== null,
    ),
  };
}
