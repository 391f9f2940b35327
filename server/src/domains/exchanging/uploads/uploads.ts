import type { Attachment } from '@notevault/protocol/attachments.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { ANNOUNCED_MAX, OPEN_UPLOADS_MAX } from '@notevault/protocol/upload-limits.ts';
import { NIL_UUID, parseUuid, type UserId, type VaultId } from '@notevault/protocol/values/ids.ts';
import { whilePermitted } from '../../../concurrency/while-permitted.ts';
import type { Clock } from '../../../ports/clock/clock.ts';
import type { Database, ReadHandle, WriteHandle } from '../../../ports/database/database.ts';
import type { Credentials } from '../../connecting/credentials/credentials.ts';
import type { Accounts } from '../../content/accounts/accounts.ts';
import type { Attachments } from '../../content/attachments/attachments.ts';
import type { WriteContext } from '../../content/entries/entries.ts';
import type { OpenVault, Vaults } from '../../content/vaults/vaults.ts';
import type { Principal } from '../../foundation/access/access.ts';
import { runUnder, Standing, versionsOf } from '../../foundation/rights/rights.ts';
import { appendSlice, KEPT_MS, type Progress, type Sender } from './append.ts';
import type { Slice } from './receiving.ts';
import { checkSpace, lockSpace, reservedSpan, reservedUntil } from './reservation.ts';
import { openMeta, openOutcome, sealMeta, sealOutcome, type UploadMeta } from './sealed-upload.ts';
import { expectedOf, type UploadFields } from './upload-headers.ts';
import * as store from './uploads.store.ts';
import type { UploadRow } from './uploads.tables.ts';

export interface UploadDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly accounts: Pick<Accounts, 'lockUser'>;
  readonly vaults: Pick<Vaults, 'openVault' | 'openAsSystem' | 'confirmRights' | 'list'>;
  readonly attachments: Pick<Attachments, 'upload' | 'announced'>;
  readonly credentials: Pick<Credentials, 'recall'>;
}

const SWEEP_BATCH = 100;
/** The hash of no bytes, with which an upload of an empty file ends. */
const NO_BYTES = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** An upload as its creator sees it. */
export interface OpenedUpload {
  readonly id: string;
  readonly length: number;
  readonly offset: number;
  readonly expiresAt: number;
  readonly meta: UploadMeta;
  readonly attachment: Attachment | null;
}

/** An upload with the access to its vault that its caller has now. */
export interface HeldUpload {
  readonly row: UploadRow;
  readonly principal: Principal;
  readonly vault: OpenVault;
  readonly meta: UploadMeta;
}

/** An open upload as the owner of its vault sees it. */
export interface UploadInto {
  readonly row: Pick<UploadRow, 'id' | 'vault_id' | 'user_id' | 'length_bytes' | 'received_bytes' | 'expires_at'> & {
    readonly display_name: string | null;
  };
  readonly path: string;
  readonly vaultName: string;
  /** Null when it keeps no room. */
  readonly reservedUntil: number | null;
}

/** The target of a request: an upload, and the vault of its header, if any. */
export interface UploadRequest {
  readonly principal: Principal;
  readonly id: string;
  readonly vaultHeader: string | null;
}

/**
 * Receives attachments in slices, over any number of requests and processes. Each slice is stored as blobs; the offset
 * in the upload's row advances by compare-and-set once they are durable. The last slice turns all of them into one
 * attachment, and the upload is marked as done in the same transaction, so a complete upload always is an attachment.
 */
export class Uploads {
  readonly #deps: UploadDeps;

  constructor(deps: UploadDeps) {
    this.#deps = deps;
  }

  /**
   * Begins an upload and reserves space for its bytes. Throws the errors of a `PUT` of the attachment, regardless of
   * its bytes, and `too_many_uploads`, `body_too_large`.
   */
  async create(context: WriteContext<OpenedUpload>, principal: Principal, fields: UploadFields): Promise<OpenedUpload> {
    const { db, clock, attachments } = this.#deps;
    const { vault } = context;
    const { length: bytes, ...meta } = fields;
    const tooLarge = () => new NotevaultError('body_too_large', { max: ANNOUNCED_MAX });
    const announced = { path: meta.path, bytes, limit: { bytes: ANNOUNCED_MAX, error: tooLarge } };
    await attachments.announced.check(vault, announced, expectedOf(meta));
    const row = this.#rowOf(principal, vault, fields);
    if (bytes === 0) return this.#createEmpty(context, row, meta);
    await this.#endForgotten(principal);
    const upload = opened(vault, row);
    await db.transact(async (handle) => {
      await lockSpace(this.#deps, handle, principal.userId, vault);
      const open = await handle.all(store.findOpen, { userId: principal.userId, now: clock.now() });
      await checkSpace(this.#deps, handle, vault, announced, open);
      await handle.run(store.insertUpload, row);
      await context.inTransaction?.(handle, upload);
    });
    return upload;
  }

  /** Throws `upload_not_found`, `upload_gone`. */
  async read(request: UploadRequest): Promise<OpenedUpload> {
    const { row, vault } = await this.#hold(request);
    return opened(vault, row);
  }

  /**
   * Stores a slice, and with the last one makes the attachment; resolves to the progress. Throws `upload_offset`,
   * `upload_refused`, `slice_too_short`, `checksum_mismatch`, `body_too_large`.
   */
  async append(request: UploadRequest, slice: Slice, by: Sender): Promise<Progress> {
    const held = await this.#hold(request);
    const { principal, vault: opened } = held;
    const subject = { userId: principal.userId, vaultId: opened.id };
    const standing = new Standing(subject, versionsOf(principal, opened), async () => {
      const current = await this.#deps.credentials.recall(principal);
      if (current === null) throw new NotevaultError('unauthorized');
      return versionsOf(current, await this.#deps.vaults.openVault(current, opened.id, 'write'));
    });
    const recheck = () => this.#deps.vaults.confirmRights(standing);
    const vault = { ...opened, standing };
    const checked = { ...slice, bytes: whilePermitted(slice.bytes, recheck, this.#deps.clock.elapsed) };
    return runUnder(standing, () => appendSlice({ ...this.#deps, recheck }, { ...held, vault }, checked, by));
  }

  /** Ends an upload and removes its bytes; an attachment that it has become stays. Throws `upload_not_found`. */
  async end(request: UploadRequest): Promise<void> {
    const { row } = await this.#hold(request, 'any');
    await this.#remove(row);
  }

  /** Returns the open uploads into the vaults of an account, including those that others began. */
  async listInto(principal: Principal): Promise<UploadInto[]> {
    const { db, clock, vaults } = this.#deps;
    const own = (await vaults.list(principal, { deleted: false })).filter(({ role }) => role === 'owner');
    const names = new Map(own.map(({ id, name }) => [id, name]));
    const now = clock.now();
    const rows = await db.allMany(store.findInto, { now }, [...names.keys()]);
    const opened = new Map<VaultId, OpenVault>();
    for (const id of new Set(rows.map((row) => row.vault_id))) {
      opened.set(id, await vaults.openVault(principal, id, 'read'));
    }
    return rows.flatMap((row) => {
      const vault = opened.get(row.vault_id);
      if (vault === undefined) return [];
      const { path } = openMeta(vault, row);
      return { row, path, vaultName: names.get(vault.id) ?? '', reservedUntil: reservedUntil(row, now) };
    });
  }

  /** Ends an open upload into a vault of the account, even if another person began it. Throws `upload_not_found`. */
  async endInto(principal: Principal, id: string): Promise<void> {
    const { db, vaults } = this.#deps;
    const known = parseUuid(id);
    const row = known === null ? undefined : await db.get(store.findOpenById, { id: known });
    if (row === undefined) throw new NotevaultError('upload_not_found');
    const vault = await vaults.openVault(principal, row.vault_id, 'read').catch(unknownUpload);
    if (vault.role !== 'owner') throw new NotevaultError('upload_not_found');
    await this.#remove(row);
  }

  /** Bytes reserved by uploads into some vaults, except those of one upload. */
  async announcedBytes(handle: ReadHandle, vaultIds: readonly VaultId[], except: string | null): Promise<number> {
    const now = this.#deps.clock.now();
    const span = { now, ...reservedSpan(now), except: except ?? NIL_UUID };
    const rows = await handle.allMany(store.findAnnounced, span, vaultIds);
    return rows.reduce((sum, { length_bytes }) => sum + length_bytes, 0);
  }

  /** Returns the number of open uploads; NaN if the database is unavailable. */
  async count(): Promise<number> {
    const { db, clock } = this.#deps;
    const counted = await db.get(store.countOpen, { now: clock.now() }).catch(() => undefined);
    return counted?.count ?? Number.NaN;
  }

  /** Deletes the uploads of a person into a vault that is taken away from them. */
  async forgetVault(handle: WriteHandle, userId: UserId, vaultId: VaultId): Promise<void> {
    await handle.run(store.deleteUploadsOf, { user_id: userId, vault_id: vaultId });
  }

  /** Removes expired uploads. */
  async sweep(): Promise<void> {
    const { db, clock } = this.#deps;
    const until = clock.now();
    for (;;) {
      const rows = await db.all(store.findExpired, { until, limit: SWEEP_BATCH });
      for (const row of rows) await this.#remove(row);
      if (rows.length < SWEEP_BATCH) return;
    }
  }

  #rowOf(principal: Principal, vault: OpenVault, { length, ...meta }: UploadFields): UploadRow {
    const { clock } = this.#deps;
    const id = clock.uuid();
    return {
      id,
      user_id: principal.userId,
      vault_id: vault.id,
      credential_kind: principal.kind,
      credential_id: principal.credentialId,
      state: 'open',
      length_bytes: length,
      received_bytes: 0,
      meta: sealMeta(vault, id, meta),
      outcome: null,
      expires_at: clock.now() + KEPT_MS,
      progressed_at: clock.now(),
    };
  }

  /** An empty file has no slice that could end its upload. */
  async #createEmpty(context: WriteContext<OpenedUpload>, row: UploadRow, meta: UploadMeta): Promise<OpenedUpload> {
    const { vault, inTransaction, ...by } = context;
    let done: UploadRow = row;
    const input = { path: () => meta.path, bytes: noBytes(), declaredBytes: 0, mtime: () => meta.mtime ?? undefined };
    const insert = async (handle: WriteHandle, attachment: Attachment) => {
      const outcome = sealOutcome(vault, row.id, { attachment, slice: { from: 0, hash: NO_BYTES } });
      done = { ...row, state: 'done', outcome };
      await handle.run(store.insertUpload, done);
      await inTransaction?.(handle, opened(vault, done));
    };
    await this.#deps.attachments.upload({ ...by, vault, inTransaction: insert }, () => input, expectedOf(meta));
    return opened(vault, done);
  }

  /** Makes room where an account has as many uploads as it may, and the credentials of some have ended. */
  async #endForgotten({ userId }: Principal): Promise<void> {
    const { db, clock, credentials } = this.#deps;
    const open = await db.all(store.findOpen, { userId, now: clock.now() });
    if (open.length < OPEN_UPLOADS_MAX) return;
    for (const row of open) {
      const kind = row.credential_kind as Principal['kind'];
      const scope = { vaults: new Map(), elsewhere: 'none' } as const;
      const owner = { kind, userId, credentialId: row.credential_id, name: '', tier: '' };
      const recalled = await credentials.recall(kind === 'session' ? owner : { ...owner, scope });
      if (recalled === null) await this.#remove(row);
    }
  }

  async #remove({ id, vault_id }: Pick<UploadRow, 'id' | 'vault_id'>): Promise<void> {
    const { db, attachments } = this.#deps;
    const parts = await db.all(store.findParts, { upload: id });
    // Delete the row before the bytes: no request may continue an upload without its bytes.
    await db.transact((handle) => handle.run(store.deleteUpload, { id }));
    await attachments.announced.remove(
      { id: vault_id },
      parts.map((part) => part.blob_id),
    );
  }

  /**
   * Opens an upload for the credential that began it, which must still have the level write in its vault. Throws
   * `upload_not_found`, also for another vault of the header, and `upload_gone`.
   */
  async #hold({ principal, id, vaultHeader }: UploadRequest, which: 'usable' | 'any' = 'usable'): Promise<HeldUpload> {
    const { db, clock, vaults } = this.#deps;
    const { userId, credentialId } = principal;
    const known = parseUuid(id);
    const row = known === null ? undefined : await db.get(store.findUpload, { id: known, userId, credentialId });
    const isOf = vaultHeader === null || parseUuid(vaultHeader) === row?.vault_id;
    if (row === undefined || !isOf) throw new NotevaultError('upload_not_found');
    const vault = await vaults.openVault(principal, row.vault_id, 'write').catch(unknownUpload);
    const isUsable = row.state !== 'refused' && row.expires_at > clock.now();
    if (!isUsable && which === 'usable') throw new NotevaultError('upload_gone');
    return { row, principal, vault, meta: openMeta(vault, row) };
  }
}

/** Answers a vault that the caller lacks like an unknown upload. */
function unknownUpload(error: unknown): never {
  const isGone = error instanceof NotevaultError && error.code === 'vault_header_not_found';
  throw isGone ? new NotevaultError('upload_not_found') : error;
}

function opened(vault: OpenVault, row: UploadRow): OpenedUpload {
  return {
    id: row.id,
    length: row.length_bytes,
    offset: row.received_bytes,
    expiresAt: row.expires_at,
    meta: openMeta(vault, row),
    attachment: openOutcome(vault, row)?.attachment ?? null,
  };
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}
