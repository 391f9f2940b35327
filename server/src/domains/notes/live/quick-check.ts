import * as Y from 'yjs';
import { stateVectorMap } from '../merge/document.ts';
import { integrationOrder } from './integration-order.ts';
import { ITEMS_MAX, type ScannedItem, type ScannedUpdate, type StructId } from './update-validator.ts';

/** An update of more bytes is worked out on another thread: reading it takes time too. */
export const QUICK_BYTES = 64 * 1024;
/** Deleting takes time for each piece that goes, and no piece is shorter than a letter. */
const DELETED_MAX = 20_000;
/** Each item and each deletion finds its piece and may split it, which moves those of the same client behind it. */
const SPLIT_STEPS_MAX = 4_000_000;
/** Between its two neighbours an item is placed by looking at all that stands there: some 60 ns each. */
const SCAN_STEPS_MAX = 20_000;

/** What an update would do to a document, found out in a bounded number of steps. */
export type QuickCheck = 'quick' | 'unsure' | 'broken';

/**
 * Tells whether taking an update costs the event loop a few milliseconds at most (`quick`), whether that takes a trial to
 * know (`unsure`), or whether Yjs would stumble over it (`broken`). All that the update depends on must be there.
 *
 * @param pieces how many the document is made of, or more.
 */
export function quickCheck(doc: Y.Doc, scan: ScannedUpdate, structs: number): QuickCheck {
  if (scan.items === null || scan.structs > 2 * ITEMS_MAX || scan.deletedLength > DELETED_MAX) return 'unsure';
  if (scan.structs * structs > SPLIT_STEPS_MAX) return 'unsure';
  const order = integrationOrder(scan.items, (client) => stateVectorMap(doc, client));
  if (order === null) return 'broken';
  return scanSteps(doc, order, SCAN_STEPS_MAX) <= SCAN_STEPS_MAX ? 'quick' : 'unsure';
}

/** At most how many pieces stand between an item's neighbours in the document, before any of the update is in it. */
function scanSteps(doc: Y.Doc, order: readonly ScannedItem[], max: number): number {
  const placed = new Map<number, ItemPosition[]>();
  let steps = 0;
  for (const item of order) {
    const left = inDocument(doc, item.origin, placed, 'left');
    const right = inDocument(doc, item.rightOrigin, placed, 'right');
    steps += walk(doc, left, right, max - steps);
    if (steps > max) return steps;
    const ofClient = placed.get(item.client) ?? [];
    ofClient.push({ item, left, right });
    placed.set(item.client, ofClient);
  }
  return steps;
}

/** An item of the update with the letters of the document that it stands between. */
interface ItemPosition {
  readonly item: ScannedItem;
  readonly left: StructId | null;
  readonly right: StructId | null;
}

/** The letter of the document that bounds a reference: the letter itself, or what bounds the update's item that has it. */
function inDocument(
  doc: Y.Doc,
  id: StructId | null,
  placed: ReadonlyMap<number, readonly ItemPosition[]>,
  side: 'left' | 'right',
): StructId | null {
  if (id === null || id.clock < stateVectorMap(doc, id.client)) return id;
  const holds = ({ item }: ItemPosition) => item.clock <= id.clock && id.clock < item.clock + item.length;
  return placed.get(id.client)?.findLast(holds)?.[side] ?? null;
}

function walk(doc: Y.Doc, left: StructId | null, right: StructId | null, max: number): number {
  const end = right === null ? null : itemAt(doc, right);
  let item = left === null ? doc.getText('content')._start : itemAt(doc, left);
  // Both letters in one piece: nothing stands between them.
  if (item === end) return 0;
  if (left !== null && item !== null && left.clock === item.id.clock + item.length - 1) item = item.right;
  let steps = 0;
  for (; item !== null && item !== end && steps <= max; item = item.right) steps += 1;
  return steps;
}

function itemAt(doc: Y.Doc, { client, clock }: StructId): Y.Item | null {
  const structs = doc.store.clients.get(client) ?? [];
  const found = structs[Y.findIndexSS(structs, clock)];
  return found instanceof Y.Item ? found : null;
}
