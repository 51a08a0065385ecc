// `npm run test:deploy`: rehearses every alarm with promtool, lints the workflow of GitHub, and
// renders the Helm chart in every variant, lints it and validates it against the schemas of
// Kubernetes and KEDA. Tools that are not installed are built by Go into the cache folder. Exit
// codes: 0 all right, 1 something differs or a tool is missing.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheDir, executablesOnPath, exists, putIntoCache } from '../../src/dev/setup/cache.mjs';
import { SetupError, complain, step } from '../../src/dev/setup/progress.mjs';
import { run } from '../../src/dev/setup/run.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HERE = fileURLToPath(new URL('.', import.meta.url));
const BUILD_MAX_MS = 15 * 60_000;
const RUN_MAX_MS = 120_000;
const TOOLS = {
  helm: 'helm.sh/helm/v3/cmd/helm@v3.18.6',
  promtool: 'github.com/prometheus/prometheus/cmd/promtool@v0.305.0',
  actionlint: 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.7',
};
const KEDA = 'github.com/kedacore/keda/v2@v2.16.1';
/** The oldest Kubernetes that the chart allows, and a recent one. */
const KUBERNETES = ['1.27', '1.37'];

/** Values that turn every branch of the templates on, by variant. */
const VARIANTS = {
  'as it comes': {},
  'everything on': {
    temporalTls: { secretName: 'temporal-client' },
    imagePullSecrets: [{ name: 'registry' }],
    api: {
      tlsSecretName: 'api-tls',
      autoscaling: { enabled: true },
      allowFrom: [{ podSelector: {} }],
    },
    worker: {
      builds: [
        { id: '0.1.0', replicas: 2 },
        { id: 'b7c1_Next', tag: 'main', replicas: 1 },
      ],
      callbacks: { port: 9466, allowFrom: [{ ipBlock: { cidr: '203.0.113.0/24' } }] },
      sysctls: [{ name: 'net.ipv4.tcp_orphan_retries', value: '3' }],
      autoscaling: { enabled: true },
    },
    nodeSelector: { pool: 'payments' },
    tolerations: [{ key: 'payments', operator: 'Exists' }],
    networkPolicy: { metricsFrom: [] },
    migrate: { tag: 'b7c1', ownerSecret: 'payment-intents-owner' },
  },
  'everything off': {
    networkPolicy: { enabled: false },
    api: { service: { type: 'LoadBalancer' } },
    migrate: { enabled: false },
  },
};

/** The schemas allow the opposite too. */
const RENDERED = [
  {
    ...{ variant: 'everything on', file: 'network-policy.yaml', text: /^((?!from:\s+\[\])[^])*$/ },
    why: 'an empty `from` lets everyone read the metrics',
  },
  {
    ...{ variant: 'everything on', file: 'migrate.yaml', text: /image: payment-intents:b7c1$/m },
    why: 'the schema is that of the newest worker, not that of the API',
  },
  {
    ...{ variant: 'everything off', file: 'api.yaml', text: /^ +externalTrafficPolicy: Local$/m },
    why: 'a node that replaces the address of partners makes each request a 401',
  },
];

try {
  await checkAlarms(await tool('promtool'));
  await checkWorkflow(await tool('actionlint'));
  const [helm, python] = [await tool('helm'), await pythonWithSchemas()];
  const scaledObject = await scaledObjectDefinition();
  for (const [name, values] of Object.entries(VARIANTS))
    await checkChart({ helm, python, scaledObject }, name, values);
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  complain(error.message);
  process.exitCode = 1;
}

/** @param {string} promtool */
async function checkAlarms(promtool) {
  const cwd = join(ROOT, 'docs', 'operations');
  await run(promtool, ['check', 'rules', 'alarms.yaml'], { cwd, timeoutMs: RUN_MAX_MS });
  await run(promtool, ['test', 'rules', 'alarms.test.yaml'], { cwd, timeoutMs: RUN_MAX_MS });
  say('alarms: every rule is valid, and each alarm pages when it should');
}

/** @param {string} actionlint */
async function checkWorkflow(actionlint) {
  const file = join(ROOT, '.github', 'workflows', 'ci.yml');
  await run(actionlint, [file], { cwd: ROOT, timeoutMs: RUN_MAX_MS });
  say('workflow of GitHub: actionlint finds nothing');
}

/** The schema of KEDA's ScaledObject, from KEDA's module: Kubernetes' own schemas lack it. */
async function scaledObjectDefinition() {
  const printed = await run('go', ['mod', 'download', '-json', KEDA], {
    cwd: tmpdir(),
    timeoutMs: BUILD_MAX_MS,
  });
  const { Dir: folder } = JSON.parse(printed);
  return join(folder, 'config', 'crd', 'bases', 'keda.sh_scaledobjects.yaml');
}

/**
 * @param {{ helm: string, python: string, scaledObject: string }} tools
 * @param {string} name @param {object} values
 */
async function checkChart({ helm, python, scaledObject }, name, values) {
  const folder = await mkdtemp(join(tmpdir(), 'chart-'));
  try {
    const file = join(folder, 'values.json');
    await writeFile(file, JSON.stringify(values));
    const chart = join(ROOT, 'deploy', 'helm');
    const options = { timeoutMs: RUN_MAX_MS };
    const given = ['--values', file, '--kube-version', KUBERNETES.at(-1) ?? ''];
    await run(helm, ['lint', '--strict', chart, ...given], options);
    const rendered = join(folder, 'rendered');
    await run(helm, ['template', 'payments', chart, ...given, '--output-dir', rendered], options);
    const templates = join(rendered, 'payment-intents', 'templates');
    const files = (await readdir(templates)).map((template) => join(templates, template));
    for (const { variant, file: rule, text, why } of RENDERED) {
      if (variant !== name || text.test(await readFile(join(templates, rule), 'utf8'))) continue;
      throw new SetupError(`chart, ${name}: ${rule} has not ${String(text)}: ${why}`);
    }
    for (const version of KUBERNETES) {
      const validate = ['-m', 'kubernetes_validate', '--strict', '-k', version, ...files];
      const printed = await run(python, validate, options);
      const valid = printed.split('\n').filter((line) => line.includes(' passed for resource '));
      say(`chart, ${name}: ${String(valid.length)} resources are valid in Kubernetes ${version}`);
    }
    const ours = [join(HERE, 'custom_resources.py'), scaledObject, ...files];
    const scaled = (await run(python, ours, options)).trim();
    say(`chart, ${name}: ${scaled} resources are valid in KEDA ${KEDA.split('@')[1] ?? ''}`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** From the PATH, else built by Go. @param {keyof typeof TOOLS} name */
async function tool(name) {
  // eslint-disable-next-line no-restricted-properties -- a tool of tests, like the setup
  const [installed] = await executablesOnPath(process.env, [name]);
  if (installed !== undefined) return installed;
  const version = TOOLS[name].split('@')[1] ?? '';
  const target = join(cacheDir(), 'bin', `${name}-${version}`);
  if (await exists(target)) return target;
  await mkdir(dirname(target), { recursive: true, mode: 0o755 });
  return step(`building ${name} ${version} (Go)`, () =>
    putIntoCache(target, async (scratch) => {
      await mkdir(scratch, { recursive: true });
      // In a module of its own: `go install` rejects modules with replacements.
      const options = { cwd: scratch, timeoutMs: BUILD_MAX_MS };
      await run('go', ['mod', 'init', 'tools'], options);
      await run('go', ['get', TOOLS[name]], options);
      await run('go', ['build', '-o', name, TOOLS[name].split('@')[0] ?? ''], options);
      return join(scratch, name);
    }),
  ).catch((error) => {
    if (!(error instanceof SetupError)) throw error;
    throw new SetupError(`${name} is not on the PATH, and Go could not build it: ${error.message}`);
  });
}

async function pythonWithSchemas() {
  const install = join(ROOT, 'test', 'contract', 'install.mjs');
  const args = [install, join(HERE, 'requirements.txt')];
  return (
    (await run(process.execPath, args, { timeoutMs: BUILD_MAX_MS })).trim().split('\n').at(-1) ?? ''
  );
}

/** @param {string} sentence */
function say(sentence) {
  process.stdout.write(`${sentence}\n`);
}
