// The settings that `npm start` reads from the environment. All other variables are passed on to
// the processes unread.
import { z } from 'zod';
import { withoutEmpty, type Environment } from '../../config/values';
import { StartError } from './start-error';

const port = z.coerce.number().int().min(0).max(65_535).optional();

const schema = z.object({
  /** Any free port for each that is not named. */
  PORTS: z.literal('free').optional(),
  PORT: port,
  METRICS_PORT: port,
  PROVIDER_PORT: port,
  PARTNER_PORT: port,
  TEMPORAL_PORT: port,
  TEMPORAL_UI_PORT: port,
  POSTGRES_PORT: port,
  WORKER_METRICS_PORT: port,
  /** A running Temporal server to use; none is started then. */
  TEMPORAL_ADDRESS: z.string().optional(),
  /** The address of that server's web UI. */
  TEMPORAL_UI_URL: z.string().optional(),
  TEMPORAL_NAMESPACE: z.string().optional(),
  PAYOUT_UNKNOWN_SECONDS: z.string().default('15'),
});

export type Settings = z.infer<typeof schema>;

/** @throws StartError that names the variable */
export function readSettings(environment: Environment): Settings {
  const parsed = schema.safeParse(withoutEmpty(environment));
  if (parsed.success) return parsed.data;
  const names = parsed.error.issues.map((issue) => issue.path.join('.'));
  throw new StartError(
    names.includes('PORTS')
      ? 'PORTS must be free, which takes any free port for each.'
      : `${names.join(' and ')} must be a port number, 0 to 65535 (0 takes any free one).`,
  );
}
