// `payctl partners list`: all partners, with their keys and webhook endpoints in short.
import type { Queryable } from '../../postgres/database';
import { readPartners } from '../../postgres/partners/list';
import { notedTableLines } from '../layout';
import { verb } from '../verb';
import { endpointState, type ShownEndpoint } from '../webhooks/endpoint-view';
import { issuerOf } from '../../domain/issuers';

export const list = verb('list', {
  does: 'List the partners with their active keys and the state of their webhook endpoints.',
  work() {
    return ({ database }) => listPartners(database);
  },
  lines: partnerListLines,
});

/** The JSON shape that programs rely on. */
interface ListedPartner {
  readonly partner_id: string;
  readonly environment: string;
  readonly issuer: string;
  readonly jwks_url: string;
  readonly active_keys: number;
  readonly webhook_endpoint: 'none' | ShownEndpoint['state'];
}

export async function listPartners(database: Queryable): Promise<readonly ListedPartner[]> {
  return (await readPartners(database)).map((row) => ({
    partner_id: row.partner_id,
    environment: row.environment,
    issuer: issuerOf(row.jwks_url),
    jwks_url: row.jwks_url,
    active_keys: row.active_keys,
    webhook_endpoint: row.webhook_url === null ? 'none' : endpointState(row),
  }));
}

function partnerListLines(partners: readonly ListedPartner[]): readonly string[] {
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
