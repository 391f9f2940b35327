import { unsentState } from '../../device/unsent-state.ts';
import { useObservable } from '../../platform/use-observable.ts';
import { useListedEntries } from './use-listed-entries.ts';

/** What only this device has, of all vaults: notes with edits, and what was done and waits for the server. */
export function useUnsent() {
  const { notes, isSending } = useObservable(unsentState);
  const waiting = notes.filter(({ asideOf }) => asideOf === undefined).length;
  const outbox = useListedEntries();
  const refused = [...notes, ...outbox.entries].filter(({ problem }) => problem !== null).length;
  return {
    notes,
    entries: outbox.entries,
    count: notes.length + outbox.entries.length,
    isOfNotes: outbox.entries.every(({ operation }) => operation.kind === 'note'),
    waiting: waiting + outbox.entries.length,
    isSending: isSending || outbox.isSending,
    refused,
  };
}
