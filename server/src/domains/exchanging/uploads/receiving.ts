import { NotevaultError } from '@notevault/protocol/errors.ts';
import { CHECKED_SLICE_MAX, PART_BYTES, SLICE_MIN } from '@notevault/protocol/upload-limits.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import { advance, reservedUntil } from './reservation.ts';
import { SliceReader } from './slice-reader.ts';
import * as store from './uploads.store.ts';
import type { UploadPartRow } from './uploads.tables.ts';
import type { HeldUpload, UploadDeps } from './uploads.ts';

/** A slice of an upload, as a request sends it. */
export interface Slice {
  readonly offset: number;
  /** The SHA-256 of its bytes, if the client sends it. */
  readonly checksum: Buffer | null;
  readonly bytes: AsyncIterable<Buffer>;
  /** The declared number of bytes; null without one. */
  readonly declaredBytes: number | null;
}

export interface AppendDeps extends UploadDeps {
  /** Throws once the caller may not write any more. */
  readonly recheck: () => Promise<void>;
}

/** Stored bytes of an upload from a place on. */
type StoredPart = Readonly<Omit<UploadPartRow, 'upload_id'>>;

/** A slice on its way in. Disposing of it removes the bytes that do not belong to the upload. */
export class SliceReceiver implements AsyncDisposable {
  readonly #deps: AppendDeps;
  readonly #held: HeldUpload;
  readonly #slice: Slice;
  readonly #reader: SliceReader;
  /** The current offset of the upload. */
  offset: number;
  /** Stored parts that do not belong to the upload yet. */
  loose: StoredPart[] = [];

  constructor(deps: AppendDeps, held: HeldUpload, slice: Slice) {
    this.#deps = deps;
    this.#held = held;
    this.#slice = slice;
    this.#reader = new SliceReader(slice.bytes);
    this.offset = slice.offset;
  }

  /** The SHA-256 of the slice, once it has been received. */
  digest(): Buffer {
    return this.#reader.digest();
  }

  /**
   * Stores the slice in parts, each of which belongs to the upload as soon as it is durable; with a checksum, all of
   * them at the end. The part that ends the file stays loose: then it resolves to true.
   */
  async receive(): Promise<boolean> {
    const { checksum } = this.#slice;
    const { length_bytes: length } = this.#held.row;
    for (let at = this.offset; at < length; at = this.#end) {
      if (!(await this.#storeNext(at))) break;
      if (checksum === null && this.#end < length) await this.#keep();
    }
    // Waits for the end of the body, and for one byte too many.
    const isOver = this.#end === length;
    if ((await this.#reader.ready(1)) > 0 && isOver) {
      throw new NotevaultError('body_too_large', { max: length - this.#slice.offset });
    }
    if (this.#reader.failure !== null) throw this.#reader.failure;
    if (checksum?.equals(this.#reader.digest()) === false) throw new NotevaultError('checksum_mismatch');
    if (!isOver) await this.#keep();
    return isOver;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ids = this.loose.map(({ blob_id }) => blob_id);
    if (ids.length > 0) await this.#deps.attachments.announced.remove(this.#held.vault, ids);
  }

  /** The end of the stored parts. */
  get #end(): number {
    const last = this.loose.at(-1);
    return last === undefined ? this.offset : last.from_byte + last.size_bytes;
  }

  /** Stores the next part; false at the end of the body. Throws `slice_too_short`. */
  async #storeNext(from: number): Promise<boolean> {
    const { vault, row } = this.#held;
    const { offset, checksum } = this.#slice;
    const there = await this.#reader.ready(SLICE_MIN);
    if (there < SLICE_MIN && from + there < row.length_bytes) {
      const isAll = from === offset || checksum !== null;
      if (there === 0 || this.#reader.failure !== null || !isAll) return false;
      throw new NotevaultError('slice_too_short', { min: SLICE_MIN });
    }
    const before = this.#reader.taken;
    const blob_id = await this.#deps.attachments.announced.store(vault, this.#reader.take(this.#sizeAt(from)));
    this.loose.push({ from_byte: from, size_bytes: this.#reader.taken - before, blob_id });
    if (checksum !== null && this.#reader.received > CHECKED_SLICE_MAX) {
      throw new NotevaultError('body_too_large', { max: CHECKED_SLICE_MAX });
    }
    return true;
  }

  /** Returns the size of the part at an offset, such that the rest of the slice leaves no short part. */
  #sizeAt(from: number): number {
    const { offset, declaredBytes } = this.#slice;
    const left = declaredBytes === null ? Number.POSITIVE_INFINITY : declaredBytes - (from - offset);
    const size = left > PART_BYTES && left < PART_BYTES + SLICE_MIN ? left - SLICE_MIN : PART_BYTES;
    return Math.min(size, this.#held.row.length_bytes - from);
  }

  /** Takes the room of an upload again, which it may have given up, before all of its bytes become an attachment. */
  async renew(): Promise<void> {
    const { db, clock } = this.#deps;
    if (this.offset > this.#slice.offset || reservedUntil(this.#held.row, clock.now()) !== null) return;
    const renewed = await db.transact((handle) => this.#advance(handle, this.offset, this.offset));
    if (renewed === 0) throw await overtaken(this.#deps, this.#held);
  }

  #advance(handle: WriteHandle, from: number, to: number): Promise<number> {
    const { row, vault, meta } = this.#held;
    return advance(this.#deps, handle, { row, vault, path: meta.path, from, to });
  }

  /** Adds the loose parts to the upload. Throws `upload_offset` when another request has gone on with it, and as `advance`. */
  async #keep(): Promise<void> {
    const { db } = this.#deps;
    const { id } = this.#held.row;
    const [from, to, parts] = [this.offset, this.#end, this.loose];
    if (parts.length === 0) return;
    const moved = await db.transact(async (handle) => {
      const changed = await this.#advance(handle, from, to);
      if (changed > 0) await handle.runMany(store.insertParts, { upload_id: id }, parts);
      return changed;
    });
    if (moved === 0) throw await overtaken(this.#deps, this.#held);
    this.loose = [];
    this.offset = to;
  }
}

/** The error for a request that finds an upload somewhere else than it was. */
export async function overtaken({ db }: Pick<UploadDeps, 'db'>, { row }: HeldUpload): Promise<NotevaultError> {
  const { id, user_id: userId, credential_id: credentialId } = row;
  const now = await db.get(store.findUpload, { id, userId, credentialId });
  if (now === undefined) return new NotevaultError('upload_not_found');
  return now.state === 'refused' ? new NotevaultError('upload_gone') : elsewhere(now.received_bytes);
}

/** The error for a slice that does not begin where the upload has come. */
export function elsewhere(offset: number): NotevaultError {
  return new NotevaultError('upload_offset', { upload_offset: offset });
}
