import { NOTE_BYTES_MAX } from '@notevault/protocol/notes.ts';
import type { Doc } from 'yjs';
import { loadUpdate, stateVectorMap, structsOf, textOf } from '../../merge/document.ts';
import { MalformedUpdate, type ScannedUpdate, scanUpdate } from './update-validator.ts';

/** Maximum number of structs in a document: each takes memory, and time at each load, even if its text is deleted. */
export const STRUCTS_MAX = 500_000;
/** Maximum number of clients that ever edited a document: Yjs reads all of them at each edit. */
const CLIENTS_MAX = 20_000;
/** Maximum number of clients in one update that have not edited the document before. */
const NEW_CLIENTS_MAX = 64;

/** Reason to refuse or delay an update, as far as its clocks and the document's show. */
export type InadmissibleReason = 'foreign' | 'ahead' | 'missing' | 'too_large';

/** Compares an update with the document. Throws MalformedUpdate. @param ownClient the server's client id. */
export function admit(doc: Doc, ownClient: number, update: Uint8Array): ScannedUpdate | InadmissibleReason {
  const scan = scanUpdate(update);
  if (scan.structs > STRUCTS_MAX) return 'too_large';
  // Only the server creates the first item of a document: another first item is another document.
  if (scan.roots.some(({ client, clock }) => stateVectorMap(doc, client) <= clock)) return 'foreign';
  // A client that edits under the server's id would give two texts the same clocks. Or it has received an edit of
  // another process before this one did.
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

/** The size of a document: its text in UTF-8 bytes, and its structs. */
export interface DocumentSize {
  readonly textBytes: number;
  readonly structs: number;
}

export function sizeOf(doc: Doc): DocumentSize {
  return { textBytes: Buffer.byteLength(textOf(doc), 'utf8'), structs: structsOf(doc) };
}

export function isTooLarge({ textBytes, structs }: DocumentSize): boolean {
  return textBytes > NOTE_BYTES_MAX || structs > STRUCTS_MAX;
}

/** Returns the text of a document that a client created itself. Throws on an invalid update. */
export function foreignText(update: Uint8Array): string {
  return textOf(loadUpdate(update));
}
