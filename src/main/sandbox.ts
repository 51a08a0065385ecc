// Composition root of the sandbox: the payout provider and the partners' server in one process
// (architecture, section 6).
import { mkdir } from 'node:fs/promises';
import { readSandboxConfig } from '../config/config';
import { createLogger } from '../observe/logger';
import { createPartnerServer } from '../sandbox/partner';
import { createProviderServer } from '../sandbox/provider/server';
import { scheduleByTimer } from '../sandbox/schedule';
import { runProcess, type RunningProcess } from './process';

async function start(): Promise<RunningProcess> {
  const config = readSandboxConfig();
  await mkdir(config.SANDBOX_DIR, { recursive: true, mode: 0o700 });
  const deps = {
    directory: config.SANDBOX_DIR,
    clock: { now: () => new Date() },
    schedule: scheduleByTimer,
    log: createLogger('sandbox', config.LOG_LEVEL),
  };

  const { PROVIDER_TOKEN: token, CALLBACK_URL: callbackUrl } = config;
  const provider = await createProviderServer({ ...deps, token, callbackUrl });
  const partner = createPartnerServer({ ...deps, partnersFile: config.SANDBOX_PARTNERS_FILE });
  const [providerPort, partnerPort] = await Promise.all([
    provider.listen(config.PROVIDER_PORT, config.HOST),
    partner.listen(config.PARTNER_PORT, config.HOST),
  ]);
  return {
    ready: { provider_port: providerPort, partner_port: partnerPort },
    stop: async () => {
      await Promise.all([provider.close(), partner.close()]);
    },
  };
}

runProcess('sandbox', start);
