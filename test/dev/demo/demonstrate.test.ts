// The payment of `npm start` that cannot be made: the system serves all the same, since its data
// survives a start, and an operator may have stopped payouts or revoked the partner's key in it.
import { demonstrate } from '../../../src/dev/demo/demo';
import type { SandboxPartner } from '../../../src/dev/demo/sandbox-file';
import type { Addresses } from '../../../src/dev/stack/stack';
import { createTerminal } from '../../../src/dev/terminal';
import { aServer } from '../../support/servers/bare-server';

const PARTNER = { key_id: 'acme_sandbox_2026q1', signing_secret: 'secret' } as SandboxPartner;
const REJECTION = JSON.stringify({ error: 'authentication_failed', message: 'No.' });

async function demonstrateWith(stopping: AbortSignal) {
  const { server, port } = await aServer((_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' }).end(REJECTION);
  });
  let shown = '';
  const output = { write: (text: string) => (shown += text) };
  const terminal = createTerminal({ output, isColoured: false });
  const addresses = { base_url: `http://127.0.0.1:${String(port)}` } as Addresses;
  try {
    const intentId = await demonstrate(PARTNER, addresses, { terminal, stopping });
    return { intentId, shown };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

it('says why there is no payment, and how to undo what holds it up', async () => {
  const { intentId, shown } = await demonstrateWith(new AbortController().signal);
  expect(intentId).toBeUndefined();
  expect(shown).toContain('  ✗ ');
  expect(shown).toMatch(/The system serves all the same\..*\n +npm run payctl -- payouts show\n/);
});

it('ends the start when the system is being stopped', async () => {
  await expect(demonstrateWith(AbortSignal.abort())).rejects.toThrow('No.');
});
