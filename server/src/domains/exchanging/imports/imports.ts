import { NotevaultError } from '@notevault/protocol/errors.ts';
import { IMPORT_BYTES_MAX } from '@notevault/protocol/import-limits.ts';
import type { Import, ImportQuery } from '@notevault/protocol/imports.ts';
import { operations } from '@notevault/protocol/operations.ts';
import { type BlobId, NIL_UUID, type UserId, type VaultId } from '@notevault/protocol/values/ids.ts';
import { isSet } from '@notevault/protocol/values/schemas.ts';
import { isoTime } from '@notevault/protocol/values/time.ts';
import type { Static } from 'typebox';
import { runForTenant } from '../../../concurrency/tenant.ts';
import { whilePermitted } from '../../../concurrency/while-permitted.ts';
import { BlobError, type Blobs } from '../../../ports/blobs/blobs.ts';
import { type Clock, latestPlausible } from '../../../ports/clock/clock.ts';
import type { Database, WriteHandle } from '../../../ports/database/database.ts';
import type { Credentials } from '../../connecting/credentials/credentials.ts';
import type { Attachments } from '../../content/attachments/attachments.ts';
import type { Folders } from '../../content/entries/entries.ts';
import type { Links } from '../../content/links/links.ts';
import type { Notes } from '../../content/notes/notes.ts';
import type { OpenVault, VaultCache, Vaults } from '../../content/vaults/vaults.ts';
import type { Principal } from '../../foundation/access/access.ts';
import { currentStanding, NO_RIGHTS, runUnder, Standing, versionsOf } from '../../foundation/rights/rights.ts';
import { ARCHIVE_LIMITS, ArchiveError, type ArchiveLimits } from './archive/archive.ts';
import { isOfStore } from './archive/zip.ts';
import * as store from './imports.store.ts';
import type { ImportRow, ImportState } from './imports.tables.ts';
import { newProgress, type Progress, progressContext, sealedProgress } from './progress.ts';
import { beating, runImport } from './run.ts';
import { openSource } from './source.ts';
import { StoredArchives } from './stored-archives.ts';

export interface ImportDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly blobs: Blobs;
  readonly vaults: Pick<Vaults, 'openVault' | 'openAsSystem' | 'rolesIn' | 'confirmRights'>;
  readonly credentials: Pick<Credentials, 'recall'>;
  readonly cache: Pick<VaultCache, 'snapshot'>;
  readonly notes: Pick<Notes, 'upsertMany' | 'cache'>;
  readonly attachments: Pick<Attachments, 'upload' | 'cache'>;
  readonly folders: Pick<Folders, 'listAt' | 'create'>;
  readonly links: Pick<Links, 'countDangling'>;
  /** Reports a failure that nobody waits for. */
  readonly failed: (error: unknown) => void;
}

export const KEPT_MS = 24 * 60 * 60_000;
const LEASE_MS = 2 * 60_000;
const BEAT_MS = 30_000;
/** Imports that one process runs at once. */
const AT_ONCE = 2;
const SWEEP_BATCH = 100;

/**
 * Imports of archives into vaults: each account has one at a time. The archive is kept sealed until the import is over
 * and not a dry run, at most a day; a background job imports it, and continues after a crash.
 */
export class Imports {
  readonly #deps: ImportDeps;
  readonly #archives: StoredArchives;
  readonly #extensions: ReadonlySet<string>;
  readonly #limits: ArchiveLimits;

  /** @param extensions of attachments. */
  constructor(deps: ImportDeps, extensions: ReadonlySet<string>, limits: ArchiveLimits = ARCHIVE_LIMITS) {
    this.#deps = deps;
    this.#archives = new StoredArchives(deps.blobs);
    this.#extensions = extensions;
    this.#limits = limits;
  }

  /** Stores an archive and starts its import. Throws `import_in_progress`, `body_too_large`, errors of `open`. */
  async start(
    principal: Principal,
    { vault_id, dry_run }: Static<typeof ImportQuery>,
    stream: { readonly bytes: AsyncIterable<Uint8Array>; readonly declaredBytes: number | null },
  ): Promise<string> {
    const { db, clock, vaults } = this.#deps;
    const open = () => vaults.openVault(principal, vault_id, operations.startImport.named);
    const vault = await open();
    const standing = currentStanding()?.forVault(vault, open);
    const tooLarge = () => new NotevaultError('body_too_large', { max: IMPORT_BYTES_MAX });
    if ((stream.declaredBytes ?? 0) > IMPORT_BYTES_MAX) throw tooLarge();
    await this.#makeRoom(principal);
    const [id, blobId] = [clock.uuid(), clock.uuid() as BlobId];
    const permitted =
      standing === undefined
        ? stream.bytes
        : whilePermitted(stream.bytes, () => vaults.confirmRights(standing), clock.elapsed);
    let size = 0;
    async function* counted() {
      for await (const piece of permitted) {
        size += piece.length;
        if (size > IMPORT_BYTES_MAX) throw tooLarge();
        yield piece;
      }
    }
    await this.#archives.put(vault, blobId, counted());
    const now = clock.now();
    const row: ImportRow = {
      id,
      user_id: principal.userId,
      vault_id: vault.id,
      state: 'queued',
      dry_run: isSet(dry_run) ? 1 : 0,
      blob_id: blobId,
      size_bytes: size,
      progress: sealedProgress.seal(vault.key, progressContext(id), newProgress(principal.credentialId)),
      created_at: now,
      expires_at: now + KEPT_MS,
      lease_until: 0,
    };
    try {
      const insert = () => db.transact((handle) => handle.run(store.insertImport, row));
      const inserted = await runUnder(standing, insert);
      if (inserted === 0) throw new NotevaultError('import_in_progress');
      return id;
    } catch (error) {
      await this.#archives.erase(vault.id, blobId);
      throw error;
    }
  }

  async list(principal: Principal): Promise<Import[]> {
    const { db, clock, vaults } = this.#deps;
    const row = await db.get(store.findOfUser, { userId: principal.userId, now: clock.now() });
    if (row === undefined) return [];
    const roles = await vaults.rolesIn(db, principal.userId, [row.vault_id]);
    const vault = roles.size === 0 ? null : await vaults.openAsSystem(row.vault_id);
    return vault === null ? [] : [importView(row, vault)];
  }

  /** Throws `import_not_found`. */
  async read(principal: Principal, id: string): Promise<Import> {
    const found = (await this.list(principal)).find((each) => each.id === id);
    if (found === undefined) throw new NotevaultError('import_not_found');
    return found;
  }

  /** Ends an import; what it has written stays. Throws `import_not_found`. */
  async cancel(principal: Principal, id: string): Promise<void> {
    const { id: known } = await this.read(principal, id);
    await this.#deps.db.transact((handle) => handle.run(store.cancel, { id: known, userId: principal.userId }));
    await this.sweep();
  }

  /** Imports what a dry run has reported. Throws `import_not_found`, `import_not_applicable`. */
  async apply(principal: Principal, id: string): Promise<void> {
    const { db, clock, vaults } = this.#deps;
    const found = await this.read(principal, id);
    const open = () => vaults.openVault(principal, found.vault_id, operations.applyImport.named);
    const vault = await open();
    const progress = sealedProgress.seal(vault.key, progressContext(id), newProgress(principal.credentialId));
    const change = { id: found.id, userId: principal.userId, now: clock.now(), progress };
    const apply = () => db.transact((handle) => handle.run(store.apply, change));
    if ((await runUnder(currentStanding()?.forVault(vault, open), apply)) === 0) {
      throw new NotevaultError('import_not_applicable');
    }
  }

  /** Runs the imports that wait, until there are none. */
  async runWaiting(signal?: AbortSignal): Promise<void> {
    const next = async () => {
      while (signal?.aborted !== true) {
        const { db, clock } = this.#deps;
        const now = clock.now();
        const row = await db.transact((handle) =>
          handle.get(store.claim, { now, until: now + LEASE_MS, latest: latestPlausible(now, LEASE_MS) }),
        );
        if (row === undefined) return;
        await runForTenant(row.user_id, () => this.#run(row, signal));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
    await this.sweep();
  }

  /** Erases archives that are not needed any more, and imports of yesterday. */
  async sweep(): Promise<void> {
    const { db, clock } = this.#deps;
    const now = clock.now();
    for (;;) {
      const rows = await db.all(store.findArchives, { now, limit: SWEEP_BATCH });
      for (const { id, vault_id: vaultId, blob_id: blobId } of rows) {
        // The bytes first: as long as the row names them, they can be found again.
        if (blobId !== null) await this.#archives.erase(vaultId, blobId);
        await db.transact((handle) => handle.run(store.forgetArchive, { id }));
      }
      if (rows.length < SWEEP_BATCH) break;
    }
    await db.transact((handle) => handle.run(store.deleteExpired, { now }));
  }

  /** Ends the last import of an account that is over, so that another can begin. */
  async #makeRoom({ userId }: Principal): Promise<void> {
    const { db, clock, vaults } = this.#deps;
    const now = clock.now();
    const ended = await db.transact((handle) => handle.get(store.deleteEnded, { userId, now }));
    if (ended?.blob_id != null) await this.#archives.erase(ended.vault_id, ended.blob_id);
    const running = await db.get(store.findOfUser, { userId, now });
    if (running === undefined) return;
    if ((await vaults.openAsSystem(running.vault_id)) !== null) throw new NotevaultError('import_in_progress');
    // Its vault was deleted meanwhile.
    await db.transact((handle) => handle.run(store.deleteImport, { id: running.id }));
  }

  async #run(row: ImportRow, signal: AbortSignal | undefined): Promise<void> {
    const { clock, failed } = this.#deps;
    const opened = await this.#deps.vaults.openAsSystem(row.vault_id);
    // The row goes with the vault.
    const blobId = row.blob_id;
    if (opened === null || blobId === null) return;
    const progress = sealedProgress.open(opened.key, progressContext(row.id), row.progress);
    const standing = this.#standingOf(row, progress);
    const vault = { ...opened, standing };
    const claim = new Claim(this.#deps, row, vault);
    const beat = () => claim.beat(progress, clock.now());
    const run = async () => {
      await standing.renew();
      const source = await openSource(this.#archives.reader(vault, blobId, row.size_bytes), this.#limits, {
        store: (bytes) => this.#archives.putInner(vault, blobId, beating(bytes, beat)),
        beat,
      });
      const ended = await runImport(this.#deps, {
        id: row.id,
        userId: row.user_id,
        vault,
        source,
        progress,
        dryRun: row.dry_run === 1,
        extensions: this.#extensions,
        save: async () => (await claim.save('running', progress)) && signal?.aborted !== true,
        beat,
      });
      if (ended) await claim.save('done', progress);
    };
    try {
      await runUnder(standing, run);
    } catch (error) {
      // Erased meanwhile: the import was cancelled, or another process runs it.
      if (error instanceof BlobError && error.code === 'gone') return;
      // The lease expires, and then the import continues.
      if (isOfStore(error) || (error instanceof NotevaultError && error.code === 'unavailable')) throw error;
      progress.error = faultOf(error);
      if (progress.error === 'internal') failed(error);
      await claim.save('failed', progress);
    } finally {
      await this.#archives.eraseInner(row.vault_id, blobId);
    }
  }

  /** The standing of the session that began an import, which the server runs long after the request. */
  #standingOf({ user_id: userId, vault_id: vaultId }: ImportRow, { session }: Progress): Standing {
    const { credentials, vaults } = this.#deps;
    const began = { kind: 'session', userId, credentialId: session ?? NIL_UUID, name: '', tier: '' } as const;
    return new Standing({ userId, vaultId }, NO_RIGHTS, async () => {
      const principal = await credentials.recall(began);
      if (principal === null) throw new AccessLost();
      const vault = await vaults.openVault(principal, vaultId, operations.startImport.named).catch((error: unknown) => {
        throw error instanceof NotevaultError && error.code !== 'unavailable' ? new AccessLost() : error;
      });
      return versionsOf(principal, vault);
    });
  }

  /** Ends the import of a person into a vault that is taken away from them. */
  async forgetVault(handle: WriteHandle, userId: UserId, vaultId: VaultId): Promise<void> {
    await handle.run(store.cancelIn, { userId, vaultId });
  }
}

/** Thrown once the session that began an import has ended, or may not write into its vault any more. */
class AccessLost extends Error {
  override readonly name = 'AccessLost';
}

function faultOf(error: unknown): string {
  if (error instanceof AccessLost) return 'access_lost';
  return error instanceof ArchiveError ? error.fault : 'internal';
}

/** The claim of this process on an import, which is renewed with each record of its progress. */
class Claim {
  readonly #deps: ImportDeps;
  readonly #id: string;
  readonly #vault: OpenVault;
  #held: number;

  constructor(deps: ImportDeps, { id, lease_until }: ImportRow, vault: OpenVault) {
    this.#deps = deps;
    this.#id = id;
    this.#vault = vault;
    this.#held = lease_until;
  }

  /** Saves the progress; resolves to false when the import was cancelled or another process runs it. */
  async save(state: ImportState, progress: Progress): Promise<boolean> {
    const { db, clock } = this.#deps;
    const sealed = sealedProgress.seal(this.#vault.key, progressContext(this.#id), progress);
    // Never the same twice: the time of the claim tells one holder from another.
    const now = clock.now();
    const after = this.#held <= latestPlausible(now, LEASE_MS) ? this.#held + 1 : 0;
    const until = state === 'running' ? Math.max(after, now + LEASE_MS) : 0;
    const change = { id: this.#id, held: this.#held, state, until, progress: sealed };
    const saved = (await db.transact((handle) => handle.run(store.saveProgress, change))) > 0;
    this.#held = until;
    return saved;
  }

  /** Renews the claim when a part of it has passed. Throws when it is lost. */
  async beat(progress: Progress, now: number): Promise<void> {
    if (this.#held - now > LEASE_MS - BEAT_MS && this.#held <= latestPlausible(now, LEASE_MS)) return;
    if (!(await this.save('running', progress))) throw new NotevaultError('unavailable');
  }
}

/** An import as its owner sees it. */
function importView(row: ImportRow, vault: OpenVault): Import {
  const { error, done, total, report } = sealedProgress.open(vault.key, progressContext(row.id), row.progress);
  return {
    id: row.id,
    vault_id: row.vault_id,
    dry_run: row.dry_run === 1,
    state: row.state,
    error,
    done,
    total,
    created_at: isoTime(row.created_at),
    expires_at: isoTime(row.expires_at),
    report: { ...report, root: report.root ?? null },
  };
}
