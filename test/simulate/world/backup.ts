// A backup of Postgres, taken at some point of a life, and what follows once Postgres is put back to it: the watch over restores
// sees it, and operators lift the stop five minutes later.
import type { Client } from '@temporalio/client';
import type { LogPosition } from '../../../src/domain/log-position';
import { allowPayouts } from '../../../src/postgres/payouts/stops';
import { createRestoreGuard } from '../../../src/postgres/payouts/restore-guard';
import { ensureRestoreWatch } from '../../../src/temporal/restore-watch-start';
import { RESTORE_WATCH_ID } from '../../../workflows/messages/messages';
import { ALWAYS_WATCHED } from '../../support/always-watched';
import { SILENT } from '../../support/silent-log';
import type { TemporalServer } from '../temporal/server';
import type { Choices } from '../run/choices';
import type { Fibers } from './fibers';
import { START_MS, type Laboratory } from './laboratory';
import { PHASES } from './phases';

export const BACKUP_SETTING = 'the backup of Postgres, by phase';
const TIMELINE_SETTING = 'the timeline of Postgres';
const BACKUPS = ['none', ...PHASES] as const;
/** Most that was ever found came after a restore. */
const SHARE = 0.4;

export const CLEAN_FAILOVER = 'a failover loses nothing';
export const FAILOVER = 'a failover loses what came after the backup';
export const PUT_BACK = 'Postgres is put back to the backup, workers too';

const SOON_MS = 5_000;
/** What becomes of the backup, so long after it was taken. */
const PLANS = {
  'by chance': undefined,
  'a failover 5 s later': { afterMs: SOON_MS, what: FAILOVER },
  'a failover 2 min later': { afterMs: 120_000, what: FAILOVER },
  'put back 5 s later': { afterMs: SOON_MS, what: PUT_BACK },
  'put back 2 min later': { afterMs: 120_000, what: PUT_BACK },
} as const;

interface Options {
  readonly fibers: Fibers;
  readonly choices: Choices;
  readonly server: TemporalServer;
  readonly client: Client;
  /** Sets the clock of Postgres to this moment. */
  readonly setClock: () => void;
  readonly laboratory: Pick<
    Laboratory,
    'backUp' | 'restore' | 'bringBack' | 'setTimeline' | 'database'
  >;
}

/** Postgres is put back within this time, or not at all: the watch need not go on for ever. */
const FRESH_MS = 300_000;
const AGAIN_MS = 10_000;
const READ_EVERY_MS = 1_000;
/** The watch has ticked by then, and the payment is not created yet. */
const UNWRITTEN_MS = 500;
const COMPARED_AFTER_MS = 300_000;
const LIFTED_TIMES = 2;

export class Backup {
  /** Once Postgres was put back. */
  putBackAtMs: number | undefined;
  /** When what was lost was inserted again. */
  broughtBackAtMs = START_MS;
  /** Workers had seen commits that are lost. */
  isSeen = false;
  private takenAtMs: number | undefined;
  private hasEnded = false;
  /** The position at which this Postgres left the timeline of the one before. */
  private leftAtMs: number | undefined;

  readonly phase: (typeof BACKUPS)[number];
  private readonly plan: (typeof PLANS)[keyof typeof PLANS];
  private readonly isTimelineRead: boolean = false;
  private readonly options: Options;

  constructor(options: Options) {
    this.options = options;
    this.phase = options.choices.rareSetting(BACKUP_SETTING, BACKUPS, SHARE);
    if (this.phase === 'none') return;
    const plans = Object.keys(PLANS) as (keyof typeof PLANS)[];
    this.plan = PLANS[options.choices.setting('Postgres loses commits', plans)];
    const [isRead, isDenied] = ['may be read', 'may not be read'];
    this.isTimelineRead = options.choices.setting(TIMELINE_SETTING, [isRead, isDenied]) === isRead;
    options.fibers.spawn('the watch begins', 'operators', () => this.beginWatch());
    if (this.phase === 'unwritten')
      options.fibers.spawnAt(START_MS + UNWRITTEN_MS, 'a backup', 'operators', () => this.take());
    options.fibers.spawn('the watch ends', 'operators', () => this.endWatch());
  }

  isFresh(): boolean {
    const { takenAtMs, leftAtMs } = this;
    if (takenAtMs === undefined || leftAtMs !== undefined) return false;
    return this.options.fibers.nowMs < takenAtMs + FRESH_MS;
  }

  /** Has the restore that is planned carried out, unless another one came before. */
  whenDue(restore: (what: typeof FAILOVER | typeof PUT_BACK) => Promise<void>): void {
    const { plan } = this;
    const { fibers } = this.options;
    if (plan === undefined) return;
    fibers.spawn('a planned restore', 'operators', async () => {
      await fibers.wait(() => this.takenAtMs !== undefined);
      await fibers.sleep(plan.afterMs);
      if (this.isFresh()) await restore(plan.what);
    });
  }

  /** @param phase that of the payment: the backup is taken as soon as it is the chosen one */
  async onPhase(phase: string): Promise<void> {
    this.hasEnded ||= phase === 'ended';
    if (phase === 'unwritten' && this.plan?.afterMs === SOON_MS) return;
    if (phase === this.phase) await this.take();
  }

  /**
   * After the first tick of the watch where the restore is soon: the watch notices nothing of what is lost before its next tick.
   * Any other backup before the create is taken in the middle of that tick, so the watch notices the loss: a payment may have
   * settled by then, and its workflow reads its row no more.
   */
  private async take(): Promise<void> {
    if (this.takenAtMs !== undefined) return;
    await this.options.laboratory.backUp();
    this.takenAtMs = this.options.fibers.nowMs;
  }

  /** @param areWorkersRunning they compare what they remember with what Postgres says, before any other statement */
  async putBack(areWorkersRunning: boolean): Promise<void> {
    const { laboratory, fibers } = this.options;
    this.options.setClock();
    const guard = this.guard();
    if (areWorkersRunning) await guard.look(laboratory.database);
    const { nowMs } = fibers;
    this.isSeen = areWorkersRunning && (this.takenAtMs ?? nowMs) < nowMs - READ_EVERY_MS;
    await laboratory.restore();
    this.leaveTimeline();
    this.leftAtMs = this.takenAtMs;
    await guard.look(laboratory.database);
    this.putBackAtMs = fibers.nowMs;
    fibers.spawn('operators compare', 'operators', () => this.lift());
  }

  /** Operators put what was lost back, as it was. */
  async bringBack(): Promise<void> {
    const { laboratory, fibers } = this.options;
    await laboratory.bringBack();
    this.broughtBackAtMs = fibers.nowMs;
  }

  /** Without a loss: workers have seen all of the log that there was. */
  async failOver(): Promise<void> {
    const { laboratory, fibers } = this.options;
    this.options.setClock();
    const guard = this.guard();
    await guard.look(laboratory.database);
    this.leaveTimeline();
    this.leftAtMs = fibers.nowMs - READ_EVERY_MS;
    await guard.look(laboratory.database);
  }

  /** As a standby does that takes over, and a Postgres that was put back from the archive of its log. */
  private leaveTimeline(): void {
    if (this.isTimelineRead) this.options.laboratory.setTimeline(2);
  }

  private guard() {
    return createRestoreGuard({
      positions: { read: () => Promise.resolve(this.position()) },
      ...{ maxAgeSeconds: null, log: SILENT },
    });
  }

  /** Of the log, in milliseconds of the life. Workers remember where it was a second ago. */
  private position(): LogPosition {
    const { leftAtMs } = this;
    const lsnAt = (ms: number) => `0/${Math.max(ms - START_MS, 0).toString(16)}`;
    const cluster = 'simulated';
    const remembered = lsnAt(this.options.fibers.nowMs - READ_EVERY_MS);
    if (leftAtMs === undefined)
      return { ...{ cluster, timeline: 1, lsn: remembered }, branchedAt: null, ancestors: [] };
    const leftAt = lsnAt(leftAtMs);
    const ancestors = [{ timeline: 1, leftAt }];
    return { ...{ cluster, timeline: 2, lsn: leftAt }, branchedAt: leftAt, ancestors };
  }

  private async lift(): Promise<void> {
    const { fibers, laboratory } = this.options;
    const over = { actor: 'operator-0', reason: 'compared', isAfterRestore: true };
    // A stop may begin late, where Postgres was away when a loss was reported.
    for (let times = 0; times < LIFTED_TIMES; times += 1) {
      await fibers.sleep(COMPARED_AFTER_MS);
      this.options.setClock();
      await allowPayouts(laboratory.database, over);
    }
  }

  /** As a worker does: again and again. */
  private async beginWatch(): Promise<void> {
    const { client, fibers, laboratory } = this.options;
    await laboratory.database.query({ name: 'watched', text: WATCHED });
    const begin = () =>
      ensureRestoreWatch(client, 'simulated').then(
        () => true,
        () => false,
      );
    while (!(await begin())) await fibers.sleep(AGAIN_MS);
  }

  private async endWatch(): Promise<void> {
    const { fibers, server, laboratory } = this.options;
    await fibers.wait(() => this.takenAtMs !== undefined || this.hasEnded);
    await fibers.wait(() => this.putBackAtMs !== undefined, FRESH_MS);
    await fibers.sleep(COMPARED_AFTER_MS);
    const watch = server.latest(RESTORE_WATCH_ID);
    if (watch !== undefined) server.close(watch, 'TERMINATED', 'WorkflowExecutionTerminated');
    await laboratory.database.query({ name: 'always watched', text: ALWAYS_WATCHED });
  }
}

/** It has ticked a moment ago. */
const WATCHED = 'update restore_watch set ticked_at = service_now()';
