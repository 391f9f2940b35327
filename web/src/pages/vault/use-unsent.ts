import { useEffect, useState } from 'react';
import { isWaiting } from '../../device/outbox/entry-facts.ts';
import type { OutboxEntry } from '../../device/outbox/operation.ts';
import { outboxState } from '../../device/outbox/outbox-state.ts';
import { unsentState } from '../../device/unsent-state.ts';
import { useObservable } from '../../platform/use-observable.ts';

/** Returns the unsent changes of all vaults: notes with edits, and pending operations. */
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

const NONE: readonly OutboxEntry[] = [];
/** Delay before pending operations are shown; most are done sooner. */
const GRACE_MS = 1_000;

/** Returns the pending operations, once they have waited longer than a moment. */
function useListedEntries(): { readonly entries: readonly OutboxEntry[]; readonly isSending: boolean } {
  const { entries, isSending } = useObservable(outboxState);
  const listed = entries.filter(isWaiting);
  const isEmpty = listed.length === 0;
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    if (isEmpty) return setLate(false);
    const timer = setTimeout(() => setLate(true), GRACE_MS);
    return () => clearTimeout(timer);
  }, [isEmpty]);
  return isLate && !isEmpty ? { entries: listed, isSending } : { entries: NONE, isSending: false };
}
