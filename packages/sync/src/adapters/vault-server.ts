import { FileShorter, SLICE_BYTES, type SliceOptions } from '@notevault/client/sliced-upload.ts';
import { ApiError, ConnectionError } from '@notevault/client/transport.ts';
import type { VaultClient } from '@notevault/client/vault-client.ts';
import type { BatchResult, UpsertNote } from '@notevault/protocol/notes.ts';
import type { SyncChange } from '@notevault/protocol/sync.ts';
import type { TrashPage } from '@notevault/protocol/trash.ts';
import {
  type ChangesPage,
  type Content,
  DiskChanged,
  type KnownText,
  type NoteText,
  type RefusedOutcome,
  RemoteDamaged,
  type Server,
  ServerStopped,
  ServerUnreachable,
  VaultGone,
  type Written,
} from '../engine/ports.ts';
import type { RemoteMove } from '../plan/operations.ts';
import { kindOf, type RemoteFile } from '../plan/trees.ts';
import { reason } from '../rules/reasons.ts';

/**
 * A version that no note has. A write that names it creates a note at a free path and is refused at a taken one, so an
 * upload of a new file never overwrites a note that another client has created at its path meanwhile.
 */
const NO_VERSION = Number.MAX_SAFE_INTEGER;
/** Maximum total length of the texts that are kept until they are read. */
const FETCHED_LENGTH = 32 * 1024 * 1024;
/** Maximum total length of the texts in one request, in UTF-16 code units. */
const BATCH_LENGTH = 4 * 1024 * 1024;
/** Maximum number of texts in one request. Imported from the protocol, it would bundle 50 KB of schemas with the plugin. */
const KNOWN_NOTES_MAX = 500;
/** Maximum pages of the trash that are read to find recent deletions. */
const TRASH_PAGES = 5;

/** The paths of notes that somebody has taken out of the trash, until they are on the server. */
export interface RestoredPaths {
  has(path: string): boolean;
  arrived(path: string): void;
}

const NONE_RESTORED: RestoredPaths = { has: () => false, arrived: () => undefined };

/** Implements the `Server` port over the HTTP API of a Notevault server. */
export class VaultServer implements Server {
  readonly #vault: VaultClient;
  readonly #restored: RestoredPaths;
  readonly #slices: SliceOptions | null;
  /** Notes that came with the change feed, until they are read. */
  readonly #fetched = new Map<string, Pick<SyncChange, 'content_hash' | 'version' | 'content'>>();
  #fetchedLength = 0;
  /** The hashes of what was deleted, by id, as the change feed has told since the start. */
  readonly #deleted = new Map<string, string>();
  /** The ids of what is in the trash, as it was in this run. */
  #trash: Promise<ReadonlySet<string>> | null = null;

  /**
   * @param slices set where a request cannot carry a whole file: attachments that are longer than a slice are sent and
   * read in slices.
   */
  constructor(vault: VaultClient, restored = NONE_RESTORED, slices: SliceOptions | null = null) {
    this.#vault = vault;
    this.#restored = restored;
    this.#slices = slices;
  }

  async changes(cursor: string | null, isForAll = false): Promise<ChangesPage | null> {
    const content = isForAll && this.#fetchedLength < FETCHED_LENGTH;
    const page = await reached(this.#vault.changes(cursor, { content })).catch((error: unknown) => {
      // A cursor of another vault, from before the server was set up anew.
      if (error instanceof ApiError && error.code === 'invalid_cursor') return null;
      throw error;
    });
    if (page === null) return null;
    this.#trash = null;
    for (const change of page.changes) {
      if (change.content !== undefined) this.#keep(change);
      if (change.deleted) this.#deleted.set(change.id, change.content_hash);
      else this.#deleted.delete(change.id);
    }
    const changes = page.changes.map(({ id, path, content_hash: hash, version, mtime, deleted }) => ({
      id,
      path,
      hash,
      version: version ?? null,
      mtime,
      deleted,
    }));
    const unreadable = page.unreadable.map(({ id }) => id);
    const isReadOnly = page.access === 'read';
    const seq = page.change_seq ?? null;
    return { changes, unreadable, cursor: page.resume_cursor, hasMore: page.has_more, seq, isReadOnly };
  }

  async hasInTrash(id: string, hash: string): Promise<boolean> {
    if (this.#deleted.get(id) !== hash) return false;
    this.#trash ??= this.#idsInTrash();
    return (await this.#trash).has(id);
  }

  /** Returns the ids of recently deleted items; none if the trash cannot be read, as for viewers. */
  async #idsInTrash(): Promise<ReadonlySet<string>> {
    const ids = new Set<string>();
    let cursor: string | null = null;
    for (let pages = 0; pages < TRASH_PAGES; pages++) {
      const page: TrashPage | null = await this.#vault.trash(cursor).catch(() => null);
      for (const item of page?.items ?? []) ids.add(item.id);
      cursor = page?.next_cursor ?? null;
      if (cursor === null) break;
    }
    return ids;
  }

  async folders(): Promise<readonly string[]> {
    return reached(this.#vault.explicitFolders());
  }

  async read({ id, path }: Pick<RemoteFile, 'id' | 'path'>): Promise<Content | null> {
    if (kindOf(path) === 'attachment' && this.#slices !== null) {
      const { sliceBytes: rangeBytes, signal } = this.#slices;
      const options = { ...(rangeBytes && { rangeBytes }), ...(signal && { signal }) };
      const found = await reached(this.#vault.readAttachmentInRanges(path, options));
      return found === null ? null : { ...found, version: null, bytes: reachedPieces(found.bytes) };
    }
    if (kindOf(path) === 'attachment') {
      const found = await reached(this.#vault.readAttachment(path));
      if (found === null) return null;
      return { hash: found.hash, version: null, size: found.size, bytes: reachedBytes(found.bytes.getReader()) };
    }
    const note = this.#taken(id) ?? (await reached(this.#vault.readNoteById(id)));
    if (note === null) return null;
    const bytes = new TextEncoder().encode(note.content);
    return { hash: note.content_hash, version: note.version, size: bytes.length, bytes: once(bytes) };
  }

  async known(texts: readonly Pick<RemoteFile, 'path' | 'hash'>[]): Promise<readonly KnownText[] | null> {
    const known: KnownText[] = [];
    for (let at = 0; at < texts.length; at += KNOWN_NOTES_MAX) {
      const slice = texts.slice(at, at + KNOWN_NOTES_MAX).map(({ path, hash }) => ({ path, content_hash: hash }));
      const found = await reached(this.#vault.knownNotes(slice));
      if (found === null) return null;
      known.push(...found);
    }
    return known;
  }

  #keep({ id, content_hash, version, content }: SyncChange): void {
    this.#fetched.set(id, { content_hash, version: version ?? 0, content: content ?? '' });
    this.#fetchedLength += content?.length ?? 0;
  }

  /** Returns a note that came with the change feed, once: it may change after that. */
  #taken(id: string): { readonly content_hash: string; readonly version: number; readonly content: string } | null {
    const { content_hash, version, content } = this.#fetched.get(id) ?? {};
    this.#fetched.delete(id);
    if (content_hash === undefined || version === undefined || content === undefined) return null;
    this.#fetchedLength -= content.length;
    return { content_hash, version, content };
  }

  async createNotes(notes: readonly (NoteText & { readonly id: string })[]): Promise<readonly Written[]> {
    const written: Written[] = [];
    for (let at = 0; at < notes.length; ) {
      const batch: UpsertNote[] = [];
      const isRestored = this.#restored.has(notes[at]?.path ?? '');
      for (let length = 0; at < notes.length; at++) {
        const { path, text, mtime, id } = notes[at] as (typeof notes)[number];
        length += text.length;
        if (batch.length > 0 && (length > BATCH_LENGTH || this.#restored.has(path) !== isRestored)) break;
        batch.push({ path, content: text, mtime, version: NO_VERSION, id });
      }
      const results = await this.#written(async () => this.#vault.upsertNotes(batch, isRestored));
      for (const [index, { path, mtime }] of batch.entries()) {
        const one = 'kind' in results ? results : itemOf(results[index], mtime);
        if (isRestored && one.kind === 'written') this.#restored.arrived(path);
        written.push(one);
      }
    }
    return written;
  }

  async pushNote(id: string, { path, text, mtime }: NoteText, version: number) {
    const result = await this.#written(() => this.#vault.upsertNote({ id, path, content: text, mtime, version }));
    if ('kind' in result) return 'isVersionGone' in result ? ({ kind: 'version gone' } as const) : result;
    return result.id === id ? { ...written(result), text: result.content } : ({ kind: 'changed' } as const);
  }

  async putAttachment(
    path: string,
    bytes: () => AsyncIterable<Uint8Array>,
    size: number,
    mtime: number,
    over: string | null,
  ): Promise<Written> {
    let failure: Error | undefined;
    const read = async function* () {
      try {
        yield* bytes();
      } catch (error) {
        failure = error instanceof Error ? error : new Error(String(error));
        throw failure;
      }
    };
    const body = () => {
      // That the file cannot be read is no failure of the connection, and trying again does not help.
      if (failure !== undefined) throw failure;
      return read();
    };
    const put = () =>
      this.#slices === null || size <= (this.#slices.sliceBytes ?? SLICE_BYTES)
        ? this.#vault.putAttachment(path, { bytes: body, mtime, over })
        : this.#vault.putAttachmentInSlices({ path, size, mtime, over, bytes: body }, this.#slices);
    const result = await this.#written(put).catch((error: unknown) => {
      if (error instanceof FileShorter) throw new DiskChanged(path, { cause: error });
      throw failure ?? error;
    });
    return 'kind' in result ? result : written(result);
  }

  async move({ id, path }: Pick<RemoteFile, 'id' | 'path'>, to: string): Promise<Written> {
    const result = await this.#written(() => this.#rename(path, to));
    if ('kind' in result) return result;
    if (result.id === id) return written(result);
    // Another file has taken the path since: that note stays where it is.
    await this.#written(() => this.#rename(to, path));
    return { kind: 'changed' };
  }

  async #rename(from: string, to: string): Promise<RemoteFields> {
    if (kindOf(from) === 'note') return (await this.#vault.renameNote(from, to)).note;
    return (await this.#vault.renameAttachment(from, to)).attachment;
  }

  async moveMany(moves: readonly RemoteMove[]) {
    const renames = moves.map(({ id, from, to: path }) => ({ id, from, path }));
    const result = await this.#written(async () => {
      return this.#vault.renameMany(renames).catch((error: unknown) => {
        if (error instanceof ApiError && isUnknownOperation(error)) return OLD_SERVER;
        throw error;
      });
    });
    if ('kind' in result) return result;
    return { kind: 'moved' as const, paths: new Map(result.items.map(({ id, path }) => [id, path])) };
  }

  async moveFolder(from: string, to: string): Promise<'moved' | 'changed'> {
    const result = await this.#written(() => this.#vault.renameFolder(from, to));
    return 'kind' in result ? 'changed' : 'moved';
  }

  async delete({ id, path, hash }: Pick<RemoteFile, 'id' | 'path' | 'hash'>): Promise<'deleted' | 'changed'> {
    const result = await this.#written(async () => {
      await (kindOf(path) === 'note' ? this.#vault.deleteNote(id, hash) : this.#vault.deleteAttachment(path, hash));
      return {};
    });
    return 'kind' in result ? 'changed' : 'deleted';
  }

  async makeFolder(path: string): Promise<'made' | 'changed'> {
    return 'kind' in (await this.#written(() => this.#vault.createFolder(path))) ? 'changed' : 'made';
  }

  async removeFolder(path: string): Promise<void> {
    await this.#written(async () => {
      await this.#vault.deleteFolder(path);
      return {};
    });
  }

  /** Maps errors about the file to a result; rethrows errors about the server or the credential. */
  async #written<Result extends object>(write: () => Promise<Result>): Promise<Result | Refusal> {
    try {
      return await reached(write());
    } catch (error) {
      if (error instanceof RemoteDamaged) return { kind: 'refused', reason: error.message };
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 404 || isReadOnlyNow(error)) return { kind: 'changed' };
      if (error.body.reason === RECENTLY_DELETED) return JUST_DELETED;
      if (error.status === 409)
        return error.code === 'version_conflict' && error.body.server_note
          ? { kind: 'changed', isVersionGone: true }
          : { kind: 'changed' };
      return { kind: 'refused', reason: reasonOf(error) };
    }
  }
}

/** Returns whether a server does not know an operation on items: of an unknown item it would say which. */
function isUnknownOperation({ status, code, body }: ApiError): boolean {
  return status === 404 && code !== VAULT_NOT_FOUND && !('item_id' in body);
}

const VAULT_NOT_FOUND = 'Vault not found';

/** The role was lowered since the plan was made: the next page of the feed says so. */
function isReadOnlyNow({ status, code }: ApiError): boolean {
  return status === 403 && code === 'insufficient_access';
}

type Refusal = { readonly kind: 'changed'; readonly isVersionGone?: true } | RefusedOutcome;

const RECENTLY_DELETED = 'recently_deleted';
/** The server takes a note with the same path and text as one that another device has deleted only after a minute. */
const JUST_DELETED: RefusedOutcome = {
  kind: 'refused',
  reason: reason('justDeleted'),
  retryMs: 60_000,
};

/** Renaming the files one after the other would need a name that everybody sees for a moment. */
const OLD_SERVER: RefusedOutcome = { kind: 'refused', reason: reason('swapNeedsUpdate'), retryMs: 60 * 60 * 1000 };

interface RemoteFields {
  readonly id: string;
  readonly path: string;
  readonly content_hash: string;
  readonly version?: number;
  readonly mtime: number;
}

function written({
  id,
  path,
  content_hash: hash,
  version,
  mtime,
}: RemoteFields): Extract<Written, { kind: 'written' }> {
  return { kind: 'written', file: { id, path, hash, version: version ?? null, mtime } };
}

function itemOf(result: BatchResult | undefined, mtime: number): Written {
  if (result?.status === 'error') {
    const reasons = Object.values(result.errors ?? {}).flat();
    return { kind: 'refused', reason: reasons.join(', ') || reason('refused', { code: 'error' }) };
  }
  if (result?.reason === RECENTLY_DELETED) return JUST_DELETED;
  const { id, content_hash: hash, version, path, server_path: stored } = result ?? {};
  if (id === undefined || hash === undefined || result?.status !== 'ok') return { kind: 'changed' };
  return written({ id, path: stored ?? path ?? '', content_hash: hash, ...(version && { version }), mtime });
}

const DAMAGE_CODES: ReadonlySet<string> = new Set(['note_unreadable', 'attachment_unreadable']);

function reasonOf({ status, code, body }: ApiError): string {
  if (status === 402) return reason('quota', { reason: typeof body.reason === 'string' ? body.reason : code });
  if (status === 413) return reason('tooLarge');
  if (code === 'extension_not_allowed') return reason('extension');
  if (code === 'mime_not_allowed') return reason('mime');
  const fields = Object.values((body.errors ?? {}) as Record<string, readonly string[]>).flat();
  return fields.length > 0 ? fields.join(', ') : reason('refused', { code });
}

/** Maps network and credential errors to the engine's own errors; rethrows errors about the request itself. */
export async function reached<Result>(answer: Promise<Result>): Promise<Result> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ConnectionError) throw new ServerUnreachable(error.message, { cause: error });
    if (!(error instanceof ApiError)) throw error;
    if (DAMAGE_CODES.has(error.code)) throw new RemoteDamaged(reason('damaged'), { cause: error });
    if (error.status >= 500 || error.status === 429)
      throw new ServerUnreachable(reason('answered', { status: error.status, code: error.code }), { cause: error });
    if (error.code === 'invalid_refresh_token') throw new VaultGone(reason('linkEnded'), { cause: error });
    if (error.status === 401) throw new ServerStopped(reason('unknownDevice'), { cause: error });
    if (error.code === 'owner_suspended') throw new ServerUnreachable(reason('suspended'), { cause: error });
    if (error.status === 403 && !isReadOnlyNow(error))
      throw new ServerStopped(reason('notAllowed', { code: error.code }), { cause: error });
    if (error.status === 404 && error.code === VAULT_NOT_FOUND)
      throw new VaultGone(reason('vaultGone'), { cause: error });
    throw error;
  }
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

async function* reachedPieces(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const reading = pieces[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await reached(reading.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await reading.return?.();
  }
}

/** Yields the downloaded bytes. A broken connection is thrown as a transient failure. */
async function* reachedBytes(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncIterable<Uint8Array> {
  try {
    for (;;) {
      const next = await reader.read().catch((cause: unknown) => {
        throw new ServerUnreachable(reason('broken'), { cause });
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // The rest is not wanted, or there is none.
    await reader.cancel().catch(() => undefined);
  }
}
