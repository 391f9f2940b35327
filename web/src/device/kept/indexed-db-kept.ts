import type { SyncChange } from '@notevault/protocol/sync.ts';
import { KEPT_DATABASE, KEPT_FILES } from '../../data/kept-names.ts';
import { mediaAddress } from '../../media/media-address.ts';
import { completion, DeviceDatabase, result } from '../../platform/indexed-db.ts';
import { type KeptFile, type KeptStore, type KeptText, type KeptVault, NEWLY_KEPT } from './kept-vault.ts';

interface VaultRow extends KeptVault {
  readonly account: string;
}

interface NoteRow extends KeptText {
  readonly vault: string;
  readonly bytes: number;
  readonly pass: number;
}

interface FileRow extends KeptFile {
  readonly vault: string;
  readonly pass: number;
  /** The cached file; null if none is cached. */
  readonly cached: { readonly path: string; readonly hash: string; readonly size: number } | null;
}

const VAULTS = 'vaults';
const NOTES = 'notes';
const FILES = 'files';
/** Number of files looked up per step. */
const STEP = 20;

/** Vaults of an account in IndexedDB, and their files in a cache. Those of another account are as if they were not there. */
export class IndexedDbKept implements KeptStore {
  readonly #account: string;
  readonly #database: DeviceDatabase;

  constructor(factory: IDBFactory, account: string) {
    this.#account = account;
    this.#database = new DeviceDatabase(factory, KEPT_DATABASE, (database) => {
      database.createObjectStore(VAULTS, { keyPath: 'vault' });
      for (const rows of [NOTES, FILES]) database.createObjectStore(rows, { keyPath: ['vault', 'id'] });
    });
  }

  async vaults(): Promise<readonly KeptVault[]> {
    const { vaults } = await this.#transaction('readonly');
    return (await result<VaultRow[]>(vaults.getAll())).filter(({ account }) => account === this.#account);
  }

  async vault(vault: string): Promise<KeptVault | null> {
    const { vaults } = await this.#transaction('readonly');
    return this.#rowOf(vaults, vault);
  }

  /** Keeps a vault from now on; also changes whether its files are kept. */
  async add(vault: string, withFiles: boolean): Promise<void> {
    const { vaults, done } = await this.#transaction('readwrite');
    const row = (await this.#rowOf(vaults, vault)) ?? { ...NEWLY_KEPT, vault };
    vaults.put({ ...row, withFiles, account: this.#account } satisfies VaultRow);
    await done;
  }

  /** Removes all that is kept of a vault. */
  async remove(vault: string): Promise<void> {
    const { vaults, notes, files, done } = await this.#transaction('readwrite');
    vaults.delete(vault);
    const cached = await result<FileRow[]>(files.getAll(ofVault(vault)));
    for (const rows of [notes, files]) rows.delete(ofVault(vault));
    await done;
    for (const row of cached) await uncache(vault, row);
  }

  async update(vault: string, change: Partial<KeptVault>): Promise<void> {
    const { vaults, done } = await this.#transaction('readwrite');
    const row = await this.#rowOf(vaults, vault);
    if (row !== null) vaults.put({ ...row, ...change });
    await done;
  }

  async apply(vault: string, changes: readonly SyncChange[], cursor: string): Promise<boolean> {
    const { vaults, notes, files, done } = await this.#transaction('readwrite');
    const row = await this.#rowOf(vaults, vault);
    if (row === null) return false;
    let { notes: count, noteBytes } = row;
    const replaced: FileRow[] = [];
    for (const change of changes) {
      const key = [vault, change.id];
      if (change.type === 'note') {
        const before = await result<NoteRow | undefined>(notes.get(key));
        const now = change.deleted ? undefined : noteRow(vault, change, row.pass);
        count += Number(now !== undefined) - Number(before !== undefined);
        noteBytes += (now?.bytes ?? 0) - (before?.bytes ?? 0);
        if (now === undefined) notes.delete(key);
        else notes.put(now);
      } else {
        const before = await result<FileRow | undefined>(files.get(key));
        const { id, path, content_hash: hash, size_bytes: size = 0 } = change;
        const isGone = change.deleted || (before !== undefined && before.cached?.path !== path);
        if (before !== undefined && isGone) replaced.push(before);
        if (change.deleted) files.delete(key);
        else
          files.put({
            ...{ vault, id, path, hash, size, pass: row.pass },
            cached: isGone ? null : (before?.cached ?? null),
          } satisfies FileRow);
      }
    }
    const lost = replaced.flatMap(({ cached }) => cached ?? []);
    const fileBytes = row.fileBytes - lost.reduce((sum, { size }) => sum + size, 0);
    vaults.put({ ...row, cursor, notes: count, noteBytes, files: row.files - lost.length, fileBytes });
    await done;
    for (const file of replaced) await uncache(vault, file);
    return true;
  }

  async sweep(vault: string): Promise<void> {
    const { vaults, notes, files, done } = await this.#transaction('readwrite');
    const row = await this.#rowOf(vaults, vault);
    if (row === null) return;
    const gone = (await result<NoteRow[]>(notes.getAll(ofVault(vault)))).filter(({ pass }) => pass !== row.pass);
    for (const { id } of gone) notes.delete([vault, id]);
    const goneFiles = (await result<FileRow[]>(files.getAll(ofVault(vault)))).filter(({ pass }) => pass !== row.pass);
    for (const { id } of goneFiles) files.delete([vault, id]);
    const lost = goneFiles.flatMap(({ cached }) => cached ?? []);
    vaults.put({
      ...row,
      notes: row.notes - gone.length,
      noteBytes: row.noteBytes - gone.reduce((sum, { bytes }) => sum + bytes, 0),
      files: row.files - lost.length,
      fileBytes: row.fileBytes - lost.reduce((sum, { size }) => sum + size, 0),
    });
    await done;
    for (const file of goneFiles) await uncache(vault, file);
  }

  async missingFiles(vault: string): Promise<readonly KeptFile[]> {
    const { files } = await this.#transaction('readonly');
    const rows = await result<FileRow[]>(files.getAll(ofVault(vault)));
    return rows.filter(({ hash, cached }) => cached?.hash !== hash).slice(0, STEP);
  }

  async putFile(vault: string, file: KeptFile, bytes: Response): Promise<void> {
    const cache = await caches.open(KEPT_FILES);
    await cache.put(mediaAddress(vault, file.path), bytes);
    const { vaults, files, done } = await this.#transaction('readwrite');
    const row = await this.#rowOf(vaults, vault);
    const before = await result<FileRow | undefined>(files.get([vault, file.id]));
    if (row === null || before?.path !== file.path) {
      await done;
      await cache.delete(mediaAddress(vault, file.path));
      return;
    }
    const { path, hash, size } = file;
    files.put({ ...before, cached: { path, hash, size } });
    const isNew = before.cached === null;
    vaults.put({
      ...row,
      files: row.files + Number(isNew),
      fileBytes: row.fileBytes + size - (before.cached?.size ?? 0),
    });
    await done;
  }

  /** A note of any vault that is kept; null if it is not there. */
  async note(vault: string, id: string): Promise<KeptText | null> {
    const { vaults, notes } = await this.#transaction('readonly');
    if ((await this.#rowOf(vaults, vault)) === null) return null;
    return (await result<NoteRow | undefined>(notes.get([vault, id]))) ?? null;
  }

  async #rowOf(vaults: IDBObjectStore, vault: string): Promise<VaultRow | null> {
    const row = await result<VaultRow | undefined>(vaults.get(vault));
    return row?.account === this.#account ? row : null;
  }

  async #transaction(mode: IDBTransactionMode) {
    const transaction = await this.#database.transaction(mode, VAULTS, NOTES, FILES);
    const done = completion(transaction);
    // A failed request already reports the error of its transaction.
    done.catch(() => undefined);
    const [vaults, notes, files] = [VAULTS, NOTES, FILES].map((name) => transaction.objectStore(name)) as [
      IDBObjectStore,
      IDBObjectStore,
      IDBObjectStore,
    ];
    return { vaults, notes, files, done };
  }
}

/** All keys of a vault: arrays come after texts. */
function ofVault(vault: string): IDBKeyRange {
  return IDBKeyRange.bound([vault], [vault, []]);
}

function noteRow(vault: string, { id, path, content = '', version = 1 }: SyncChange, pass: number): NoteRow {
  return { vault, id, path, content, version, pass, bytes: new TextEncoder().encode(content).length };
}

async function uncache(vault: string, { cached }: FileRow): Promise<void> {
  if (cached === null || !('caches' in globalThis)) return;
  await (await caches.open(KEPT_FILES)).delete(mediaAddress(vault, cached.path));
}
