import type { NoteId } from '@notevault/protocol/values/ids.ts';
import type { Doc } from 'yjs';
import { findStates } from '../../src/domains/content/notes/live/live.store.ts';
import { readNoteState } from '../../src/domains/content/notes/live/note-state.ts';
import { applyUpdates } from '../../src/domains/content/notes/merge/document.ts';
import { currentDocument } from '../../src/domains/content/notes/writes/build-note-row.ts';
import type { OpenVault } from '../../src/domains/content/vaults/vaults.ts';
import type { Device } from './sync.device.ts';
import { Letters } from './sync.letters.ts';
import type { Servers } from './sync.servers.ts';

/** Checks every copy of every document: the devices' copies, and the stored document with its update log. */
export class Documents {
  readonly #servers: Servers;
  readonly #letters = new Letters();
  /** The stored state of each note at the last check. */
  readonly #seen = new Map<string, string>();

  constructor(servers: Servers) {
    this.#servers = servers;
  }

  /** Returns what is wrong in the documents, in words. */
  async faults(notes: readonly string[], devices: readonly Device[]): Promise<string[]> {
    const known = new Set([...notes, ...devices.flatMap((device) => device.notes)]);
    const faults = await this.#storedFaults([...known]);
    for (const device of devices) {
      for (const note of device.notes) {
        const doc = device.docOf(note);
        if (doc !== undefined) faults.push(...this.#letters.faults(note, device.name, doc));
      }
    }
    return faults;
  }

  async #storedFaults(notes: readonly string[]): Promise<string[]> {
    const { db } = this.#servers.first;
    const states = await db.allMany(findStates, {}, [...notes]);
    const changed = states.filter(({ id, revision, waiting }) => this.#seen.get(id) !== `${revision} ${waiting}`);
    if (changed.length === 0) return [];
    const vault = await this.#servers.openVault();
    const faults: string[] = [];
    for (const { id, revision, waiting } of changed) {
      try {
        const doc = await this.#stored(vault, id as NoteId);
        if (doc !== null) faults.push(...this.#letters.faults(id, 'the server', doc));
        this.#seen.set(id, `${revision} ${waiting}`);
      } catch (error) {
        faults.push(`the document of note ${id} cannot be read: ${error}`);
      }
    }
    return faults;
  }

  /** A note's stored document with its update log, also of a tombstone; null when there is no such note. */
  async #stored(vault: OpenVault, id: NoteId): Promise<Doc | null> {
    const whole = await readNoteState(this.#servers.first, vault, id);
    if (whole === null) return null;
    const doc = currentDocument(vault, whole);
    const waiting = whole.updates.flatMap((row) => row.open().updates);
    if (!applyUpdates(doc, waiting)) throw new Error('the edits that wait do not fit it');
    return doc;
  }
}
