import * as Y from 'yjs';
import { applyUpdate, loadUpdate, mergedUpdate, stateVectorMap, structsOf } from '../../merge/document.ts';
import { admit, type DocumentSize, foreignText, isTooLarge, sizeOf } from './admission.ts';
import { sliceUpdate } from './slices.ts';
import { insertedText, UnsupportedUpdate } from './update-validator.ts';

/** A document and an update of a client (both Yjs updates, v1). */
export interface TrialInput {
  readonly state: Uint8Array;
  readonly update: Uint8Array;
  /** The client id under which the server itself edits. */
  readonly ownClient: number;
}

export type Trial =
  | {
      readonly kind: 'accepted';
      /** Update (v1) with all it adds to the document; `slices` has the same in parts, to apply in order. */
      readonly added: Uint8Array;
      readonly slices: readonly Uint8Array[];
      readonly size: DocumentSize;
    }
  | { readonly kind: 'known' }
  | { readonly kind: 'missing' }
  | Rejection;

/**
 * A refusal of an update. `foreign`, `costly`: it does not descend from this note's document, or would block others;
 * `text` is its inserted text. `ahead`: it has the server's client id but is unknown to this process, because it is new
 * or forged.
 */
export type Rejection =
  | { readonly kind: 'malformed' | 'unsupported' | 'ahead' | 'too_large' }
  | { readonly kind: 'foreign' | 'costly'; readonly text: string };

/** The outcome of an update: `known` adds nothing, `missing` depends on edits that the document lacks. */
export type ApplyResult = 'stored' | 'known' | 'missing' | Rejection;

/** Processor time for one slice, and for a whole update, which yields to the event loop after each slice. */
const SLICE_MS_MAX = 40;
const UPDATE_MS_MAX = 750;

/**
 * Applies an update to a copy of the document, slice by slice, and measures the processor time of each, so that the cost
 * of the update is known before it is applied to the document itself.
 */
export function tryUpdate({ state, update, ownClient }: TrialInput): Trial {
  const copy = loadUpdate(state);
  try {
    const admitted = admit(copy, ownClient, update);
    if (admitted === 'foreign') return { kind: admitted, text: foreignText(update) };
    return typeof admitted === 'string' ? { kind: admitted } : applySlices(copy, update);
  } catch (error) {
    // Yjs validates nothing: an update on which it fails is no update of a note.
    return { kind: error instanceof UnsupportedUpdate ? 'unsupported' : 'malformed' };
  }
}

function applySlices(copy: Y.Doc, update: Uint8Array): Trial {
  const added: Uint8Array[] = [];
  copy.on('update', (change: Uint8Array) => {
    added.push(change);
  });
  const known = (client: number) => stateVectorMap(copy, client);
  const slices = sliceUpdate(Y.decodeUpdate(update), known, sliceLimits(structsOf(copy)));
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
  return isTooLarge(size) ? { kind: 'too_large' } : { kind: 'accepted', added: whole, slices, size };
}

/** Steps that splitting structs may take in one slice; a step moves one struct, in some nanoseconds. */
const SLICE_STEPS = 8_000_000;
const SLICE_STRUCTS_MAX = 500;
const SLICE_STRUCTS_MIN = 16;
const SLICE_DELETED_LENGTH = 10_000;

/** Returns limits for slices of some milliseconds: in a document of many structs, each split moves many. */
function sliceLimits(structsBefore: number) {
  const structs = Math.floor(
    Math.min(SLICE_STRUCTS_MAX, Math.max(SLICE_STRUCTS_MIN, SLICE_STEPS / (structsBefore + 1))),
  );
  return { structs, deletions: structs, deletedLength: SLICE_DELETED_LENGTH };
}

/** Like insertedText, but empty for an invalid update. */
export function textOfUpdate({ update }: { readonly update: Uint8Array }): string {
  try {
    return insertedText(update);
  } catch {
    return '';
  }
}
