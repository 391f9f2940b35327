import type { Doc } from 'yjs';
import { loadUpdate, stateVectorMap, structsOf, textOf } from '../merge/document.ts';
import { MalformedUpdate, type ScannedUpdate, scanUpdate } from './update-validator.ts';

/** A note is never longer than this, in UTF-8 bytes. */
export const NOTE_BYTES_MAX = 10 * 1024 * 1024;
/** Pieces a document may come to: each takes memory, and time at every load, also when its text was deleted. */
export const PIECES_MAX = 500_000;
/** Clients that ever edited a document: Yjs looks at all of them at every edit. */
const CLIENTS_MAX = 20_000;
/** Clients that were never seen before in the document, in one update. */
const NEW_CLIENTS_MAX = 64;

/** Why an update is not taken, as far as that follows from what it claims and what the document knows. */
export type InadmissibleReason = 'foreign' | 'ahead' | 'missing' | 'too_large';

/**
 * Reads an update and holds it against the document. Linear in the bytes of the update. Throws MalformedUpdate.
 *
 * @param ownClient the id under which the server itself edits.
 */
export function admit(doc: Doc, ownClient: number, update: Uint8Array): ScannedUpdate | InadmissibleReason {
  const scan = scanUpdate(update);
  if (scan.structs > PIECES_MAX) return 'too_large';
  // Only the server begins a document: another beginning is another document.
  if (scan.roots.some(({ client, clock }) => stateVectorMap(doc, client) <= clock)) return 'foreign';
  // A peer that types under the server's id would give two texts the same clocks. It may have heard of a write of
  // another process before us.
  if ((scan.clients.get(ownClient)?.to ?? 0) > stateVectorMap(doc, ownClient)) return 'ahead';
  const fresh = [...scan.clients.keys()].filter((client) => stateVectorMap(doc, client) === 0).length;
  if (fresh > NEW_CLIENTS_MAX) throw new MalformedUpdate('too many clients at once');
  if (fresh > 0 && doc.store.clients.size + fresh > CLIENTS_MAX) return 'too_large';
  return dependsOnMissing(doc, scan) ? 'missing' : scan;
}

function dependsOnMissing(doc: Doc, { clients, needs, gaps }: ScannedUpdate): boolean {
  const starts = [...clients].every(([client, { from }]) => from <= stateVectorMap(doc, client));
  const whole = [...gaps].every(([client, below]) => below <= stateVectorMap(doc, client));
  const knownWith = (client: number) => Math.max(stateVectorMap(doc, client), clients.get(client)?.to ?? 0);
  return !starts || !whole || [...needs].some(([client, below]) => below > knownWith(client));
}

/** What a document weighs: bytes of its text in UTF-8, and pieces. */
export interface DocumentSize {
  readonly textBytes: number;
  readonly structs: number;
}

export function sizeOf(doc: Doc): DocumentSize {
  return { textBytes: Buffer.byteLength(textOf(doc), 'utf8'), structs: structsOf(doc) };
}

export function isTooLarge({ textBytes, structs }: DocumentSize): boolean {
  return textBytes > NOTE_BYTES_MAX || structs > PIECES_MAX;
}

/** The text of a document that a peer began itself. What cannot be read is malformed: see MalformedUpdate. */
export function foreignText(update: Uint8Array): string {
  return textOf(loadUpdate(update));
}
