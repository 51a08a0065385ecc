// The installation that a Temporal namespace belongs to (decision 128). The first worker claims the
// namespace: it starts the restore watch, whose memo names the installation. Others compare.
import type { Client, WorkflowClientInterceptor } from '@temporalio/client';
import { decodeMapFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import { RESTORE_WATCH_ID } from '../../workflows/messages/messages';
import { ConfigError } from '../domain/errors';
import { hasGrpcCode } from './grpc-codes';
import { ensureRestoreWatch } from './starts';

const REMEDY =
  'Set TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and TEMPORAL_PAYLOAD_KEYS to those of this installation, or DATABASE_URL and INSTALLATION_KEY to those of the other (docs/operations.md, "A namespace of one installation").';

/**
 * Reads what a claim of this process names, of which nothing is secret: environment, id of the
 * database, baseline, and what is derived from INSTALLATION_KEY if the process has it. Called only
 * in a namespace that is claimed. Undefined before a migration has run.
 */
type ReadOwn = () => Promise<{ readonly baseline: string | null } | undefined>;

/**
 * A claim that cannot be decrypted is another installation's. A namespace without a claim is free.
 * @returns whether the restore watch is running, with our claim
 * @throws ConfigError if the namespace is another installation's, another error if that is unknown
 */
export async function verifyNamespace(client: Client, readOwn: ReadOwn): Promise<boolean> {
  const namespace = `The Temporal namespace ${client.options.namespace}`;
  const watch = await describeRestoreWatch(client);
  if (watch === undefined) return false;
  const { isOpen, claim } = watch;
  if (claim === null) {
    throw new ConfigError(
      `${namespace} belongs to another installation: its claim cannot be read with TEMPORAL_PAYLOAD_KEYS. ${REMEDY}`,
    );
  }
  const { baseline, ...own } = (await readOwn()) ?? { baseline: claim['baseline'], database: null };
  if (isOpen && claim['baseline'] !== baseline) {
    throw new ConfigError(
      `${namespace} has open workflows of an earlier baseline, from before 0.1.0, which this build cannot continue, and nothing was changed. Begin anew with an empty Temporal namespace and an empty database; after npm start both are in .local: move that folder away.`,
    );
  }
  const differences = Object.entries(own)
    .filter(([name, here]) => claim[name] !== here)
    .map(([name, here]) => `${name} ${String(claim[name])}, here ${String(here)}`);
  if (differences.length === 0) return isOpen;
  throw new ConfigError(
    `${namespace} belongs to another installation: ${differences.join('; ')}. ${REMEDY}`,
  );
}

/** Claims the namespace unless it is claimed. @throws as {@link verifyNamespace} */
export async function claimNamespace(client: Client, readOwn: ReadOwn): Promise<void> {
  // A watch that an operator has ended still claims the namespace.
  if (await verifyNamespace(client, readOwn)) return;
  await ensureRestoreWatch(client, { ...(await readOwn()) });
  // Of two first workers at once, one has started the watch.
  await verifyNamespace(client, readOwn);
}

/** Undefined without a watch or without a namespace; the claim is null if it is unreadable. */
async function describeRestoreWatch(client: Client) {
  const { namespace, loadedDataConverter } = client.options;
  const execution = { workflowId: RESTORE_WATCH_ID };
  try {
    const watch = await client.workflowService.describeWorkflowExecution({ namespace, execution });
    const { closeTime, memo } = watch.workflowExecutionInfo ?? {};
    const reading = decodeMapFromPayloads<string>(loadedDataConverter, memo?.fields ?? {});
    return {
      isOpen: !closeTime,
      claim: await reading.then(
        (read) => read ?? {},
        () => null,
      ),
    };
  } catch (error) {
    if (hasGrpcCode(error, 'NOT_FOUND')) return undefined;
    throw error;
  }
}

/** Every call waits for the first comparison, and fails until one has succeeded. */
export function afterComparison(compare: () => Promise<unknown>): WorkflowClientInterceptor {
  let isCompared = false;
  const after = async <Input, Output>(input: Input, next: (input: Input) => Promise<Output>) => {
    if (!isCompared) await compare();
    isCompared = true;
    return next(input);
  };
  return {
    ...{ startWithDetails: after, signalWithStart: after, startUpdateWithStart: after },
    ...{ startUpdate: after, signal: after, describe: after },
  };
}
