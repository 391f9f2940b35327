import type { Blobs } from '../../engines/blobs/blobs.ts';
import type { Clock } from '../../engines/clock/clock.ts';
import type { Database, WriteHandle } from '../../engines/database/database.ts';
import type { Notes } from '../notes/notes.ts';
import type { Tree } from '../tree/tree.ts';
import type { OpenVault, VaultWriting } from '../vaults/vaults.ts';

/** What attachments must cause in the rooms on their right; bound in app.ts. */
export interface AttachmentHooks {
  /**
   * Attachments came to be found under some names (`came`), or went: links that ask for those names may point elsewhere
   * now. Inside the transaction that moved them.
   */
  namesChanged(handle: WriteHandle, vault: OpenVault, names: readonly Buffer[], came: readonly string[]): Promise<void>;
}

/** What the room is made of. */
export interface AttachmentParts {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly tree: Tree;
  readonly vaults: VaultWriting;
  readonly notes: Pick<Notes, 'conflictAt' | 'inTurn' | 'move' | 'moveOne'>;
  readonly clock: Clock;
  /** Extensions of files that are taken, in lower case and without the dot. */
  readonly extensions: ReadonlySet<string>;
  readonly hooks: AttachmentHooks;
}

/** What a write was prepared from has changed: prepare it again. */
export class Stale extends Error {
  override readonly name = 'Stale';
}
