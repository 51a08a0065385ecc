// One line per request (architecture, section 7), written before the next: a process that is killed loses none.
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
  return { writes, log };
}

it('each line is written before the call returns', () => {
  const { writes, log } = openLog();
  for (const id of ['req_1', 'req_2']) log.answered({ ...LINE, request_id: id });
  const ids = writes.map((text) => (JSON.parse(text) as RequestLine).request_id);
  expect(ids).toEqual(['req_1', 'req_2']);
});

it('a line holds what the request was about and why it was refused, beside the members of every line', () => {
  const { writes, log } = openLog();
  log.answered({ ...LINE, status: 401, refusal: 'signature_wrong' });
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

it('nothing is written while the level is above info', () => {
  const { writes, log } = openLog('warn');
  log.answered(LINE);
  expect(writes).toEqual([]);
});
