// A backup of Postgres, taken in some phase of the payment, and its restore: the restore watch
// notices the restore, and operators lift the stop five minutes later.
import type { Client } from '@temporalio/client';
import { allowPayouts } from '../../../src/postgres/payouts/stops';
import { ensureRestoreWatch } from '../../../src/temporal/starts';
import { RESTORE_WATCH_ID } from '../../../workflows/messages/messages';
import { ALWAYS_WATCHED } from '../../support/always-watched';
import { newGuard } from '../../support/payments/restore-watch';
import type { TemporalServer } from '../temporal/server';
import type { Choices } from '../run/choices';
import type { Fibers } from './fibers';
import { START_MS, type Harness } from './harness';
import { PHASES } from './phases';

export const BACKUP_SETTING = 'the backup of Postgres, by phase';
const TIMELINE_SETTING = 'the timeline of Postgres';
const BACKUPS = ['none', ...PHASES] as const;
/** A large share, because restores have found most of the bugs. */
const SHARE = 0.4;

export const CLEAN_FAILOVER = 'a failover loses nothing';
export const FAILOVER = 'a failover loses what came after the backup';
export const PUT_BACK = 'Postgres is put back to the backup, workers too';

const SOON_MS = 5_000;
/** The use of the backup, with the time after it was taken. */
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
  readonly harness: Pick<Harness, 'backUp' | 'restore' | 'bringBack' | 'setTimeline' | 'database'>;
}

/** A restore comes within this time or never, so that the watch can end. */
const FRESH_MS = 300_000;
const AGAIN_MS = 10_000;
const LOOK_EVERY_MS = 1_000;
/** After the first tick of the watch, and before the create. */
const UNWRITTEN_MS = 500;
const RECONCILED_AFTER_MS = 300_000;
const LIFTED_TIMES = 2;

export class Backup {
  /** The time of the restore; undefined before it. */
  putBackAtMs: number | undefined;
  /** When operators inserted the lost rows again. */
  broughtBackAtMs = START_MS;
  /** Whether workers had seen commits that are lost. */
  isSeen = false;
  /** How much time of Postgres the restore has undone, without an outage right before it. */
  undoneMs = 0;
  private answeredAtMs = START_MS;
  private takenAtMs: number | undefined;
  private hasEnded = false;
  /** Whether the watch has read Postgres since the restore. */
  private isCompared = false;
  /** Whether Postgres was restored or failed over. */
  private isOver = false;

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
    const { takenAtMs, isOver } = this;
    if (takenAtMs === undefined || isOver) return false;
    return this.options.fibers.nowMs < takenAtMs + FRESH_MS;
  }

  /** Runs the planned restore, unless another restore came first. */
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

  /** Called after each statement. Takes the backup when the payment reaches the chosen phase. */
  async onDone(statement: string, phase: string): Promise<void> {
    this.isCompared ||= statement === TICK && this.putBackAtMs !== undefined;
    this.answeredAtMs = this.options.fibers.nowMs;
    this.hasEnded ||= phase === 'ended';
    if (phase === 'unwritten' && this.plan?.afterMs === SOON_MS) return;
    if (phase === this.phase) await this.take();
  }

  /**
   * A backup before the create with an early restore is taken after the first tick of the watch,
   * which then notices no loss before its next tick. Other backups before the create are taken
   * during that tick, so that the watch notices the loss: the payment may have settled by then, and
   * its workflow does not read its row any more.
   */
  private async take(): Promise<void> {
    if (this.takenAtMs !== undefined) return;
    await this.options.harness.backUp();
    this.takenAtMs = this.options.fibers.nowMs;
  }

  /**
   * @param areWorkersRunning running workers compare their mark in Postgres before any other
   *   statement; their last look was a second ago
   */
  async putBack(areWorkersRunning: boolean): Promise<void> {
    const { harness, fibers } = this.options;
    this.options.setClock();
    const guard = newGuard();
    const { nowMs } = fibers;
    this.isSeen = areWorkersRunning && (this.takenAtMs ?? nowMs) < nowMs - LOOK_EVERY_MS;
    if (this.isSeen) await guard.check(harness.database);
    this.undoneMs = this.answeredAtMs - (this.takenAtMs ?? nowMs);
    await harness.restore();
    this.leaveTimeline();
    await guard.check(harness.database);
    this.putBackAtMs = fibers.nowMs;
    fibers.spawn('operators reconcile', 'operators', () => this.lift());
  }

  /** Operators insert the lost rows again, unchanged. */
  async bringBack(): Promise<void> {
    const { harness, fibers } = this.options;
    await harness.bringBack();
    this.broughtBackAtMs = fibers.nowMs;
  }

  /** A failover without a loss. */
  async failOver(): Promise<void> {
    const { harness } = this.options;
    this.options.setClock();
    const guard = newGuard();
    await guard.check(harness.database);
    this.leaveTimeline();
    await guard.check(harness.database);
  }

  /** A promoted standby and a Postgres restored from its log archive begin a new timeline. */
  private leaveTimeline(): void {
    this.isOver = true;
    if (this.isTimelineRead) this.options.harness.setTimeline(2);
  }

  private async lift(): Promise<void> {
    const { fibers, harness } = this.options;
    const over = { actor: 'operator-0', reason: 'reconciled', isAfterRestore: true };
    // A stop may begin late when Postgres was away while a loss was reported.
    for (let times = 0; times < LIFTED_TIMES; times += 1) {
      await fibers.sleep(RECONCILED_AFTER_MS);
      this.options.setClock();
      await allowPayouts(harness.database, over);
    }
  }

  /** Retries until the watch has started, as a worker does. */
  private async beginWatch(): Promise<void> {
    const { client, fibers, harness } = this.options;
    await harness.database.query({ name: 'watched', text: WATCHED });
    const begin = () =>
      ensureRestoreWatch(client).then(
        () => true,
        () => false,
      );
    while (!(await begin())) await fibers.sleep(AGAIN_MS);
  }

  private async endWatch(): Promise<void> {
    const { fibers, server, harness } = this.options;
    await fibers.wait(() => this.takenAtMs !== undefined || this.hasEnded);
    await fibers.wait(() => this.putBackAtMs !== undefined, FRESH_MS);
    for (let isOver = false; !isOver;) {
      isOver = this.putBackAtMs !== undefined;
      // While Postgres is away after a restore, the watch cannot notice it.
      if (isOver) await fibers.wait(() => this.isCompared, FRESH_MS);
      await fibers.sleep(RECONCILED_AFTER_MS);
      // A restore meanwhile has to be noticed too.
      isOver ||= this.putBackAtMs === undefined;
    }
    const watch = server.latest(RESTORE_WATCH_ID);
    if (watch !== undefined) server.close(watch, 'TERMINATED', 'WorkflowExecutionTerminated');
    await harness.database.query({ name: 'always watched', text: ALWAYS_WATCHED });
  }
}

const TICK = 'tick-restore-watch';
/** Sets the last tick of the watch to now. */
const WATCHED = 'update restore_watch set ticked_at = service_now()';
