import { IndexedDbStore } from './collab/indexed-db-store.ts';
import { keptText } from './collab/kept-text.ts';
import type * as Local from './collab/local-store.ts';
import * as Peers from './collab/note-peers.ts';
import type { SessionOptions } from './collab/note-session.ts';
import type { SaveProblem } from './collab/save-state.ts';
import { seed } from './collab/seed.ts';
import { sendKept } from './collab/send-kept.ts';
import { TabStore } from './collab/tab-store.ts';
import * as Sender from './collab/unsent-sender.ts';

// The device's copies for the rest of the app, without loading the editor.

export type DeviceStore = Local.LocalStore;
export type NoteRef = Local.NoteRef;
export type StashedNote = Local.StashedNote;
export type DeviceCopy = Local.LocalCopy;
export type DeviceNote = Local.DeviceNote;
export type NotePeers = Peers.NotePeers;
export type UnsentNote = Sender.UnsentNote;
export type UnsentState = Sender.UnsentState;
export type UnsentSender = Sender.UnsentSender;

/** The documents of an account that are kept in this browser. */
export function openDeviceStore(factory: IDBFactory, now: () => number, account: string): DeviceStore {
  return new IndexedDbStore(factory, now, account);
}

/** Opens a store in this tab's memory. */
export function openTabStore(): DeviceStore {
  return new TabStore();
}

/** Opens the channel between an account's tabs with this note; null in browsers without BroadcastChannel. */
export function openNotePeers(account: string, noteId: string): NotePeers | null {
  return Peers.openPeers(account, noteId);
}

/** The text of a note as a copy on this device has it. */
export function textOfCopy(copy: Local.LocalCopy): string {
  return keptText(copy);
}

/** Creates the document of a note from its text, unless one exists; `isStored` if the server has the text too. */
export function seedDraft(store: DeviceStore, note: NoteRef, text: string, isStored: boolean): Promise<void> {
  return seed(store, note, text, isStored);
}

/** Sends this device's edits of a note that is not open. Resolves to the reason of a refusal, or null. */
export function sendKeptEdits(options: SessionOptions, signal: AbortSignal): Promise<SaveProblem | null> {
  return sendKept(options, signal);
}

/** Sends edits that were left on this device. */
export function unsentSender(options: Sender.SenderOptions): UnsentSender {
  return new Sender.UnsentSender(options);
}
