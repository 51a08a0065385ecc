// `payctl partners set`: what a partner was registered with, replaced in one transaction. An option that is not given
// leaves what is there.
import type { Database, Queryable } from '../../postgres/database';
import type { SecretSeal } from '../../signing/sealed-secret';
import { changeDirectory } from './directory-change';
import { requirePartner } from './known-partner';
import { recordAction, type Operator } from '../audit-trail';
import { checkSettings, type PartnerEnvironment, type PartnerSettings } from './options';
import { rejectDuplicate, writeSettings } from './rows';
import {
  findPartnerStory,
  settingsShown,
  type PartnerSettingsShown,
  type PartnerStory,
} from './story';
import { Rejection } from '../rejection';

export interface PartnerChanges extends PartnerSettings {
  readonly partnerId: string;
  readonly env?: PartnerEnvironment | undefined;
}

/**
 * A `partners` member of architecture, section 7, without the secrets that were shown when they were made; then the
 * settings as they stand now.
 */
export interface ChangedPartner
  extends PartnerSettingsShown, Pick<PartnerStory, 'partner_id' | 'issuer' | 'webhook_endpoint'> {
  /** The newest active key; null when all are revoked. */
  readonly key_id: string | null;
  readonly signing_secret: null;
  /** Of an endpoint that this call made; shown this once. */
  readonly webhook_secret: string | null;
  /** Which of the settings this call was given, by their names here. */
  readonly given: readonly string[];
}

interface SetTools {
  readonly database: Database;
  readonly seal: SecretSeal;
  /** PARTNER_NETWORKS, for partners of the sandbox. */
  readonly networks?: readonly string[] | undefined;
}

/** @throws Rejection when the partner is unknown, an option is not acceptable, or an issuer is taken. */
export async function setPartner(
  { database, seal, networks }: SetTools,
  { partnerId, ...changes }: PartnerChanges,
  operator: Operator,
): Promise<ChangedPartner> {
  const set = async (connection: Queryable) => {
    const environment = await requirePartner(connection, partnerId);
    rejectOtherEnvironment(partnerId, environment, changes);
    const settings = checkSettings(changes, { environment, networks });
    const secret = await writeSettings(connection, { partnerId, environment, seal }, settings);
    const given = Object.entries(settings).flatMap(([name, value]) =>
      value === undefined ? [] : [name],
    );
    await recordAction(connection, {
      ...operator,
      action: 'partners set',
      partnerId,
      details: given.join(', ') || 'nothing',
    });
    return toChanged(await findPartnerStory(connection, partnerId), secret, given);
  };
  return changeDirectory(database, set).catch((error: unknown) =>
    rejectDuplicate(error, { name: partnerId, jwksUrl: changes.jwksUrl }),
  );
}

function rejectOtherEnvironment(
  partnerId: string,
  environment: PartnerEnvironment,
  { env = environment }: Pick<PartnerChanges, 'env'>,
): void {
  if (env === environment) return;
  throw new Rejection(
    `Partner ${partnerId} belongs to ${environment} for good, and so do its keys: for ${env}, create a partner there.`,
  );
}

function toChanged(
  story: PartnerStory,
  webhookSecret: string | null,
  given: readonly string[],
): ChangedPartner {
  const active = story.keys.filter(({ status }) => status === 'active');
  return {
    partner_id: story.partner_id,
    key_id: active.at(-1)?.key_id ?? null,
    signing_secret: null,
    issuer: story.issuer,
    ...settingsShown(story),
    webhook_endpoint: story.webhook_endpoint,
    webhook_secret: webhookSecret,
    given,
  };
}
