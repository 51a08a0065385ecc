// Calls to providers and partners verify certificates although NODE_TLS_REJECT_UNAUTHORIZED=0 turns
// that off for a process. Node reads it from the environment of the process, so each test has one.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ROOT, RUN_TYPESCRIPT } from '../../src/dev/tools';
import { startPayingProvider } from '../support/payments/paying-provider';

const clients = {
  'a provider': `require('./src/http/provider-outbound').createProviderOutbound()`,
  'a partner': `require('./src/http/partner-outbound').createPartnerOutbound({ environment: 'sandbox' })`,
};

const programOf = (client: string) => `
  const outbound = ${client};
  const call = { method: 'GET', url: process.argv[1], timeoutMs: 20_000, maxBytes: 100 };
  outbound
    .send(call)
    .then(({ status }) => console.log(status), (error) => console.log(error.message))
    .then(() => outbound.close());`;

it.each(Object.entries(clients))(
  'nothing is sent to %s with a self-signed certificate, even if the environment allows it',
  async (_who, client) => {
    const server = await startPayingProvider('a credential of the provider', 'https');
    try {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [...RUN_TYPESCRIPT, '--eval', programOf(client), server.url],
        { cwd: ROOT, env: { PATH: '/usr/bin:/bin', NODE_TLS_REJECT_UNAUTHORIZED: '0' } },
      );
      expect(stdout).toBe('no answer (DEPTH_ZERO_SELF_SIGNED_CERT)\n');
      expect(server.headers).toEqual([]);
    } finally {
      server.close();
    }
  },
);
