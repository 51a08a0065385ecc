// docker-compose.yml and the Dockerfile pin images, check health, publish no port to the outside,
// and use settings that our configuration accepts.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import {
  readApiConfig,
  readMigrateConfig,
  readOpsConfig,
  readSandboxConfig,
  readTemporalConfig,
  readWorkerConfig,
} from '../../../src/config/config';
import { ROOT } from '../../support/programs/fixture-project';

interface Service {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly ports?: readonly string[];
  readonly profiles?: readonly string[];
}

const compose = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
const { services } = parse(compose, { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
};
const NAMES = Object.keys(services);

/** A service that others wait to complete, or that operators run by hand. */
const ONE_SHOT = new Set([
  ...NAMES.filter((name) => services[name]?.profiles !== undefined),
  ...Object.values(services).flatMap((service) =>
    Object.entries(service.depends_on ?? {})
      .filter(([, { condition }]) => condition === 'service_completed_successfully')
      .map(([name]) => name),
  ),
]);

/** The settings of the service that runs migrate and then prepare-temporal. */
const readMigrateServiceConfig = (given: Record<string, string>) => ({
  ...readMigrateConfig(given),
  ...readTemporalConfig(given),
});

const KEY = Buffer.alloc(32).toString('base64');

/** Replaces `${NAME:-default}` by the default, and the required keys by a fixed key. */
function settingsOf(name: string): Record<string, string> {
  const environment = Object.entries(services[name]?.environment ?? {});
  return Object.fromEntries(
    environment.map(([key, value]) => [
      key,
      value
        .replace(/\$\{(KEY_ENCRYPTION|INSTALLATION)_KEY:\?[^}]*\}/, KEY)
        .replaceAll(/\$\{\w+:-([^}]*)\}/g, (_whole, fallback: string) => fallback),
    ]),
  );
}

describe('docker-compose.yml', () => {
  it('has the expected services', () => {
    expect(NAMES.sort()).toEqual(
      [
        ...['api', 'migrate', 'payctl', 'postgres', 'sandbox', 'temporal'],
        ...['temporal-schema', 'temporal-ui', 'worker'],
      ].sort(),
    );
  });

  it.each(NAMES)('pins the image of %s to one version', (name) => {
    expect(services[name]?.image).toMatch(/^[a-z/-]+:\d+\.\d+(\.\d+)?(-[a-z]+)?$/);
  });

  it.each(NAMES.filter((name) => !ONE_SHOT.has(name)))('checks the health of %s', (name) => {
    expect(services[name]?.healthcheck?.test?.[0]).toBe('CMD');
  });

  it('starts a service when those it needs are healthy, or completed if they are one-shot', () => {
    const awaited = Object.values(services).flatMap(({ depends_on }) =>
      Object.entries(depends_on ?? {}),
    );
    const expected = awaited.map(([name]) => [
      name,
      { condition: ONE_SHOT.has(name) ? 'service_completed_successfully' : 'service_healthy' },
    ]);
    expect(awaited).toEqual(expected);
    expect(NAMES).toEqual(expect.arrayContaining(awaited.map(([name]) => name)));
  });

  it.each(NAMES)('publishes %s on this machine only', (name) => {
    const open = (services[name]?.ports ?? []).filter((port) => !port.startsWith('127.0.0.1:'));
    expect(open).toEqual([]);
  });

  it.each(['KEY_ENCRYPTION_KEY', 'INSTALLATION_KEY'])(
    'does not start without the %s of its owner',
    (name) => {
      const keys = compose.match(new RegExp(`${name}: .*`, 'g'));
      expect(keys).toEqual([expect.stringContaining(`\${${name}:?`)]);
    },
  );

  it('marks every default secret as usable for local development only', () => {
    const defaults = [...compose.matchAll(/\$\{\w*(PASSWORD|TOKEN|SECRET)\w*:-([^}]*)\}/g)];
    expect(defaults.length).toBeGreaterThan(0);
    expect(defaults.filter(([, , value]) => !value?.startsWith('desk-only-'))).toEqual([]);
  });

  it.each([
    ['api', readApiConfig],
    ['worker', readWorkerConfig],
    ['sandbox', readSandboxConfig],
    ['migrate', readMigrateServiceConfig],
    ['payctl', readOpsConfig],
  ] as const)('gives %s settings that it accepts, and no others', (name, read) => {
    const settings = settingsOf(name);
    // An empty value counts as not set, so these get values here, as an operator would set them.
    const given = {
      ...settings,
      KEY_ENCRYPTION_KEY_SECOND: Buffer.alloc(32, 1).toString('base64'),
      QR_PAYLOAD_REQUIRED_TH_QRPAY: 'true',
      QR_PAYLOAD_REQUIRED_VN_QRPAY: 'false',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.1',
    };
    const accepted = Object.keys(read(given));
    expect(Object.keys(settings).filter((key) => !accepted.includes(key))).toEqual([]);
  });

  it('allows api and worker to call partners in containers, and payctl to register them', () => {
    const networks = ['api', 'worker', 'payctl'].map(
      (name) => settingsOf(name)['PARTNER_NETWORKS'],
    );
    expect(new Set(networks).size).toBe(1);
    expect(compose).toContain(`--allow ${String(networks[0])} \\\n`);
  });

  it('runs files that the build makes', () => {
    const commands = Object.values(services).flatMap(
      ({ entrypoint = [], command = [], healthcheck }) => [
        ...[...entrypoint, ...command, ...(healthcheck?.test ?? [])],
      ],
    );
    const scripts = [...commands, dockerfile].join(' ').match(/dist\/src\/[\w/-]+\.js/g) ?? [];
    const missing = scripts.filter(
      (script) => !existsSync(join(ROOT, script.replace('dist/', '').replace(/js$/, 'ts'))),
    );
    expect(missing).toEqual([]);
    expect(scripts).toContain('dist/src/main/worker.js');
  });
});

describe('the Dockerfile', () => {
  it('builds every stage on one pinned image', () => {
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(bases).toHaveLength(3);
    expect(new Set(bases).size).toBe(1);
    expect(bases[0]).toMatch(/^node:22\.\d+\.\d+-bookworm-slim$/);
  });

  it('runs without root rights and without development packages', () => {
    expect(dockerfile).toMatch(/^USER node$/m);
    expect(dockerfile).toMatch(/npm ci --omit=dev/);
  });

  it('checks the API with api-health, which knows whether it serves TLS, in Dockerfile and compose', () => {
    const check = 'dist/src/main/api-health.js';
    expect(dockerfile).toMatch(
      new RegExp(`^HEALTHCHECK .*\\\\\n +CMD \\["node", "${check}"\\]$`, 'm'),
    );
    expect(services['api']?.healthcheck?.test).toEqual(['CMD', 'node', check]);
  });
});
