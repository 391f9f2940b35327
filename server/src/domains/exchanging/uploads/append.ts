import { createHash } from 'node:crypto';
import type { Attachment } from '@notevault/protocol/attachments.ts';
import { type ErrorCode, errors, NotevaultError } from '@notevault/protocol/errors.ts';
import { CHECKED_SLICE_MAX } from '@notevault/protocol/upload-limits.ts';
import type { BlobId } from '@notevault/protocol/values/ids.ts';
import { whilePermitted } from '../../../concurrency/while-permitted.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import { KeyringError } from '../../../ports/keyring/keyring.ts';
import type { WriteContext } from '../../content/entries/entries.ts';
import { type AppendDeps, elsewhere, overtaken, type Slice, SliceReceiver } from './receiving.ts';
import { openOutcome, sealOutcome } from './sealed-upload.ts';
import { expectedOf } from './upload-headers.ts';
import * as store from './uploads.store.ts';
import type { HeldUpload } from './uploads.ts';

/** The offset of an upload, and when it expires. */
export interface Progress {
  readonly offset: number;
  readonly expiresAt: number;
}

/** The sender of a slice, and its installation. */
export type Sender = Pick<WriteContext, 'actor' | 'device'>;

/** Refusals of the attachment, which would be the same however often the last slice is sent. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  ...(['version_conflict', 'conflict', 'limit_exceeded', 'file_too_large'] as const),
  ...(['extension_not_allowed', 'mime_not_allowed'] as const),
]);
/** Lifetime of an upload from its start, and of a finished upload for clients that missed the answer. */
export const KEPT_MS = 24 * 60 * 60_000;

/** Throws as `Uploads.append` says. */
export async function appendSlice(deps: AppendDeps, held: HeldUpload, slice: Slice, by: Sender): Promise<Progress> {
  const { row } = held;
  if (row.state === 'done') return repeated(held, slice);
  if (slice.offset !== row.received_bytes) throw elsewhere(row.received_bytes);
  checkDeclared(slice, row.length_bytes);
  await using receiving = new SliceReceiver(deps, held, slice);
  const isOver = await receiving.receive();
  if (!isOver) return { offset: receiving.offset, expiresAt: row.expires_at };
  await receiving.renew();
  const ended = { from: slice.offset, hash: receiving.digest().toString('hex') };
  return await finish(deps, held, receiving, ended, by);
}

function checkDeclared({ offset, declaredBytes, checksum }: Slice, length: number): void {
  const room = length - offset;
  const max = checksum === null ? room : Math.min(room, CHECKED_SLICE_MAX);
  if (declaredBytes !== null && declaredBytes > max) throw new NotevaultError('body_too_large', { max });
}

/** Makes the attachment of all parts; in the same transaction the upload is done. Throws `upload_refused`. */
async function finish(
  deps: AppendDeps,
  held: HeldUpload,
  { offset: from, loose }: SliceReceiver,
  slice: { readonly from: number; readonly hash: string },
  by: Sender,
): Promise<Progress> {
  const { db, attachments, clock } = deps;
  const { row, vault, meta } = held;
  const { id, length_bytes: to } = row;
  const parts = await db.all(store.findParts, { upload: id });
  const bytes = attachments.announced.read(vault, [...parts, ...loose].map(partOf));
  const input = {
    path: () => meta.path,
    bytes: whilePermitted(bytes, deps.recheck, clock.elapsed),
    declaredBytes: to,
    announced: id,
    mtime: () => meta.mtime ?? undefined,
  };
  const expiresAt = clock.now() + KEPT_MS;
  const inTransaction = async (handle: WriteHandle, attachment: Attachment) => {
    const outcome = sealOutcome(vault, id, { attachment, slice });
    const changed = await handle.run(store.complete, { id, from, to, outcome, expiresAt });
    if (changed === 0) throw new Overtaken();
    await handle.run(store.deleteParts, { upload_id: id });
  };
  const context = { vault, actor: by.actor, device: meta.device ?? by.device, inTransaction };
  try {
    await attachments.upload(context, () => input, expectedOf(meta));
  } catch (error) {
    // The parts of an upload that another request has ended may be gone.
    if (error instanceof Overtaken || error instanceof KeyringError) throw await overtaken(deps, held);
    if (!(error instanceof NotevaultError) || !REFUSALS.has(error.code)) throw error;
    await refuse(deps, held, from);
    throw new NotevaultError('upload_refused', { error: errors[error.code].error, ...error.details }, error);
  }
  await attachments.announced.remove(vault, parts.map(blobOf));
  return { offset: to, expiresAt };
}

/** Thrown to undo a transaction when another request has ended the upload. */
class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

const blobOf = (part: { readonly blob_id: BlobId }) => part.blob_id;
const partOf = (part: { readonly blob_id: BlobId; readonly size_bytes: number }) => ({
  blobId: part.blob_id,
  size: part.size_bytes,
});

/** Ends an upload with a refused attachment, and removes its bytes. */
async function refuse(deps: AppendDeps, held: HeldUpload, from: number): Promise<void> {
  const { db, attachments } = deps;
  const { id } = held.row;
  const parts = await db.all(store.findParts, { upload: id });
  const changed = await db.transact(async (handle) => {
    const refused = await handle.run(store.refuse, { id, from });
    if (refused > 0) await handle.run(store.deleteParts, { upload_id: id });
    return refused;
  });
  if (changed === 0) throw await overtaken(deps, held);
  await attachments.announced.remove(held.vault, parts.map(blobOf));
}

/** The answer to the last slice, sent again by a client that missed it. Throws `upload_offset` for any other. */
async function repeated({ row, vault }: HeldUpload, { offset, bytes }: Slice): Promise<Progress> {
  const { length_bytes: length, expires_at: expiresAt } = row;
  const slice = openOutcome(vault, row)?.slice;
  const isEnd = offset === length;
  if (!isEnd && offset !== slice?.from) throw elsewhere(length);
  const hash = createHash('sha256');
  let left = length - offset;
  for await (const piece of bytes) {
    left -= piece.length;
    if (left < 0) throw elsewhere(length);
    hash.update(piece);
  }
  if (!isEnd && hash.digest('hex') !== slice?.hash) throw elsewhere(length);
  return { offset: length, expiresAt };
}
