// Recorded histories of every path are replayed in CI (architecture, section 3).
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { bundleWorkflowCode, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { countBillableActions } from '../support/payments/billable-actions';
import { quietTemporal, workflowsToTest } from '../support/servers/quiet-temporal';
import {
  decodedPayloads,
  historyNames,
  historyText,
  readHistory,
  workflowIdOf,
  type RecordedHistory,
} from './histories';
import { RARE_WAYS } from './rare-ways';
import { PARTNER_USER_ID } from './stage';
import { WAYS } from './ways';

const names = historyNames();

describe('recorded histories', () => {
  let workflowBundle: WorkflowBundleWithSourceMap;

  beforeAll(async () => {
    quietTemporal();
    workflowBundle = await bundleWorkflowCode(workflowsToTest);
  });

  const replay = (name: string, history: RecordedHistory) =>
    Worker.runReplayHistory(
      { workflowBundle, replayName: name },
      historyFromJSON(history),
      workflowIdOf(history),
    );

  it.each(names)('%s replays against the workflows of today', async (name) => {
    await expect(replay(name, readHistory(name))).resolves.toBeUndefined();
  });

  it.each(['captured.json', 'compared-alone.json', 'contrary-asked-again.json'])(
    'refuses a history like %s that these workflows could not have made',
    async (name) => {
      const twisted = historyText(name).replaceAll(
        /deliverWebhook|payOut|recheckResolution/g,
        'other',
      );
      await expect(replay('twisted', JSON.parse(twisted) as RecordedHistory)).rejects.toThrow(
        /[Nn]on.?determinism/,
      );
    },
  );

  it('are there of every way that can be recorded', () => {
    const missing = Object.keys({ ...WAYS, ...RARE_WAYS }).filter(
      (way) => !names.includes(`${way}.json`),
    );
    expect(missing).toEqual([]);
  });

  it.each([
    ['captured', 16, 5],
    ['captured-by-a-fast-endpoint', 11, 4],
  ])('%s is %d events and %d billable actions', (name, events, actions) => {
    const types = readHistory(`${name}.json`).events.map(({ eventType }) => eventType);
    expect([types.length, countBillableActions(types)]).toEqual([events, actions]);
  });

  it.each(names)('%s holds no secret, token, scanned code, user, machine or path', (name) => {
    const text = historyText(name);
    const texts = [text, ...decodedPayloads(text)];
    const told = texts.flatMap((one) => FORBIDDEN.filter((forbidden) => forbidden.test(one)));
    expect(told).toEqual([]);
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
