import type { SyncChange, SyncChanges, UnreadableChange } from '@notevault/protocol/sync.ts';
import { after } from './pause.ts';

/**
 * The feed has to be read from the start: the vault was restored, or the cursor is older than the oldest tombstone.
 * Compare everything.
 */
export class FeedRestarted extends Error {
  override readonly name = 'FeedRestarted';
}

/** A page of the feed. */
export interface FeedPage extends Omit<SyncChanges, 'changes'> {
  readonly changes: SyncChange[];
  /** Rows that are damaged on the server. What this client has of them is to be kept as it is. */
  readonly unreadable: readonly UnreadableChange[];
}

export function feedPage({ changes, ...page }: SyncChanges): FeedPage {
  return {
    ...page,
    changes: changes.filter((change): change is SyncChange => !('unreadable' in change)),
    unreadable: changes.filter((change) => 'unreadable' in change),
  };
}

/** The source of feed pages; null for a cursor that is no longer valid. */
export interface ChangesSource {
  changes(cursor: string | null, options: { readonly content: boolean }): Promise<FeedPage | null>;
}

export interface FollowOptions {
  /** Resolves when there may be something new; after `pollMs` by default. */
  readonly wait?: (signal: AbortSignal | undefined) => Promise<void>;
  readonly pollMs?: number;
  /** Whether notes include their content. */
  readonly content?: boolean;
  /**
   * Called with the cursor after each page once the consumer has requested the next page, which means that the page is
   * applied.
   */
  readonly applied?: (cursor: string) => Promise<void> | void;
  readonly signal?: AbortSignal;
}

const POLL_MS = 10_000;

/**
 * Yields the changes of a vault, without damaged rows, page by page, from a cursor (null: from the start), until the signal aborts. A consumer
 * that requests the next page has applied the previous one. Throws FeedRestarted.
 */
export async function* followChanges(
  vault: ChangesSource,
  cursor: string | null,
  { wait, pollMs = POLL_MS, content = false, applied, signal }: FollowOptions,
): AsyncGenerator<SyncChange[]> {
  for (let at = cursor; signal?.aborted !== true; ) {
    const page = await vault.changes(at, { content });
    if (page === null) throw new FeedRestarted('the change feed begins anew');
    if (page.changes.length > 0) {
      yield page.changes;
      await applied?.(page.resume_cursor);
    }
    at = page.resume_cursor;
    if (!page.has_more) await (wait === undefined ? sleep(pollMs, signal) : wait(signal));
  }
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const cancel = after(ms, resolve);
    const end = () => {
      cancel();
      resolve();
    };
    signal?.addEventListener('abort', end, { once: true });
  });
}
