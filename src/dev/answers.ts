// Asks every address of the system once before it is told to anybody.
import type { Sandbox } from './sandbox-file';
import { StartError } from './start-error';

const ANSWER_WITHIN_MS = 5_000;

/**
 * @param workerMetrics not in the sandbox's file, whose members other programs know
 * @throws StartError that names the address which does not answer
 */
export async function everyAddressAnswers(sandbox: Sandbox, workerMetrics: string): Promise<void> {
  const addresses = [
    `${sandbox.base_url}/readyz`,
    `${sandbox.checkout_url}/flow/any/scan`,
    sandbox.metrics_url,
    workerMetrics,
    `${sandbox.provider_url}/journal`,
    `${sandbox.provider_url}/docs`,
    ...sandbox.partners.flatMap((partner) => [partner.jwks_url, partner.webhook_inbox_url]),
    ...(sandbox.temporal_ui_url === '' ? [] : [sandbox.temporal_ui_url]),
  ];
  await Promise.all(addresses.map(demandAnswer));
}

async function demandAnswer(address: string): Promise<void> {
  const said = await fetch(address, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.ok ? undefined : `answered ${String(answer.status)}`;
    },
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  if (said === undefined) return;
  throw new StartError(`${address} does not serve (${said}): see .local/logs for why.`);
}
