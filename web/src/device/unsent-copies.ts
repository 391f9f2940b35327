import { keys } from '../data/keys.ts';
import { queryClient } from '../data/query-client.ts';
import { type DeviceCopy, type NoteRef, openNotePeers, type StashedNote, textOfCopy } from '../editor/device.ts';
import { deviceStore } from './device-store.ts';
import { accountId } from './sign-out.ts';
import { unsentChanged } from './unsent-state.ts';

function store() {
  const account = accountId();
  return account === undefined ? null : deviceStore(account);
}

/** Restores stashed copies of notes. */
export async function unstash(stashed: readonly StashedNote[]): Promise<void> {
  for (const note of stashed) {
    await store()?.unstash(note);
    changed({ ...note, id: note.asideOf });
  }
}

/** The text of a note with the edits that only this device has; null once there are none. */
export async function unsentText({ id }: NoteRef): Promise<string | null> {
  const copy = (await store()?.load(id)) ?? null;
  return copy === null ? null : textOfCopy(copy);
}

/** Removes the copy of a note with its unsent edits; returns what puts it back, or null if there was none. */
export async function discardUnsent(note: NoteRef): Promise<(() => Promise<void>) | null> {
  const copies = store();
  const copy = (await copies?.load(note.id)) ?? null;
  if (copies === null || copy === null) return null;
  await copies.remove(note.id, copy.lineage);
  // A tab that has the note open would send them all the same.
  using peers = openNotePeers(accountId() ?? '', note.id);
  peers?.post({ type: 'removed' });
  changed(note);
  return async () => {
    await copies.putBack(note, copy satisfies DeviceCopy);
    changed(note);
  };
}

function changed({ id }: NoteRef): void {
  void queryClient.invalidateQueries({ queryKey: keys.deviceNote(id) });
  unsentChanged();
}
