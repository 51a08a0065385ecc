// One line per request (architecture, section 7): the lines of one turn of the event loop are one write, and none is lost.
import { createRequestLog } from '../../src/logger';
import type { RequestLine } from '../../src/ports/log';

const LINE: RequestLine = {
  request_id: 'req_0',
  method: 'GET',
  route: '/healthz',
  status: 200,
  duration_ms: 1,
  about: { partner_id: 'acme' },
  refusal: undefined,
};

function openLog(level = 'info') {
  const writes: string[] = [];
  const log = createRequestLog('api', level, { write: (text) => void writes.push(text) });
  return { writes, log, turn: () => new Promise<void>((resolve) => setImmediate(resolve)) };
}

function idsOf(text: string | undefined): readonly unknown[] {
  return (text ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { readonly request_id: unknown }).request_id);
}

it('the lines of one turn are one write, in order', async () => {
  const { writes, log, turn } = openLog();
  for (const id of ['req_1', 'req_2', 'req_3']) log.answered({ ...LINE, request_id: id });
  expect(writes).toEqual([]);
  await turn();
  expect(writes).toHaveLength(1);
  expect(idsOf(writes[0])).toEqual(['req_1', 'req_2', 'req_3']);
});

it('a later turn is a write of its own, and a turn without lines none', async () => {
  const { writes, log, turn } = openLog();
  log.answered(LINE);
  await turn();
  await turn();
  log.answered({ ...LINE, request_id: 'req_9' });
  await turn();
  expect(writes.map(idsOf)).toEqual([['req_0'], ['req_9']]);
});

it('a line holds what the request was about and why it was refused, beside the members of every line', async () => {
  const { writes, log, turn } = openLog();
  log.answered({ ...LINE, status: 401, refusal: 'signature_wrong' });
  await turn();
  const { time, ...line } = JSON.parse(writes[0] ?? 'null') as Record<string, unknown>;
  expect(Date.parse(String(time))).not.toBeNaN();
  expect(line).toEqual({
    level: 30,
    process: 'api',
    request_id: 'req_0',
    method: 'GET',
    route: '/healthz',
    status: 401,
    duration_ms: 1,
    partner_id: 'acme',
    refusal: 'signature_wrong',
    msg: 'request',
  });
});

it('nothing is written while the level is above info', async () => {
  const { writes, log, turn } = openLog('warn');
  log.answered(LINE);
  await turn();
  expect(writes).toEqual([]);
});
