import { countIds, idAt, packIds } from '../index/note-ids.ts';
import { VarintWriter } from '../index/varint.ts';
import type { VaultIndex } from '../index/vault-index.ts';
import type { NoteLinks } from './note-reader.ts';

/** Links between notes in a form for another thread: 16 bytes per id, then pairs of id numbers. */
export interface PackedLinks {
  readonly ids: Uint8Array;
  readonly pairs: Uint32Array;
}

const LINKS_PER_STEP = 1000;

export function* packLinks(edges: Iterable<readonly [source: string, target: string]>): Generator<void, PackedLinks> {
  const ids = new VarintWriter(1 << 10);
  const numbers = new Map<string, number>();
  const numberOf = (id: string) => {
    const known = numbers.get(id);
    if (known !== undefined) return known;
    ids.append(packIds([id]));
    numbers.set(id, numbers.size);
    return numbers.size - 1;
  };
  const pairs: number[] = [];
  for (const [source, target] of edges) {
    pairs.push(numberOf(source), numberOf(target));
    if (pairs.length % LINKS_PER_STEP === 0) yield;
  }
  return { ids: ids.toBytes(), pairs: Uint32Array.from(pairs) };
}

export function* unpackLinks({ ids, pairs }: PackedLinks, index: VaultIndex): Generator<void, NoteLinks> {
  const names: string[] = [];
  const paths = new Map<string, string>();
  for (let at = 0; at < countIds(ids); at++) {
    const id = idAt(ids, at);
    names.push(id);
    const found = index.find(id);
    if (found !== undefined) paths.set(id, found.segment.path(found.note));
    if (at % LINKS_PER_STEP === LINKS_PER_STEP - 1) yield;
  }
  const links = new Map<string, string[]>();
  const backlinks = new Map<string, string[]>();
  for (let at = 0; at < pairs.length; at += 2) {
    const [source = '', target = ''] = [names[pairs[at] ?? 0], names[pairs[at + 1] ?? 0]];
    addTo(links, source, target);
    addTo(backlinks, target, source);
    if (at % LINKS_PER_STEP === 0) yield;
  }
  return { links, backlinks, pathOf: (id) => paths.get(id) ?? null };
}

function addTo(lists: Map<string, string[]>, id: string, other: string): void {
  const known = lists.get(id);
  if (known === undefined) lists.set(id, [other]);
  else known.push(other);
}
