import { NotevaultError } from '@notevault/protocol/errors.ts';
import { ANNOUNCED_MAX, OPEN_UPLOADS_MAX } from '@notevault/protocol/upload-limits.ts';
import type { UserId } from '@notevault/protocol/values/ids.ts';
import { latestPlausible } from '../../../ports/clock/clock.ts';
import type { ReadHandle, WriteHandle } from '../../../ports/database/database.ts';
import type { OpenVault } from '../../content/vaults/vaults.ts';
import * as store from './uploads.store.ts';
import type { UploadRow } from './uploads.tables.ts';
import type { UploadDeps } from './uploads.ts';

type Announced = Parameters<UploadDeps['attachments']['announced']['checkSize']>[2];

/** Time without progress after which an upload gives up its reservation. */
const RESERVED_MS = 60 * 60_000;
/** A reservation with more time left than this is renewed without locks; otherwise under the locks of `lockSpace`. */
const RENEWABLE_MS = RESERVED_MS / 2;
const ANY_TIME: store.Span = { since: -1, latest: Number.MAX_SAFE_INTEGER };

/** The span of last progress in which an upload keeps its reservation. */
export function reservedSpan(now: number): store.Span {
  return { since: now - RESERVED_MS, latest: latestPlausible(now) };
}

/** Returns when an upload's reservation ends if it makes no progress; null without a reservation. */
export function reservedUntil(row: Pick<UploadRow, 'progressed_at' | 'expires_at'>, now: number): number | null {
  const { since, latest } = reservedSpan(now);
  const isReserved = row.progressed_at > since && row.progressed_at <= latest;
  return isReserved ? Math.min(row.progressed_at + RESERVED_MS, row.expires_at) : null;
}

/** Takes the locks under which room is given to uploads. A time that is read afterwards is later than that of others. */
export async function lockSpace({ accounts }: UploadDeps, handle: WriteHandle, userId: UserId, vault: OpenVault) {
  for (const id of [...new Set([userId, vault.ownerId])].sort()) await accounts.lockUser(handle, id);
}

/** Checks that an upload fits beside the others. Throws `too_many_uploads`, and the errors of such a `PUT`. */
export async function checkSpace(
  { clock, attachments }: UploadDeps,
  handle: ReadHandle,
  vault: OpenVault,
  announced: Announced,
  others: readonly Pick<UploadRow, 'length_bytes' | 'received_bytes' | 'progressed_at' | 'expires_at'>[],
): Promise<void> {
  const now = clock.now();
  const kept = others.map((row) => (reservedUntil(row, now) === null ? row.received_bytes : row.length_bytes));
  const total = kept.reduce((sum, bytes) => sum + bytes, announced.bytes);
  const hasCap = vault.plan.attachment_bytes_cap !== null;
  if (others.length >= OPEN_UPLOADS_MAX || (!hasCap && total > ANNOUNCED_MAX)) {
    throw new NotevaultError('too_many_uploads', { max: OPEN_UPLOADS_MAX, max_bytes: ANNOUNCED_MAX });
  }
  await attachments.announced.checkSize(handle, vault, announced);
}

/** A step of an upload: its vault, and the bytes it adds. */
interface Step {
  readonly row: UploadRow;
  readonly vault: OpenVault;
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Records the progress of an upload, and takes its room again if it was given up. Resolves to 0 when another request
 * has gone on with it. Throws what `checkSpace` throws.
 */
export async function advance(deps: UploadDeps, handle: WriteHandle, step: Step): Promise<number> {
  const { row, vault, path, from, to } = step;
  const { id, user_id: userId, length_bytes: bytes } = row;
  const at = deps.clock.now();
  const soon = { since: at - RENEWABLE_MS, latest: latestPlausible(at) };
  const changed = await handle.run(store.advance, { id, from, to, now: at, ...soon });
  if (changed > 0) return changed;
  await lockSpace(deps, handle, userId, vault);
  const now = deps.clock.now();
  const open = await handle.all(store.findOpen, { userId, now });
  const own = open.find((upload) => upload.id === id);
  if (own?.received_bytes !== from) return 0;
  const others = open.filter((upload) => upload !== own);
  if (reservedUntil(own, now) === null) await checkSpace(deps, handle, vault, { path, bytes, upload: id }, others);
  return handle.run(store.advance, { id, from, to, now, ...ANY_TIME });
}
