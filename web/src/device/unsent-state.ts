import type { UnsentState } from '../editor/device.ts';
import { type Observable, ObservableValue } from '../platform/observable.ts';

const NONE: UnsentState = { notes: [], isSending: false };
/** What is sent sooner is not worth a word. */
const GRACE_MS = 1_000;

const state = new ObservableValue(NONE);
let latest = NONE;
let grace: ReturnType<typeof setTimeout> | undefined;
const wish = new ObservableValue<{ readonly note?: string }>({});

/** What is known of edits that only this device has. */
export const unsentState: Observable<UnsentState> = state;

/** What was last asked for: to look for other edits than before, or to send those of a note now. */
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

/** Has the edits of one note sent. */
export function sendNow(noteId: string): void {
  wish.set({ note: noteId });
}
