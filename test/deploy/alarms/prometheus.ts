// A Prometheus server with the configuration that docs/operations.md gives and the rules of
// docs/operations/alarms.yaml.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { freePorts } from '../../../src/dev/stack/ports';
import { ROOT } from '../../../src/dev/tools';
import { until } from '../../../src/dev/until';

const READY_WITHIN_MS = 30_000;
const ANSWER_WITHIN_MS = 5_000;
const SCRAPED = encodeURIComponent('min(count_over_time(up[5m])) >= 4');
const OPERATIONS = join(ROOT, 'docs', 'operations');

const alertSchema = z.object({
  labels: z.record(z.string(), z.string()),
  state: z.enum(['pending', 'firing']),
});
const answerSchema = z.object({
  data: z.object({
    alerts: z.array(alertSchema).optional(),
    result: z.array(z.unknown()).optional(),
  }),
});
const configSchema = z.looseObject({
  scrape_configs: z.tuple([z.looseObject({ static_configs: z.array(z.unknown()) })]),
});

export type Alert = z.infer<typeof alertSchema>;

export type Prometheus = Awaited<ReturnType<typeof startPrometheus>>;

/**
 * @param targets hosts and ports of the metrics
 * @throws Error when there is no `prometheus` on the PATH, or it does not serve
 */
export async function startPrometheus(folder: string, targets: readonly string[]) {
  mkdirSync(folder);
  const config = join(folder, 'prometheus.yml');
  writeFileSync(config, configurationFor(targets));
  const [port = 0] = await freePorts(1);
  const address = `127.0.0.1:${String(port)}`;
  const flags = [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'data')}`];
  const child = spawn('prometheus', [...flags, `--web.listen-address=${address}`], {
    stdio: 'ignore',
  });
  const failed = once(child, 'error').then(() => {
    throw new Error(
      'There is no `prometheus` on the PATH: install it, for example with `apt-get install prometheus`.',
    );
  });
  /** Undefined while it gives no answer. */
  const get = (path: string) =>
    fetch(`http://${address}/api/v1/${path}`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })
      .then(async (answer) => answerSchema.parse(await answer.json()).data)
      .catch(() => undefined);
  const isUp = async () => (await get('alerts')) !== undefined;
  if (!(await Promise.race([until(isUp, { timeoutMs: READY_WITHIN_MS }), failed]))) {
    child.kill();
    throw new Error('Prometheus does not serve.');
  }
  return {
    /** Whether it has scraped every target several times. */
    hasScraped: async () => ((await get(`query?query=${SCRAPED}`))?.result ?? []).length > 0,
    alerts: async () => (await get('alerts'))?.alerts ?? [],
    async stop() {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

/** The page's own configuration, with the targets and the rules of this clone. */
function configurationFor(targets: readonly string[]): string {
  const page = readFileSync(`${OPERATIONS}.md`, 'utf8');
  const [, documented = ''] = /```yaml\n(global:[\s\S]*?)```/.exec(page) ?? [];
  const config = configSchema.parse(parse(documented));
  const [scrape] = config.scrape_configs;
  return stringify({
    ...config,
    rule_files: [join(OPERATIONS, 'alarms.yaml')],
    scrape_configs: [{ ...scrape, static_configs: [{ targets }] }],
  });
}
