// The ports of `npm start` (architecture, section 7): chosen once and kept, any free one for 0, one sentence when one
// is taken.
import { createServer, type Server } from 'node:net';
import { choosePorts, freePorts } from '../../src/dev/ports';
import { readSettings } from '../../src/dev/settings';
import { withFolder } from './scripts';

const ANY = {
  PORT: '0',
  METRICS_PORT: '0',
  PROVIDER_PORT: '0',
  PARTNER_PORT: '0',
  TEMPORAL_PORT: '0',
  TEMPORAL_UI_PORT: '0',
  POSTGRES_PORT: '0',
};

function occupy(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      resolve(server);
    });
  });
}

describe('the ports of the local stack', () => {
  it('takes free ones for 0, all different, and keeps them over every restart', () =>
    withFolder(async (folder) => {
      const first = await choosePorts(readSettings(ANY), folder);
      expect(new Set(Object.values(first)).size).toBe(7);
      await expect(choosePorts(readSettings(ANY), folder)).resolves.toEqual(first);
      await expect(choosePorts(readSettings({}), folder)).resolves.toEqual(first);
    }));

  it('takes another for 0 when the one from before is in use by now', () =>
    withFolder(async (folder) => {
      const first = await choosePorts(readSettings(ANY), folder);
      const other = await occupy(first.PORT);
      try {
        const second = await choosePorts(readSettings(ANY), folder);
        expect(second.PORT).not.toBe(first.PORT);
        expect({ ...second, PORT: first.PORT }).toEqual(first);
      } finally {
        other.close();
      }
    }));

  it('takes the port that the environment names', () =>
    withFolder(async (folder) => {
      const [port = 0] = await freePorts(1);
      const settings = readSettings({ ...ANY, PORT: String(port) });
      await expect(choosePorts(settings, folder)).resolves.toMatchObject({ PORT: port });
    }));

  it('says in one sentence which port is in use, by its variable, and what to do', () =>
    withFolder(async (folder) => {
      const [port = 0] = await freePorts(1);
      const other = await occupy(port);
      const settings = readSettings({ ...ANY, METRICS_PORT: String(port) });
      try {
        await expect(choosePorts(settings, folder)).rejects.toThrow(
          `Port ${String(port)} (METRICS_PORT, for metrics) is in use by another program: stop that program, ` +
            'or choose another port with `METRICS_PORT=0 npm start` (0 takes any free one).',
        );
      } finally {
        other.close();
      }
    }));

  it('asks for no Temporal ports when a running Temporal is used', () =>
    withFolder(async (folder) => {
      const [port = 0] = await freePorts(1);
      const other = await occupy(port);
      const environment = {
        ...ANY,
        TEMPORAL_PORT: String(port),
        TEMPORAL_ADDRESS: 'temporal:7233',
      };
      try {
        await expect(choosePorts(readSettings(environment), folder)).resolves.toBeDefined();
      } finally {
        other.close();
      }
    }));

  it('names the variable that is not a port', () => {
    expect(() => readSettings({ PORT: 'http' })).toThrow(
      'PORT must be a port number, 0 to 65535 (0 takes any free one).',
    );
  });
});
