import type { SyncChange, SyncChanges } from '@notevault/protocol/sync.ts';

/** The feed begins anew: the vault was restored, or the cursor is older than deletions are kept. Compare all of it. */
export class FeedRestarted extends Error {
  override readonly name = 'FeedRestarted';
}

/** Where pages of a feed come from; null for a cursor that is not valid any more. */
export interface ChangesSource {
  changes(cursor: string | null, options: { readonly content: boolean }): Promise<SyncChanges | null>;
}

export interface FollowOptions {
  /** Resolves when there may be something new; by default after `pollMs`. */
  readonly wait?: (signal: AbortSignal | undefined) => Promise<void>;
  readonly pollMs?: number;
  /** Notes come with their content. */
  readonly content?: boolean;
  /** Called with the position behind each page, once the consumer has asked for the next: then the page is applied. */
  readonly applied?: (cursor: string) => Promise<void> | void;
  readonly signal?: AbortSignal;
}

const POLL_MS = 10_000;

/**
 * Gives the changes of a vault as they come, page by page, from a cursor (null: from the beginning), until the signal
 * aborts. A consumer that asks for the next page has applied the last one. Throws FeedRestarted.
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
    const timer = setTimeout(resolve, ms);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    signal?.addEventListener('abort', end, { once: true });
  });
}
