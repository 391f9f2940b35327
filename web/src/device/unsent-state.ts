import type { UnsentState } from '../editor/device.ts';

const NONE: UnsentState = { notes: [], isSending: false };
/** What is sent sooner is not worth a word. */
const GRACE_MS = 1_000;

let state = NONE;
let latest = NONE;
let grace: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();
const lookers = new Set<(note?: string) => void>();

/** What is known of edits that only this device has. */
export function unsentState(): UnsentState {
  return state;
}

export function showUnsent(next: UnsentState): void {
  latest = next.notes.length === 0 ? NONE : next;
  if (state !== NONE || latest === NONE) publish();
  else grace ??= setTimeout(publish, GRACE_MS);
}

function publish(): void {
  clearTimeout(grace);
  grace = undefined;
  if (state === latest) return;
  state = latest;
  for (const listener of [...listeners]) listener();
}

/** Calls the listener after each change of the state; returns a function that removes it. */
export function subscribeToUnsent(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Call when there may be other unsent edits than before. */
export function unsentChanged(): void {
  for (const look of [...lookers]) look();
}

/** Has the edits of one note sent. */
export function sendNow(noteId: string): void {
  for (const look of [...lookers]) look(noteId);
}

/**
 * Calls the function whenever there may be other unsent edits, and with a note whose edits are to be sent now; returns a
 * function that ends that.
 */
export function onUnsentChange(look: (note?: string) => void): () => void {
  lookers.add(look);
  return () => void lookers.delete(look);
}
