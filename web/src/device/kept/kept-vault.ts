import type { FeedPage } from '@notevault/client/change-feed.ts';
import { ApiError } from '@notevault/client/transport.ts';
import type { SyncChange } from '@notevault/protocol/sync.ts';

/** A vault that is kept on this device, and how far that is. */
export interface KeptVault {
  readonly vault: string;
  readonly withFiles: boolean;
  /** The position in the change feed after what is kept; null at the start. */
  readonly cursor: string | null;
  /** Increases each time the feed is read from its start. Rows not seen again by its end are no longer in the vault. */
  readonly pass: number;
  /** Whether the end of the feed was reached in this pass. */
  readonly isComplete: boolean;
  readonly notes: number;
  readonly noteBytes: number;
  /** Number of files whose bytes are stored. */
  readonly files: number;
  readonly fileBytes: number;
  /** Reason why nothing more is kept: the device or the limit is full. */
  readonly isFull: boolean;
  /** When it last matched the server, in epoch milliseconds; null before the first time. */
  readonly currentAt: number | null;
}

export const NEWLY_KEPT: Omit<KeptVault, 'vault' | 'withFiles'> = {
  cursor: null,
  pass: 1,
  isComplete: false,
  notes: 0,
  noteBytes: 0,
  files: 0,
  fileBytes: 0,
  isFull: false,
  currentAt: null,
};

/** A note of a vault that is kept. */
export interface KeptText {
  readonly id: string;
  readonly path: string;
  readonly content: string;
  readonly version: number;
}

/** File of a vault whose bytes should be kept. */
export interface KeptFile {
  readonly id: string;
  readonly path: string;
  readonly hash: string;
  readonly size: number;
}

/** Store of kept vaults. A confirmed write is on the device's storage; a full device throws `QuotaExceededError`. */
export interface KeptStore {
  vaults(): Promise<readonly KeptVault[]>;
  vault(vault: string): Promise<KeptVault | null>;
  /** Updates the record of a vault, if it is still kept. */
  update(vault: string, change: Partial<KeptVault>): Promise<void>;
  /** Stores the rows of a page and the position after it in one step; resolves to false if the vault is not kept any more. */
  apply(vault: string, changes: readonly SyncChange[], cursor: string): Promise<boolean>;
  /** Removes the rows that the completed pass did not see. */
  sweep(vault: string): Promise<void>;
  /** Returns some files whose bytes are missing or outdated. */
  missingFiles(vault: string): Promise<readonly KeptFile[]>;
  /** Stores the bytes of a file. */
  putFile(vault: string, file: KeptFile, bytes: Response): Promise<void>;
}

export interface KeeperOptions {
  readonly vault: string;
  readonly store: KeptStore;
  changes(cursor: string | null): Promise<FeedPage | null>;
  /** The bytes of a file; null if it is gone. */
  file(path: string): Promise<Response | null>;
  /** How many bytes may be added. */
  room(): Promise<number>;
  /** Called after rows were stored. */
  stored(changes: readonly SyncChange[]): Promise<void>;
  /** Called after the record of the vault changed. */
  changed(): void;
  now(): number;
  /** Resolves when there may be something new. */
  wait(signal: AbortSignal): Promise<void>;
}

/** How a round ended. */
type Round = 'current' | 'full' | 'ended';

/**
 * Keeps a vault on this device until the signal aborts: reads the change feed with its texts, page by page, each stored
 * with the position after it, so that it goes on there after the tab was killed.
 */
export async function keepVault(options: KeeperOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const round = await keepOnce(options, signal);
      if (round === 'ended') return;
    } catch (error) {
      // Another account's, deleted, or not to be read any more: what lists the vaults removes it.
      if (error instanceof ApiError && [403, 404].includes(error.status)) return;
    }
    await options.wait(signal);
  }
}

async function keepOnce(options: KeeperOptions, signal: AbortSignal): Promise<Round> {
  const { vault, store, changed } = options;
  try {
    if (!(await keepNotes(options, signal))) return 'ended';
    const kept = await store.vault(vault);
    if (kept === null || signal.aborted) return 'ended';
    if (kept.withFiles && !(await keepFiles(options, signal))) return 'ended';
    await store.update(vault, { isFull: false, currentAt: options.now() });
    return 'current';
  } catch (error) {
    if (!isFull(error)) throw error;
    await store.update(vault, { isFull: true });
    return 'full';
  } finally {
    changed();
  }
}

/** Reads the feed to its end; resolves to false if the vault is not to be kept any more. */
async function keepNotes({ vault, store, ...options }: KeeperOptions, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    const kept = await store.vault(vault);
    if (kept === null || signal.aborted) return false;
    const page = await options.changes(kept.cursor);
    if (signal.aborted) return false;
    if (page === null) {
      // The position is no longer known: all is read again, and what is gone is found at the end.
      await store.update(vault, { cursor: null, pass: kept.pass + 1, isComplete: false });
      continue;
    }
    if (page.changes.length > 0) {
      const size = page.changes.reduce((sum, { content = '' }) => sum + content.length, 0);
      if (size > (await options.room())) throw new DOMException('no room for notes', 'QuotaExceededError');
      if (!(await store.apply(vault, page.changes, page.resume_cursor))) return false;
      await options.stored(page.changes);
    } else if (page.resume_cursor !== kept.cursor) await store.update(vault, { cursor: page.resume_cursor });
    options.changed();
    if (page.has_more) continue;
    // Damaged rows were not met, and are kept as they were.
    if (!kept.isComplete && page.unreadable.length === 0) await store.sweep(vault);
    if (!kept.isComplete) await store.update(vault, { isComplete: true });
    return true;
  }
}

/** Loads the files that are missing, one after the other; resolves to false if they are not to be kept any more. */
async function keepFiles({ vault, store, ...options }: KeeperOptions, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    const missing = await store.missingFiles(vault);
    if (missing.length === 0) return true;
    for (const file of missing) {
      const isWanted = (await store.vault(vault))?.withFiles === true;
      if (!isWanted || signal.aborted) return false;
      if (file.size > (await options.room())) throw new DOMException('no room for files', 'QuotaExceededError');
      const bytes = await options.file(file.path);
      // One that is gone, or has moved, is in the feed.
      if (bytes === null) return true;
      await store.putFile(vault, file, bytes);
      options.changed();
    }
  }
}

function isFull(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'QuotaExceededError';
}
