import type { Doc } from 'yjs';
import { genesisOf, structsOf } from '../../merge/document.ts';
import { admit, type DocumentSize, foreignText, isTooLarge } from './admission.ts';
import { QUICK_BYTES, quickCheck } from './quick-check.ts';
import type { Rejection } from './trial.ts';
import {
  MalformedUpdate,
  readStateVector,
  type ScannedUpdate,
  scanUpdate,
  UnsupportedUpdate,
} from './update-validator.ts';

/** The decision about an update: apply it immediately (`quick`), try it first (`unsure`), or refuse it. */
export type Verdict = 'quick' | 'unsure' | 'missing' | Rejection;

/** Decides about updates of clients before they are applied to a document. */
export class UpdateCheck {
  readonly #doc: Doc;
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
      if (admitted === 'foreign') return foreignOf(update);
      return typeof admitted === 'string' ? { kind: admitted } : this.#checkCost(admitted);
    } catch (error) {
      if (!(error instanceof MalformedUpdate)) throw error;
      return { kind: error instanceof UnsupportedUpdate ? 'unsupported' : 'malformed' };
    }
  }

  /** Whether a state vector is of another document: a client with any edit has the first one. Throws MalformedUpdate. */
  isForeign(stateVector: Uint8Array): boolean {
    const vector = readStateVector(stateVector);
    if (vector.size === 0 || this.#genesis === null) return false;
    const { client, clock } = this.#genesis;
    return (vector.get(client) ?? 0) <= clock;
  }

  #checkCost(scan: ScannedUpdate): Verdict {
    const first = this.#costOf(scan);
    if (first !== 'unsure') return first;
    // Yjs has joined structs meanwhile, so there are fewer than were counted.
    this.#size = { ...this.#size, structs: structsOf(this.#doc) };
    return this.#costOf(scan);
  }

  #costOf(scan: ScannedUpdate): Verdict {
    const { textBytes, structs } = this.#size;
    // An item may split the one that it is inserted into: three structs instead of one.
    const size = { textBytes: textBytes + scan.textBytes, structs: structs + 3 * scan.structs };
    if (isTooLarge(size)) return 'unsure';
    const verdict = quickCheck(this.#doc, scan, size.structs);
    // Its items wait for each other.
    if (verdict === 'broken') return { kind: 'malformed' };
    if (verdict === 'quick') this.#size = size;
    return verdict;
  }
}

/** Refuses an update of another document, with its text if that is quick to read. */
function foreignOf(update: Uint8Array): Verdict {
  if (scanUpdate(update).items === null) return 'unsure';
  try {
    return { kind: 'foreign', text: foreignText(update) };
  } catch {
    return { kind: 'malformed' };
  }
}
