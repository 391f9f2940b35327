import type { Blobs } from '../../ports/blobs/blobs.ts';
import type { Clock } from '../../ports/clock/clock.ts';
import type { Database, WriteHandle } from '../../ports/database/database.ts';
import type { Entries } from '../entries/entries.ts';
import type { ChangeSequence, OpenVault } from '../vaults/vaults.ts';

/** Hooks to later domains; bound in app.ts. */
export interface AttachmentLinkHooks {
  /**
   * Called when attachments are newly found under some names (`came`), or no longer: links to those names may have
   * another target now. Runs in the transaction of the change.
   */
  namesChanged(handle: WriteHandle, vault: OpenVault, names: readonly Buffer[], came: readonly string[]): Promise<void>;
}

/** The injected dependencies of the domain. */
export interface AttachmentDeps {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly entries: Entries;
  readonly vaults: ChangeSequence;
  readonly clock: Clock;
  /** Accepted file extensions, in lower case and without the dot. */
  readonly extensions: ReadonlySet<string>;
  readonly hooks: AttachmentLinkHooks;
  /** Whether a backup is running, which may still have to copy bytes that nothing refers to any more. */
  readonly backupRuns: () => Promise<boolean>;
}
