import type { Doc } from 'yjs';
import { genesisOf, structsOf } from '../../merge/document.ts';
import { admit, type DocumentSize, foreignText, isTooLarge } from './admission.ts';
import { type ApplyRejection, LineageError, TooLarge, UnknownServerUpdate } from './outcomes.ts';
import { QUICK_BYTES, quickCheck } from './quick-check.ts';
import { MalformedUpdate, readStateVector, type ScannedUpdate, scanUpdate } from './update-validator.ts';

/** What happens to an update: it is applied at once (`quick`), tried first (`unsure`), or refused. */
export type Verdict = 'quick' | 'unsure' | 'missing' | ApplyRejection;

/** Decides about updates of clients before they are applied to a document. */
export class UpdateCheck {
  readonly #doc: Doc;
  /** The client id under which the server itself edits. */
  readonly #serverClient: number;
  readonly #genesis: { readonly client: number; readonly clock: number } | null;
  /** Upper bounds, so that the text need not be measured at each edit. */
  #size: DocumentSize;

  constructor(doc: Doc, serverClient: number, size: DocumentSize) {
    this.#doc = doc;
    this.#serverClient = serverClient;
    this.#genesis = genesisOf(doc);
    this.#size = size;
  }

  get serverClient(): number {
    return this.#serverClient;
  }

  /** Call when the document has just been measured. */
  setSize(size: DocumentSize): void {
    this.#size = size;
  }

  /** Call when stored updates of this many bytes were applied. */
  addStored(bytes: number): void {
    this.#size = { ...this.#size, textBytes: this.#size.textBytes + bytes };
  }

  /** Counts the update into the size if it is `quick`, because it is then applied. */
  check(update: Uint8Array): Verdict {
    if (update.length > QUICK_BYTES) return 'unsure';
    try {
      const admitted = admit(this.#doc, this.#serverClient, update);
      if (admitted === 'missing') return admitted;
      if (admitted === 'ahead') return new UnknownServerUpdate();
      if (admitted === 'too_large') return new TooLarge();
      if (admitted === 'foreign') return foreignOf(update);
      return this.#checkCost(admitted);
    } catch (error) {
      if (error instanceof MalformedUpdate) return error;
      throw error;
    }
  }

  /** Throws LineageError for the state vector of another document: a client with any edit has the first one. */
  checkStateVector(bytes: Uint8Array): void {
    const vector = readStateVector(bytes);
    if (vector.size === 0 || this.#genesis === null) return;
    const { client, clock } = this.#genesis;
    if ((vector.get(client) ?? 0) <= clock) throw new LineageError(null);
  }

  #checkCost(scan: ScannedUpdate): 'quick' | 'unsure' | MalformedUpdate {
    const first = this.#costOf(scan);
    if (first !== 'unsure') return first;
    // Yjs has joined structs meanwhile, so there are fewer than were counted.
    this.#size = { ...this.#size, structs: structsOf(this.#doc) };
    return this.#costOf(scan);
  }

  #costOf(scan: ScannedUpdate): 'quick' | 'unsure' | MalformedUpdate {
    const { textBytes, structs } = this.#size;
    // An item may split the one that it is inserted into: three structs instead of one.
    const size = { textBytes: textBytes + scan.textBytes, structs: structs + 3 * scan.structs };
    if (isTooLarge(size)) return 'unsure';
    const verdict = quickCheck(this.#doc, scan, size.structs);
    if (verdict === 'broken') return new MalformedUpdate('its items wait for each other');
    if (verdict === 'quick') this.#size = size;
    return verdict;
  }
}

/** Returns the error for an update of another document, with its text if that is quick to read. */
function foreignOf(update: Uint8Array): 'unsure' | LineageError | MalformedUpdate {
  if (scanUpdate(update).items === null) return 'unsure';
  try {
    return new LineageError(foreignText(update));
  } catch (error) {
    return new MalformedUpdate('it does not hold together', { cause: error });
  }
}
