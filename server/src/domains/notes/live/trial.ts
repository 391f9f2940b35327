import type { Doc } from 'yjs';
import { applyUpdate, loadUpdate, mergedUpdate, stateVectorMap, structsOf } from '../merge/document.ts';
import { admit, type DocumentSize, foreignText, isTooLarge, sizeOf } from './admission.ts';
import { sliceUpdate } from './slices.ts';
import { insertedText } from './update-validator.ts';

/** A document and an update of a peer (both Yjs, v1). */
export interface TrialInput {
  readonly state: Uint8Array;
  readonly update: Uint8Array;
  /** The id under which the server itself edits. */
  readonly ownClient: number;
}

/** What a trial found out about an update. */
export type Trial =
  | {
      readonly kind: 'taken';
      /** What it adds to the document (v1), whole, and in slices to take one after the other. */
      readonly added: Uint8Array;
      readonly slices: readonly Uint8Array[];
      /** The document with it. */
      readonly size: DocumentSize;
    }
  | { readonly kind: 'known' | 'missing' | 'malformed' | 'ahead' | 'too_large' }
  /** It is of another document, or taking it costs too much; this is the text it came with. */
  | { readonly kind: 'foreign' | 'costly'; readonly text: string };

/** What the event loop may spend on one slice, and on all of one update, with a turn for others after each slice. */
const SLICE_MS_MAX = 40;
const UPDATE_MS_MAX = 750;

/**
 * Takes a peer's update into a copy of the document, slice by slice, and measures the processor time of each, so that
 * what the update costs is known before the document has any of it.
 */
export function tryUpdate({ state, update, ownClient }: TrialInput): Trial {
  const copy = loadUpdate(state);
  try {
    const admitted = admit(copy, ownClient, update);
    if (admitted === 'foreign') return { kind: admitted, text: foreignText(update) };
    return typeof admitted === 'string' ? { kind: admitted } : applySlices(copy, update);
  } catch {
    // Yjs checks nothing: what it stumbles over is no update of a note.
    return { kind: 'malformed' };
  }
}

function applySlices(copy: Doc, update: Uint8Array): Trial {
  const added: Uint8Array[] = [];
  copy.on('update', (change: Uint8Array) => {
    added.push(change);
  });
  const slices = sliceUpdate(update, 'v1', (client) => stateVectorMap(copy, client), sliceLimits(structsOf(copy)));
  if (slices === null) return { kind: 'malformed' };
  let spentMs = 0;
  for (const slice of slices) {
    const before = process.threadCpuUsage();
    if (!applyUpdate(copy, slice)) return { kind: 'malformed' };
    const { user, system } = process.threadCpuUsage(before);
    const sliceMs = (user + system) / 1000;
    spentMs += sliceMs;
    if (sliceMs > SLICE_MS_MAX || spentMs > UPDATE_MS_MAX) return { kind: 'costly', text: insertedText(update) };
  }
  const whole = mergedUpdate(added);
  if (whole === undefined) return { kind: 'known' };
  const size = sizeOf(copy);
  return isTooLarge(size) ? { kind: 'too_large' } : { kind: 'taken', added: whole, slices, size };
}

/** Steps (a piece moved to make room, some nanoseconds) that splitting pieces may take in one slice. */
const SLICE_STEPS = 8_000_000;
const SLICE_STRUCTS_MAX = 1_000;
const SLICE_STRUCTS_MIN = 16;
const SLICE_DELETED_LENGTH = 10_000;

/** Slices of some milliseconds: in a document of many pieces each split moves many. */
export function sliceLimits(pieces: number) {
  const structs = Math.floor(Math.min(SLICE_STRUCTS_MAX, Math.max(SLICE_STRUCTS_MIN, SLICE_STEPS / (pieces + 1))));
  return { structs, deletions: structs, deletedLength: SLICE_DELETED_LENGTH };
}

/** The texts that an update inserts, in the order in which it lists them; empty when it cannot be read. */
export function textOfUpdate({ update }: { readonly update: Uint8Array }): string {
  try {
    return insertedText(update);
  } catch {
    return '';
  }
}
