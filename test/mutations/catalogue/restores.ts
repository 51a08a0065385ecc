// Mistakes about what notices that a database was put back to an earlier time (decision 127).
import type { TestMutation } from '../mutation';

export const RESTORE_MISTAKES: readonly TestMutation[] = [
  {
    name: 'a timeline that lost commits is taken for one that lost none',
    file: 'src/domain/log-position.ts',
    find: 'ancestor === undefined || isBefore(ancestor.leftAt, mark.lsn)',
    replace: 'ancestor === undefined',
    tests: ['test/domain/log-position.test.ts'],
    mustFail: 'is what the mark held where another timeline branched before the mark',
  },
  {
    name: 'a failover that lost nothing stops payouts',
    file: 'src/domain/log-position.ts',
    find: 'isBefore(ancestor.leftAt, mark.lsn)',
    replace: '!isBefore(mark.lsn, ancestor.leftAt)',
    tests: ['test/domain/log-position.test.ts'],
    mustFail: 'is nothing where another timeline branched at the mark',
  },
  {
    name: 'the payout is sent unasked between a failover and the next tick',
    file: 'src/postgres/payouts/stops.ts',
    find: 'or ${IS_TIMELINE_NEW} or not exists',
    replace: 'or not exists',
    tests: ['test/postgres/payouts/journal.test.ts'],
    mustFail: 'is not recorded on another timeline than that of the last tick',
  },
  {
    name: 'an order is sent beside one that a failover has just forgotten',
    file: 'src/postgres/payouts/journal.ts',
    find: ' or not ${HAS_JUST_FAILED_OVER})',
    replace: ' or true)',
    tests: ['test/postgres/payouts/journal.test.ts'],
    mustFail: 'may be forgotten right before an attempt that begins after a failover',
  },
  {
    name: 'the payout of an older intent is sent unasked once the watch has ticked after a failover',
    file: 'src/postgres/payouts/restore-watch.ts',
    find: 'then service_now() else timeline_changed_at end',
    replace: 'then timeline_changed_at else timeline_changed_at end',
    tests: ['test/postgres/payouts/restore-watch.test.ts'],
    mustFail: 'keeps which timeline it is on, and when it first was on another than before',
  },
  {
    name: 'the log of Postgres is not compared where the counts agree',
    file: 'src/domain/restore.ts',
    find: "if (isMarkGone) return 'postgres';",
    replace: "if (isMarkGone && ticks < known.ticks) return 'postgres';",
    tests: ['test/postgres/payouts/restore-watch.test.ts'],
    mustFail: 'of a run whose mark is gone, Postgres went back although the counts agree',
  },
  {
    name: 'a worker forgets what it has seen of Postgres',
    file: 'src/postgres/payouts/restore-guard.ts',
    find: 'if (known !== undefined && hasGoneBack(known, ticks, position)) {',
    replace: 'if (known !== undefined && hasGoneBack(known, known.ticks, null)) {',
    tests: ['test/postgres/payouts/restore-guard.test.ts'],
    mustFail:
      'stops payouts where the log is shorter than it was, and remembers what it saw before a look that could not read it',
  },
  {
    name: 'a new connection is used before it is compared with what the worker remembers',
    file: 'src/main/open-database.ts',
    find: 'if (error === undefined) return look?.(connection);',
    replace: 'if (error === undefined) return void look;',
    tests: ['test/postgres/payouts/restore-guard.test.ts'],
    mustFail:
      'a process whose database went back stops payouts before its first statement over the new connection',
  },
  {
    name: 'the age of the last comparison stops nothing',
    file: 'src/postgres/payouts/watch-gap.ts',
    find: 'service_now() - ticked_at > make_interval(secs => $1::int)',
    replace: 'service_now() - ticked_at > make_interval(days => $1::int)',
    tests: ['test/postgres/payouts/restore-watch.test.ts'],
    mustFail: 'is made by the first tick after a longer gap, and says since when and what lifts it',
  },
  {
    name: 'a sandbox that was switched off for a night stops payouts',
    file: 'src/main/worker/settings.ts',
    find: "return config.SERVICE_ENV === 'prod' ? config.RESTORE_WATCH_MAX_AGE_SECONDS : null;",
    replace: 'return config.RESTORE_WATCH_MAX_AGE_SECONDS;',
    tests: ['test/main/settings-by-environment.test.ts'],
    mustFail: 'is stopped by the age of the last comparison in prod alone',
  },
];
