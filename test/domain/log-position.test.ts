// Detects that Postgres' write-ahead log has lost a part that it once held (decision 127).
import { isGone, markOf, type LogMark, type LogPosition } from '../../src/domain/log-position';

const FIRST: LogPosition = {
  cluster: '7711430489513801887',
  timeline: 1,
  lsn: '0/5000000',
  branchedAt: null,
  ancestors: [],
};
const MARK: LogMark = markOf(FIRST);
const second = (leftAt: string, lsn: string): LogPosition => ({
  ...FIRST,
  timeline: 2,
  lsn,
  branchedAt: leftAt,
  ancestors: [{ timeline: 1, leftAt }],
});
const third = (leftFirstAt: string): LogPosition => ({
  ...FIRST,
  timeline: 3,
  lsn: '1/0',
  branchedAt: '0/9000000',
  ancestors: [
    { timeline: 1, leftAt: leftFirstAt },
    { timeline: 2, leftAt: '0/9000000' },
  ],
});
const unread = (position: LogPosition): LogPosition => ({
  ...position,
  branchedAt: null,
  ancestors: null,
});

it.each<[string, LogPosition]>([
  ['if the log has not moved', FIRST],
  ['if the log has grown', { ...FIRST, lsn: '0/5000001' }],
  ['if the log has grown beyond 4 GB', { ...FIRST, lsn: '1/0' }],
  ['if another timeline branched at the mark', second('0/5000000', '0/5000100')],
  ['if another timeline branched after the mark', second('0/6000000', '0/6000100')],
  ['after two failovers, the first after the mark', third('0/5000000')],
  ['if ancestors may not be read and the log has grown', unread(second('0/1', '0/6000000'))],
])('nothing is lost %s', (_when, now) => {
  expect(isGone(MARK, now)).toBe(false);
});

it.each<[string, LogPosition]>([
  ['if the log is shorter on the same timeline', { ...FIRST, lsn: '0/4FFFFFF' }],
  ['if another timeline branched before the mark', second('0/4FFFFFF', '9/0')],
  ['after two failovers, the first before the mark', third('0/4FFFFFF')],
  ['in another cluster', { ...FIRST, cluster: '7', lsn: '9/0' }],
  ['if ancestors may not be read and the log is shorter', unread(second('0/1', '0/4000000'))],
])('the log has lost a part %s', (_when, now) => {
  expect(isGone(MARK, now)).toBe(true);
});

it('the log has lost a part if the next restore began on the timeline before', () => {
  const restored = markOf(second('0/4000000', '0/4000100'));
  const again = { ...third('0/4500000'), ancestors: [{ timeline: 1, leftAt: '0/4500000' }] };
  expect(isGone(restored, again)).toBe(true);
  expect(isGone(restored, second('0/4500000', '0/4500100'))).toBe(true);
  expect(isGone(restored, second('0/4000000', '0/4500100'))).toBe(false);
  expect(isGone(restored, { ...FIRST, lsn: '9/0' })).toBe(true);
});
