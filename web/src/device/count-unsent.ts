import { isWaiting } from './outbox/entry-facts.ts';
import { noteOfDraft, outboxState } from './outbox/outbox-state.ts';

/** How many notes and other changes of an account are on this device that the server has not acknowledged. */
export async function countUnsent(account: string): Promise<number> {
  const { deviceStore } = await import('./device-store.ts');
  const notes = await deviceStore(account)
    .unsentNotes()
    .catch(() => []);
  // Drafts have an entry each.
  const waiting = outboxState.get().entries.filter(isWaiting).length;
  return notes.filter(({ id }) => noteOfDraft(id) === null).length + waiting;
}
