// Replays the recorded histories of ten ways that a payment can go (architecture, section 3).
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { bundleWorkflowCode, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { countBillableActions } from '../support/payments/billable-actions';
import { replayHistory } from '../support/programs/workflow-bundle';
import { quietTemporal, workflowsToTest } from '../support/servers/quiet-temporal';
import { openTracing } from '../../src/main/start-tracing';
import { SILENT } from '../support/silent-log';
import { asIfTraced } from './traced';
import {
  decodedPayloads,
  historyNames,
  historyText,
  readHistory,
  workflowIdOf,
  type RecordedHistory,
} from './histories';
import { PARTNER_USER_ID } from './driver';
import { WAYS } from './ways';

const names = historyNames();

describe('recorded histories', () => {
  let workflowBundle: WorkflowBundleWithSourceMap;

  beforeAll(async () => {
    quietTemporal();
    workflowBundle = await bundleWorkflowCode(workflowsToTest);
  });

  const replay = (
    name: string,
    history: RecordedHistory,
    { sinks } = openTracing('worker', {}, SILENT).worker,
  ) =>
    replayHistory(
      { workflowBundle, replayName: name, sinks },
      historyFromJSON(history),
      workflowIdOf(history),
    );

  it.each(names)('%s replays with the current workflows', async (name) => {
    await expect(replay(name, readHistory(name))).resolves.toBeUndefined();
  });

  it.each(names)('%s replays as if each of its messages had belonged to a trace', async (name) => {
    let spans = 0;
    const fn = () => void (spans += 1);
    const sinks = { exporter: { export: { fn, callDuringReplay: true } } };
    const options = { interceptors: {}, sinks };
    await expect(replay(name, asIfTraced(readHistory(name)), options)).resolves.toBeUndefined();
    expect(spans).toBeGreaterThan(0);
  });

  it.each(['captured.json', 'captured-through-a-slow-provider.json', 'resolved-as-declined.json'])(
    'the replay rejects a changed copy of %s',
    async (name) => {
      const changed = historyText(name).replaceAll(
        /deliverWebhook|payOut|recheckResolution/g,
        'other',
      );
      await expect(replay('changed', JSON.parse(changed) as RecordedHistory)).rejects.toThrow(
        /[Nn]on.?determinism/,
      );
    },
  );

  it('exist for every way', () => {
    expect(names).toEqual(
      Object.keys(WAYS)
        .map((way) => `${way}.json`)
        .sort(),
    );
  });

  it.each([
    ['captured', 16, 5],
    ['captured-by-a-fast-endpoint', 11, 4],
    ['captured-through-a-slow-provider', 19, 7],
  ])('%s has %d events and %d billable actions', (name, events, actions) => {
    const types = readHistory(`${name}.json`).events.map(({ eventType }) => eventType);
    expect([types.length, countBillableActions(types)]).toEqual([events, actions]);
  });

  it.each(names)('%s contains no secret, token, scanned code, user, machine or path', (name) => {
    const text = historyText(name);
    const texts = [text, ...decodedPayloads(text)];
    const found = texts.flatMap((one) => FORBIDDEN.filter((forbidden) => forbidden.test(one)));
    expect(found).toEqual([]);
  });
});

const FORBIDDEN = [
  /whsec_/,
  /eyJ[\w-]{8,}\.eyJ/,
  /BEGIN [A-Z ]*KEY/,
  /[Bb]earer/,
  /000201/,
  new RegExp(PARTNER_USER_ID),
  /\d@[a-z]/,
  /\/(home|tmp|root|work)\//,
];
