import type { SealingKey, SharedKey } from '../../../../ports/keyring/keyring.ts';
import type { OpenVault } from '../../../vaults/vaults.ts';
import type { NoteRowDraft, StoredNoteContent, VersionDraft } from '../write-plan.ts';

/**
 * The data exchanged with the worker threads of the pool: plain data and sealed bytes. The key is lent, as to the
 * search thread.
 */

/** Number of UTF-16 units of prose whose derivation, comparison and sealing take some ten milliseconds. */
const LARGE_UNITS = 128 * 1024;
/** Number of items of a document that take some ten milliseconds to read, in the worst case. */
const LARGE_STRUCTS = 500;
/** Sealed bytes of edits that wait to be flushed. */
const LARGE_UPDATES = 32 * 1024;

/** Units of prose that take as long as one bracket, with which links and definitions begin. */
const UNITS_OF_BRACKET = 16;

/** The length of a text, in units of prose that take as long to derive. */
export function unitsOf(text: string): number {
  let units = text.length;
  for (let at = text.indexOf('['); at !== -1 && units <= LARGE_UNITS; at = text.indexOf('[', at + 1)) {
    units += UNITS_OF_BRACKET;
  }
  return units;
}

/** Whether a note is processed on a worker thread. @param more units of further texts that the work reads. */
export function isLarge(note: Pick<StoredNoteContent, 'meta' | 'content'>, doc: Buffer | null, more = 0): boolean {
  if (unitsOf(note.content) + more > LARGE_UNITS) return true;
  return doc !== null && (note.meta.structs ?? Number.POSITIVE_INFINITY) > LARGE_STRUCTS;
}

/** Like isLarge, for a text alone. */
export function isLargeText(text: string): boolean {
  return unitsOf(text) > LARGE_UNITS;
}

export function areLarge(updates: readonly { readonly payload: Uint8Array }[]): boolean {
  let bytes = 0;
  for (const { payload } of updates) bytes += payload.length;
  return bytes > LARGE_UPDATES;
}

/** A vault in the form sent to another thread. */
export type PostedVault = Omit<OpenVault, 'key'> & { readonly key: SharedKey };

/** @param seals the maximum number of values that the task seals. */
export function postVault({ key, ...vault }: OpenVault, seals: number): PostedVault {
  return { ...vault, key: key.share(seals) };
}

/** Opens the key that a task was lent; given by whoever puts the thread together. */
export type OpenKey = (key: SharedKey) => SealingKey;

export function openPosted(vault: PostedVault, openKey: OpenKey): OpenVault {
  return { ...vault, key: openKey(vault.key) };
}

/** A draft of a note's next version as it comes back: without what the sender has, and without headings. */
export type PostedDraft = Omit<NoteRowDraft, 'text' | 'replaced'> & {
  readonly text: string | null;
  readonly replaced: Omit<VersionDraft, 'content'> | null;
};

/** @param known the text, which the sender already has. */
export function postDraft({ replaced, derived, ...next }: NoteRowDraft, known: string | null): PostedDraft {
  const withoutContent = replaced === null ? null : { ...replaced, content: undefined };
  return {
    ...next,
    text: next.text === known ? null : next.text,
    derived: { ...derived, headings: [] },
    replaced: withoutContent,
  };
}

/** @param old the note that the draft replaces; null for a new one. */
export function receiveDraft(draft: PostedDraft, known: string | null, old: StoredNoteContent | null): NoteRowDraft {
  const { replaced } = draft;
  const sameVersion = old !== null && draft.version === old.version;
  return {
    ...draft,
    text: draft.text ?? known ?? '',
    nameKey: bytesOf(draft.nameKey),
    sealedMeta: bytesOf(draft.sealedMeta),
    content: sameVersion ? old.sealedContent : bytesOf(draft.content),
    doc: draft.doc === null ? null : bytesOf(draft.doc),
    replaced: replaced === null || old === null ? null : { ...receiveVersion(replaced), content: old.sealedContent },
  };
}

export function receiveVersion<Version extends Pick<VersionDraft, 'meta' | 'snapshot'>>(version: Version): Version {
  return { ...version, meta: bytesOf(version.meta), snapshot: bytesOf(version.snapshot) };
}

/** Buffers arrive from other threads as plain byte arrays. */
export function bytesOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
