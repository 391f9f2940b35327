import { createYield } from '../../../concurrency/yield.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import type { NoteDeps } from '../notes.deps.ts';
import { deleteVersion } from '../notes.store.ts';
import { KEEP_ALL_MS } from '../sealed-note.ts';
import * as store from './versions.store.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const SLICE = 200;
/** Maximum number of versions checked per run; the others wait for the next one. */
const RUN_MAX = 50_000;

/** How long versions are kept, and how densely. */
export interface VersionRetention {
  /** One version per hour is kept until this age. */
  readonly hourlyDays: number;
  /** One version per day is kept until this age, then none. */
  readonly dailyDays: number;
}

type DueVersion = Awaited<ReturnType<typeof findDue>>[number];

/**
 * Thins old versions: keeps all for a day, then the last of each hour, then the last of each day, then none. Versions
 * replaced by a merge, restore, batch, link rewriting or agent are kept until the last day. Each version stores when to
 * check it next, so a run finds its work by an index and can be interrupted. Resolves to the number deleted.
 */
export async function thinVersions({ db, clock, retention }: NoteDeps): Promise<number> {
  const now = clock.now();
  const yieldIfDue = createYield();
  let deleted = 0;
  for (let seen = 0; seen < RUN_MAX; seen += SLICE) {
    const { due, gone } = await db.transact(async (handle) => {
      const due = await findDue(handle, now);
      let gone = 0;
      for (const version of due) gone += await applyRetention(handle, version, now, retention);
      return { due: due.length, gone };
    });
    deleted += gone;
    if (due < SLICE) break;
    await yieldIfDue();
  }
  return deleted;
}

function findDue(handle: WriteHandle, now: number) {
  return handle.all(store.findDueVersions, { now, limit: SLICE });
}

/** Deletes the version or stores when to check it next; resolves to the number deleted. */
async function applyRetention(
  handle: WriteHandle,
  { vault_id, note_id, version, created_at: madeAt, pinned }: DueVersion,
  now: number,
  { hourlyDays, dailyDays }: VersionRetention,
): Promise<number> {
  const which = { vault_id, note_id, version };
  const [hourlyUntil, dailyUntil] = [madeAt + hourlyDays * DAY_MS, madeAt + dailyDays * DAY_MS];
  if (now >= dailyUntil) return handle.run(deleteVersion, which);
  // The clock may have been set back since the version was made.
  if (now < madeAt + KEEP_ALL_MS) {
    await handle.run(store.postponeVersion, { ...which, dueAt: madeAt + KEEP_ALL_MS });
    return 0;
  }
  const hourly = now < hourlyUntil;
  const period = hourly ? HOUR_MS : DAY_MS;
  const until = (Math.floor(madeAt / period) + 1) * period;
  if (pinned === 0 && (await handle.get(store.findNewerVersion, { ...which, until })) !== undefined) {
    return handle.run(deleteVersion, which);
  }
  await handle.run(store.postponeVersion, { ...which, dueAt: hourly ? Math.min(hourlyUntil, dailyUntil) : dailyUntil });
  return 0;
}
