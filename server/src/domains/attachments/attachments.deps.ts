import type { Blobs } from '../../ports/blobs/blobs.ts';
import type { Clock } from '../../ports/clock/clock.ts';
import type { Database, WriteHandle } from '../../ports/database/database.ts';
import type { Entries } from '../entries/entries.ts';
import type { ChangeSequence, OpenVault } from '../vaults/vaults.ts';

/** What attachments must cause in later domains; bound in app.ts. */
export interface AttachmentLinkHooks {
  /**
   * Attachments came to be found under some names (`came`), or went: links that ask for those names may point elsewhere
   * now. Inside the transaction that moved them.
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
  /** Extensions of files that are taken, in lower case and without the dot. */
  readonly extensions: ReadonlySet<string>;
  readonly hooks: AttachmentLinkHooks;
}
