import type { CanvasChange, CanvasReference } from '@notevault/note-text/canvas/references.ts';
import { foldPath } from '@notevault/note-text/paths.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import type { YieldIfDue } from '../../../../concurrency/yield.ts';
import type { ReadHandle, WriteHandle } from '../../../../ports/database/database.ts';
import type { CanvasPlanner, MovedCanvas, RewrittenCanvas } from '../../attachments/attachments.ts';
import type { MovingEntry } from '../../entries/entries.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { type Extensions, resolveLinks } from '../link-resolver.ts';
import type { LinkText } from '../link-texts.ts';
import * as store from '../links.store.ts';
import { evaluateEdges, type TouchedEdge } from '../moves/edge-evaluation.ts';
import { indexMoves, type Move } from '../moves/move-index.ts';
import type { CanvasReader } from './canvas-reader.ts';

/** Maximum names that are looked up; with more, all canvases of the vault are read. */
const NAMES_MAX = 2000;

/** Finds the canvases that a move may touch, and rewrites them. */
export async function planCanvases(
  reader: CanvasReader,
  extensions: Extensions,
  handle: ReadHandle,
  vault: OpenVault,
  moving: readonly MovingEntry[],
  yieldIfDue: YieldIfDue,
): Promise<CanvasPlanner> {
  let planned: Promise<CanvasMove> | null = null;
  const plan = async () => {
    const index = await indexMoves(vault, moving, yieldIfDue);
    const movedTo = new Map(moving.map(({ from, to }) => [foldPath(from), to]));
    return { extensions, handle, vault, index, yieldIfDue, movedTo };
  };
  const move = () => (planned ??= plan());
  const some = await handle.get(store.findSomeCanvas, { vault: vault.id });
  return {
    ids: some === undefined ? [] : await canvasesOf(await move()),
    rewrite: async (canvas) => rewrite(reader, await move(), canvas),
  };
}

interface CanvasMove extends Move {
  /** The new paths of what moves, by the folded former ones. */
  readonly movedTo: ReadonlyMap<string, string>;
}

/** Returns the canvases that refer to a name that moves. */
async function canvasesOf({ handle, vault, index: { keys } }: CanvasMove): Promise<string[]> {
  const rows =
    keys.length > NAMES_MAX
      ? await handle.all(store.findCanvases, { vault: vault.id })
      : await handle.allMany(store.findCanvasesByName, { vault: vault.id }, keys);
  return [...new Set(rows.map((row) => row.attachment_id))].sort();
}

async function rewrite(reader: CanvasReader, move: CanvasMove, canvas: MovedCanvas): Promise<RewrittenCanvas> {
  const { vault, yieldIfDue, movedTo } = move;
  await yieldIfDue();
  const references = await reader.referencesIn(vault, canvas.text);
  const files = references.flatMap(({ string, ord, target: was }): CanvasChange[] => {
    const target = ord === null ? movedTo.get(foldPath(was)) : undefined;
    return target === undefined || target === was ? [] : [{ string, ord, was, target, form: 'wikilink' }];
  });
  const { changes: links, left } = await linkChanges(move, canvas, references);
  const changes = [...files, ...links];
  if (changes.length === 0) return { text: null, names: reader.namesOf(vault, references), changed: 0, left };
  const { canvas: text, left: unwritten } = await reader.rewrite(vault, canvas.text, changes);
  const names = await reader.namesIn(vault, text);
  return { text, names, changed: changes.length - unwritten, left: left + unwritten };
}

/** Returns the changes by which the wikilinks of a canvas keep their targets. */
async function linkChanges(
  move: Move,
  { id, before, after }: MovedCanvas,
  references: readonly CanvasReference[],
): Promise<{ changes: CanvasChange[]; left: number }> {
  const { extensions, handle, vault, index } = move;
  const links = references.flatMap(({ string, ord, target }) => (ord === null ? [] : [{ string, ord, target }]));
  const note = { id: id as NoteId, path: before };
  const unresolved = links.map(({ target }) => ({ note, text: wikilink(target) }));
  const touched: TouchedEdge[] = [];
  for (const [ord, { text, keys, target }] of (
    await resolveLinks(extensions, handle, vault, unresolved, true)
  ).entries()) {
    const [key = null, other = null] = keys ?? [];
    if (key === null) continue;
    if (before === after && !(keys ?? []).some((each) => index.names.has(each.toString('hex')))) continue;
    const targets = { target_note_id: target.note, target_attachment_id: target.attachment };
    const edge = { source_id: id, ord, age: 0, target_key: key, other_key: other, ...targets };
    touched.push({ edge, text, source: { before, after } });
  }
  const { rewrites, left } = await evaluateEdges(move, touched);
  const changes = (rewrites.get(note.id) ?? []).flatMap(({ ord, was, target, form }) => {
    const link = links[ord];
    return link === undefined ? [] : [{ string: link.string, ord: link.ord, was, target, form }];
  });
  return { changes, left: left.get(note.id) ?? 0 };
}

const wikilink = (target: string): LinkText => ({ target, anchor: null, alias: null, embed: false, form: 'wikilink' });

/** Replaces the names that a canvas refers to. */
export async function writeNames(
  handle: WriteHandle,
  { id: vault }: OpenVault,
  canvas: string,
  names: readonly Buffer[],
) {
  await handle.runMany(store.deleteCanvasNames, { vault_id: vault }, [canvas]);
  const rows = names.map((name) => ({ attachment_id: canvas, name_key: name }));
  await handle.runMany(store.insertCanvasNames, { vault_id: vault }, rows);
}
