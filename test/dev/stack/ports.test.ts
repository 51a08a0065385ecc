// The ports of `npm start` (architecture, section 7): chosen once and stored, any free one for 0,
// one sentence when a port is in use.
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { choosePorts, freePorts, USUAL } from '../../../src/dev/stack/ports';
import { readSettings } from '../../../src/dev/stack/settings';
import { withFolder } from '../setup/scripts';

const ANY = {
  PORT: '0',
  METRICS_PORT: '0',
  PROVIDER_PORT: '0',
  PARTNER_PORT: '0',
  TEMPORAL_PORT: '0',
  TEMPORAL_UI_PORT: '0',
  POSTGRES_PORT: '0',
};
const WORKER_METRICS_USUAL = 9465;

/** Runs the work while another program uses the port. */
async function whileOccupied(port: number, work: () => Promise<void>): Promise<void> {
  const other = await occupy(port);
  try {
    await work();
  } finally {
    other.close();
  }
}

function occupy(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      resolve(server);
    });
  });
}

describe('the ports of the local stack', () => {
  it('are free ones for 0, all different, and the same at every restart', () =>
    withFolder(async (folder) => {
      const first = await choosePorts(readSettings(ANY), folder);
      expect(new Set(Object.values(first)).size).toBe(8);
      await expect(choosePorts(readSettings(ANY), folder)).resolves.toEqual(first);
      await expect(choosePorts(readSettings({}), folder)).resolves.toEqual(first);
    }));

  it('are all free ones with PORTS=free, except those that are named', () =>
    withFolder(async (folder) => {
      const [port = 0] = await freePorts(1);
      const settings = readSettings({ PORTS: 'free', PARTNER_PORT: String(port) });
      const { PARTNER_PORT: named, ...free } = await choosePorts(settings, folder);
      const usual = Object.entries(USUAL).filter(([name]) => name !== 'PARTNER_PORT');
      expect(named).toBe(port);
      expect(Object.keys(free)).toHaveLength(usual.length);
      for (const [name, { usual: taken }] of usual) expect(free).not.toHaveProperty(name, taken);
    }));

  it('change for 0 when the stored one is in use by now', () =>
    withFolder(async (folder) => {
      const first = await choosePorts(readSettings(ANY), folder);
      await whileOccupied(first.PORT, async () => {
        const second = await choosePorts(readSettings(ANY), folder);
        expect(second.PORT).not.toBe(first.PORT);
        expect({ ...second, PORT: first.PORT }).toEqual(first);
      });
    }));

  it('are those that the environment names', () =>
    withFolder(async (folder) => {
      const [port = 0] = await freePorts(1);
      const settings = readSettings({ ...ANY, PORT: String(port) });
      await expect(choosePorts(settings, folder)).resolves.toMatchObject({ PORT: port });
    }));

  it('are named in one sentence, with their variable and what to do, when they are in use', () =>
    withFolder(async (folder) => {
      const [port = 0] = await freePorts(1);
      const settings = readSettings({ ...ANY, METRICS_PORT: String(port) });
      await whileOccupied(port, async () => {
        await expect(choosePorts(settings, folder)).rejects.toThrow(
          `Port ${String(port)} (METRICS_PORT, for the metrics of the API) is in use by another program: stop that program, ` +
            'or choose another port with `METRICS_PORT=0 npm start` (0 takes any free one).',
        );
      });
    }));

  it('of Temporal are not checked when a running Temporal is used', () =>
    withFolder(async (folder) => {
      const [port = 0] = await freePorts(1);
      const environment = {
        ...ANY,
        TEMPORAL_PORT: String(port),
        TEMPORAL_ADDRESS: 'temporal:7233',
      };
      await whileOccupied(port, async () => {
        await expect(choosePorts(readSettings(environment), folder)).resolves.toBeDefined();
      });
    }));

  it('are rejected, with the variable, when they are not numbers', () => {
    expect(() => readSettings({ PORT: 'http' })).toThrow(
      'PORT must be a port number, 0 to 65535 (0 takes any free one).',
    );
    expect(() => readSettings({ PORTS: '0' })).toThrow('PORTS must be free');
  });
});

// An earlier version had seven ports: a start may name these seven, and a folder may have stored
// them.
describe('the port of the worker’s metrics', () => {
  it('is the one that the environment names, and is then stored', () =>
    withFolder(async (folder) => {
      const [port = 0] = await freePorts(1);
      const settings = readSettings({ ...ANY, WORKER_METRICS_PORT: String(port) });
      await expect(choosePorts(settings, folder)).resolves.toMatchObject({
        WORKER_METRICS_PORT: port,
      });
      await expect(choosePorts(readSettings({}), folder)).resolves.toMatchObject({
        WORKER_METRICS_PORT: port,
      });
    }));

  it('is any free one when METRICS_PORT is set, since several starts may run side by side', () =>
    withFolder(async (folder) => {
      const [named = 0] = await freePorts(1);
      const settings = readSettings({ ...ANY, METRICS_PORT: String(named) });
      const { WORKER_METRICS_PORT: port } = await choosePorts(settings, folder);
      expect([WORKER_METRICS_USUAL, named]).not.toContain(port);
    }));

  it('changes when another program uses it, if any port may be used', () =>
    withFolder(async (folder) => {
      const { WORKER_METRICS_PORT: port } = await choosePorts(readSettings(ANY), folder);
      expect(port).not.toBe(WORKER_METRICS_USUAL);
      await whileOccupied(port, async () => {
        const second = await choosePorts(readSettings(ANY), folder);
        expect(second.WORKER_METRICS_PORT).not.toBe(port);
      });
    }));

  it('is added to the ports that an earlier version has stored, also while its default is in use', () =>
    withFolder(async (folder) => {
      const chosen = Object.entries(await choosePorts(readSettings(ANY), folder));
      const earlier = Object.fromEntries(chosen.filter(([name]) => name !== 'WORKER_METRICS_PORT'));
      writeFileSync(join(folder, 'ports.json'), JSON.stringify(earlier));
      // If this fails, another program uses the port already.
      const other = await occupy(WORKER_METRICS_USUAL).catch(() => undefined);
      try {
        const first = await choosePorts(readSettings({}), folder);
        expect(first).toMatchObject(earlier);
        expect(first.WORKER_METRICS_PORT).not.toBe(WORKER_METRICS_USUAL);
        await expect(choosePorts(readSettings({}), folder)).resolves.toEqual(first);
      } finally {
        other?.close();
      }
    }));

  it('causes an error like any other port when it was chosen and is in use', () =>
    withFolder(async (folder) => {
      const { WORKER_METRICS_PORT: port } = await choosePorts(readSettings(ANY), folder);
      await whileOccupied(port, async () => {
        await expect(choosePorts(readSettings({}), folder)).rejects.toThrow(
          `Port ${String(port)} (WORKER_METRICS_PORT, for the metrics of the worker) is in use`,
        );
      });
    }));
});
