import * as Y from 'yjs';
import { stateVectorMap } from '../../merge/document.ts';
import { integrationOrder } from './integration-order.ts';
import { ITEMS_MAX, type ScannedItem, type ScannedUpdate, type StructId } from './update-validator.ts';

/** A longer update is tried on a worker thread: reading it takes time, too. */
export const QUICK_BYTES = 64 * 1024;
/** Deleting takes time for each struct, and none is shorter than one UTF-16 unit. */
const DELETED_MAX = 20_000;
/** Each item and each deletion may split a struct, which moves all later structs of the same client. */
const SPLIT_STEPS_MAX = 4_000_000;
/** Maximum items that Yjs reads to insert an item: all between its two neighbours, at about 60 ns each. */
const SCAN_STEPS_MAX = 20_000;

/** An estimate of the cost of applying an update, made in a bounded number of steps. */
export type QuickCheck = 'quick' | 'unsure' | 'broken';

/**
 * Returns whether applying an update blocks the event loop for a few milliseconds at most (`quick`), whether only a trial
 * can tell (`unsure`), or whether Yjs would fail (`broken`). The document must contain everything on which the update
 * depends.
 *
 * @param structs an upper bound of the structs in the document.
 */
export function quickCheck(doc: Y.Doc, scan: ScannedUpdate, structs: number): QuickCheck {
  if (scan.items === null || scan.structs > 2 * ITEMS_MAX || scan.deletedLength > DELETED_MAX) return 'unsure';
  if (scan.structs * structs > SPLIT_STEPS_MAX) return 'unsure';
  const order = integrationOrder(scan.items, (client) => stateVectorMap(doc, client));
  if (order === null) return 'broken';
  return scanSteps(doc, order, SCAN_STEPS_MAX) <= SCAN_STEPS_MAX ? 'quick' : 'unsure';
}

/** Returns an upper bound of the items that Yjs reads to insert the items of an update. Stops when it exceeds `max`. */
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

/** An item of the update, with its neighbours in the document. */
interface ItemPosition {
  readonly item: ScannedItem;
  readonly left: StructId | null;
  readonly right: StructId | null;
}

/** Returns a neighbour in the document: itself, or the neighbour of the update's item that contains it. */
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
  // Both neighbours are in one item: there is nothing between them.
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
