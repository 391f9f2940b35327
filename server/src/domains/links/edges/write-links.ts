import type { NoteLink } from '@notevault/protocol/notes.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import { createYield } from '../../../concurrency/yield.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import type { WrittenNote } from '../../notes/notes.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { LinkResolver } from '../link-resolver.ts';
import { identityOf, type LinkText, sameTexts, sealTexts, textOf } from '../link-texts.ts';
import { toNoteLink } from '../links.mapper.ts';
import * as store from '../links.store.ts';
import { mapped, type ResolvedLink, resolveLinks } from './resolve-links.ts';
import { SLICE, slicesOf } from './slices.ts';
import { type StoredLink, storedLinksOf } from './stored-links.ts';

/** Writes the links of a created, revived or edited note; resolves to them. */
export async function writeLinks(
  resolver: LinkResolver,
  handle: WriteHandle,
  vault: OpenVault,
  note: WrittenNote,
): Promise<NoteLink[]> {
  const texts = note.links.map(textOf);
  if (note.fresh) {
    const aged = texts.map((text) => ({ text, age: undefined }));
    return texts.length === 0 ? [] : insertLinks(resolver, handle, vault, note, aged);
  }
  const former = await storedLinksOf(handle, vault, note.id);
  const formerTexts = former.map(({ text }) => text);
  if (sameTexts(formerTexts, texts)) return former.map(({ text, target }) => toNoteLink(text, target));
  await note.rows;
  for (let from = 0; from < former.length; from += SLICE) {
    await handle.run(store.deleteEdges, { vault: vault.id, source: note.id, from, until: from + SLICE });
  }
  return insertLinks(resolver, handle, vault, note, await withFormerAges(texts, former, note.bulk));
}

/** A link that is about to be written; its age is undefined when the note did not have it before. */
interface AgedText {
  readonly text: LinkText;
  readonly age: number | undefined;
}

/** Gives the links that a note had before their former ages and origins; equal links are matched in their order. */
async function withFormerAges(
  texts: readonly LinkText[],
  former: readonly StoredLink[],
  bulk: boolean,
): Promise<AgedText[]> {
  const formerBy = Map.groupBy(former, ({ text }) => identityOf(text));
  return mapped(texts, bulk ? createYield() : null, (text) => {
    const same = formerBy.get(identityOf(text))?.shift();
    const origin = same?.text.origin;
    return { text: origin === undefined ? text : { ...text, origin }, age: same?.age };
  });
}

async function insertLinks(
  resolver: LinkResolver,
  handle: WriteHandle,
  vault: OpenVault,
  note: WrittenNote,
  aged: readonly AgedText[],
): Promise<NoteLink[]> {
  const unresolved = aged.map(({ text, age }) => ({ note, text, age: age ?? note.seq }));
  const links = await resolveLinks(resolver, handle, vault, unresolved, note.bulk);
  await note.rows;
  const { id: source, version } = note;
  const texts = sealTexts(
    vault,
    source,
    version,
    aged.map(({ text }) => text),
  );
  const edges = links.map((link, ord) => edgeOf(link, ord, link.age));
  await Promise.all([
    handle.run(store.putTexts, { vault: vault.id, source, version, texts }),
    insertEdges(handle, vault, edges),
  ]);
  return links.map(({ text, target }) => toNoteLink(text, target));
}

/** Writes the links of several new notes, with one lookup for all targets; resolves to those of each note that has some. */
export async function writeLinksOfAll(
  resolver: LinkResolver,
  handle: WriteHandle,
  vault: OpenVault,
  notes: readonly WrittenNote[],
): Promise<ReadonlyMap<NoteId, NoteLink[]>> {
  const unresolved = notes.flatMap((note) => note.links.map((link, ord) => ({ note, ord, text: textOf(link) })));
  const bulk = notes.every((note) => note.bulk);
  const known = new Map(notes.map(({ id, path, aliases }) => [id, { kind: 'note' as const, id, path, aliases }]));
  const links = await resolveLinks(resolver, handle, vault, unresolved, bulk, known);
  const byNote = [...Map.groupBy(links, ({ note }) => note)];
  const rows = byNote.map(([{ id, version }, own]) => {
    const texts = own.map(({ text }) => text);
    return { source: id, version, texts: sealTexts(vault, id, version, texts) };
  });
  const edges = links.map((link) => edgeOf(link, link.ord, link.note.seq));
  await Promise.all([handle.runMany(store.putTextsOf, { vault: vault.id }, rows), insertEdges(handle, vault, edges)]);
  return new Map(byNote.map(([{ id }, own]) => [id, own.map(({ text, target }) => toNoteLink(text, target))]));
}

function edgeOf({ note, keys, target }: ResolvedLink, ord: number, age: number): store.SourcedEdge {
  return {
    source: note.id,
    ord,
    age,
    targetKey: keys?.[0] ?? null,
    otherKey: keys?.[1] ?? null,
    note: target.note,
    attachment: target.attachment,
  };
}

async function insertEdges(handle: WriteHandle, vault: OpenVault, edges: readonly store.SourcedEdge[]): Promise<void> {
  for (const slice of slicesOf(edges)) await handle.runMany(store.insertEdgesOf, { vault: vault.id }, slice);
}

/** Deletes the links of notes. */
export async function deleteLinksOf(handle: WriteHandle, vault: OpenVault, sources: readonly string[]): Promise<void> {
  for (const slice of slicesOf(sources)) {
    await handle.runMany(store.deleteEdgesOf, { vault: vault.id }, slice);
    await handle.runMany(store.deleteTextsOf, { vault: vault.id }, slice);
  }
}
