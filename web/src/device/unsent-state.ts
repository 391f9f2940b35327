import type { UnsentState } from '../editor/device.ts';
import { type Observable, ObservableValue } from '../platform/observable.ts';

const NONE: UnsentState = { notes: [], isSending: false };
/** Delay before unsent edits are shown; most are sent sooner. */
const GRACE_MS = 1_000;

const state = new ObservableValue(NONE);
let latest = NONE;
let grace: ReturnType<typeof setTimeout> | undefined;
const wish = new ObservableValue<{ readonly note?: string }>({});

/** Edits that only this device has. */
export const unsentState: Observable<UnsentState> = state;

/** Last request: to check for unsent edits again, or to send those of one note now. */
export const unsentWish: Observable<{ readonly note?: string }> = wish;

export function showUnsent(next: UnsentState): void {
  latest = next.notes.length === 0 ? NONE : next;
  if (state.get() !== NONE || latest === NONE) publish();
  else grace ??= setTimeout(publish, GRACE_MS);
}

function publish(): void {
  clearTimeout(grace);
  grace = undefined;
  state.set(latest);
}

/** Call when there may be other unsent edits than before. */
export function unsentChanged(): void {
  wish.set({});
}

/** Sends the edits of one note. */
export function sendNow(noteId: string): void {
  wish.set({ note: noteId });
}
