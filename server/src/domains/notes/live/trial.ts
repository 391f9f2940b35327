import { loadUpdate, takeUpdates } from '../document.ts';

/** A document and the updates of a peer that it may take (all Yjs, v1). */
export interface TrialInput {
  readonly state: Uint8Array;
  readonly updates: readonly Uint8Array[];
}

/** What it would cost to take them: processor time of one thread; null when they do not fit the document. */
export interface Trial {
  readonly applyMs: number | null;
}

/** Takes a peer's updates into a copy of the document, so that what they cost is known before the document has them. */
export function tryUpdates({ state, updates }: TrialInput): Trial {
  const copy = loadUpdate(state);
  const before = process.threadCpuUsage();
  const fits = takeUpdates(copy, updates);
  const { user, system } = process.threadCpuUsage(before);
  return { applyMs: fits ? (user + system) / 1000 : null };
}
