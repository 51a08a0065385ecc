// Partners for people: one row each, or all there is to see about one.
import { toNotedRow } from '../webhooks/endpoint-view';
import {
  notedTableLines,
  recordLines,
  section,
  tableLines,
  toTheSecond,
  WIDTH,
  type NotedRow,
} from '../layout';
import type { ListedAction } from '../audit-trail';
import type { ListedPartner, PartnerStory } from './story';
import type { ChangedPartner } from './set';

export function partnerListLines(partners: readonly ListedPartner[]): readonly string[] {
  if (partners.length === 0) return ['No partner is registered.'];
  return notedTableLines(
    partners.map(({ partner_id, environment, active_keys, webhook_endpoint, issuer }) => ({
      row: {
        partner: partner_id,
        env: environment,
        'active keys': active_keys,
        webhooks: webhook_endpoint,
      },
      notes: [`iss ${issuer}`],
    })),
  );
}

const SECTION_WIDTH = WIDTH - 2;

export function partnerStoryLines(story: PartnerStory): readonly string[] {
  const { keys, webhook_endpoint: endpoint, actions } = story;
  return [
    ...recordLines(headOf(story)),
    ...section('Keys', keys.length === 0 ? ['None.'] : tableLines(keys, SECTION_WIDTH)),
    ...section(
      'Webhooks',
      endpoint === null ? ['No endpoint.'] : notedTableLines([toNotedRow(endpoint)], SECTION_WIDTH),
    ),
    ...(actions.length === 0 ? [] : section('Done by operations', actionLines(actions))),
  ];
}

function headOf(story: PartnerStory) {
  return {
    partner: story.partner_id,
    environment: story.environment,
    registered: toTheSecond(story.created_at),
    issuer: story.issuer,
    'key set': story.jwks_url,
    networks: story.networks,
    'return schemes': story.return_schemes,
    'KYC at most': age(story.kyc_max_age_seconds),
    'sanctions at most': age(story.sanctions_max_age_seconds),
  };
}

function age(seconds: number | null): string {
  return seconds === null ? 'any age' : `${seconds} s old`;
}

function actionLines(actions: readonly ListedAction[]): readonly string[] {
  return notedTableLines(actions.map(toActionRow), SECTION_WIDTH);
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

/** As a `partners` member has it, then the settings as they stand now. */
export function changedPartnerLines(partner: ChangedPartner): readonly string[] {
  return recordLines({ ...partner, webhook_endpoint: partner.webhook_endpoint?.url ?? null });
}
