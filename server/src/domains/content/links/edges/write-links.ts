import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteLink } from '@notevault/protocol/notes.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import { slicesOf } from '../../../../concurrency/slices.ts';
import { createYield, type YieldIfDue } from '../../../../concurrency/yield.ts';
import type { WriteHandle } from '../../../../ports/database/database.ts';
import type { LinkWrites, WrittenNote } from '../../notes/notes.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { type Extensions, mapped, type ResolvedLink, resolveLinks, SLICE } from '../link-resolver.ts';
import { identityOf, type LinkText, sameTexts, sealTexts, textOf, toNoteLink } from '../link-texts.ts';
import * as store from '../links.store.ts';
import { type EdgeDeps, planTargets } from './resolve-again.ts';
import { type StoredLink, storedLinksOf } from './stored-links.ts';

/** A link to write, at its position in the note; it keeps its age if the note had it before. */
interface AgedLink {
  readonly note: WrittenNote;
  readonly ord: number;
  readonly text: LinkText;
  readonly age: number;
}

/**
 * Resolves the links of written notes with changed texts, and links of other notes to the old and new names; see
 * NoteHooks.
 */
export async function planLinks(
  deps: EdgeDeps,
  handle: WriteHandle,
  vault: OpenVault,
  notes: readonly WrittenNote[],
  bulk: boolean,
): Promise<LinkWrites> {
  const appeared = notes.filter(({ movedKeys }) => movedKeys.length > 0).map(({ id }) => id);
  const names = { keys: notes.flatMap(({ movedKeys }) => movedKeys), appeared };
  const [{ former, damaged, changed, links }, writeTargets] = await Promise.all([
    planOwn(deps.extensions, handle, vault, notes, bulk),
    planTargets(deps, handle, vault, names),
  ]);
  async function write() {
    const anew = new Set(changed.map(({ id }) => id));
    const own = Map.groupBy(links, ({ note }) => note.id);
    const [targeted] = await Promise.all([writeTargets(anew), writeOwn(handle, vault, changed, former, own, bulk)]);
    const kept = [...former.keys()].filter((id) => !anew.has(id));
    const again = await storedLinksOf(
      handle,
      vault,
      kept.filter((id) => targeted.has(id)),
    );
    return new Map<NoteId, NoteLink[]>([
      ...[...anew].map((id) => [id, (own.get(id) ?? []).map(toNoteLink)] as const),
      ...kept.map((id) => [id, (again.get(id)?.() ?? former.get(id) ?? []).map(toNoteLink)] as const),
    ]);
  }
  return { damaged, write };
}

/** Resolves the notes' own links, with one lookup for all targets; returns the former ones of edited notes, too. */
async function planOwn(
  extensions: Extensions,
  handle: WriteHandle,
  vault: OpenVault,
  notes: readonly WrittenNote[],
  bulk: boolean,
) {
  const yieldIfDue = bulk ? createYield() : null;
  const edited = notes.filter(({ fresh }) => !fresh).map(({ id }) => id);
  const former = new Map<NoteId, StoredLink[]>();
  const damaged = new Map<NoteId, NotevaultError>();
  for (const [id, open] of await storedLinksOf(handle, vault, edited)) {
    if (yieldIfDue !== null) await yieldIfDue();
    try {
      former.set(id, open());
    } catch (error) {
      if (!(error instanceof NotevaultError)) throw error;
      damaged.set(id, error);
    }
  }
  const changed = notes.filter(({ id, fresh, links }) => {
    if (fresh) return links.length > 0;
    const had = former.get(id)?.map(({ text }) => text);
    return had !== undefined && !sameTexts(had, links.map(textOf));
  });
  const aged: AgedLink[] = [];
  for (const note of changed) {
    for (const link of await withFormerAges(note, former.get(note.id) ?? [], yieldIfDue)) aged.push(link);
  }
  const known = new Map(notes.map(({ id, path, aliases }) => [id, { kind: 'note' as const, id, path, aliases }]));
  return { former, damaged, changed, links: await resolveLinks(extensions, handle, vault, aged, bulk, known) };
}

/** Gives the links that a note had before their former ages and origins; equal links are matched in their order. */
async function withFormerAges(
  note: WrittenNote,
  former: readonly StoredLink[],
  yieldIfDue: YieldIfDue | null,
): Promise<AgedLink[]> {
  const formerBy = new Map<string, StoredLink[]>();
  // The last first: taking the first of a hundred thousand equal links would move all others.
  await mapped(former.toReversed(), yieldIfDue, (link) => {
    const identity = identityOf(link.text);
    const same = formerBy.get(identity);
    if (same === undefined) formerBy.set(identity, [link]);
    else same.push(link);
  });
  let ord = 0;
  return mapped(note.links, yieldIfDue, (link) => {
    const text = textOf(link);
    const same = former.length === 0 ? undefined : formerBy.get(identityOf(text))?.pop();
    const origin = same?.text.origin;
    return { note, ord: ord++, text: origin === undefined ? text : { ...text, origin }, age: same?.age ?? note.seq };
  });
}

/** Replaces the links of notes. All statements of a short transaction are sent at once. */
async function writeOwn(
  handle: WriteHandle,
  vault: OpenVault,
  notes: readonly WrittenNote[],
  former: ReadonlyMap<NoteId, readonly StoredLink[]>,
  links: ReadonlyMap<NoteId, readonly ResolvedLink<AgedLink>[]>,
  bulk: boolean,
): Promise<void> {
  const sent: Promise<unknown>[] = [];
  for (const { id } of notes) {
    for (let from = 0; from < (former.get(id)?.length ?? 0); from += SLICE) {
      sent.push(handle.run(store.deleteEdges, { vault: vault.id, source: id, from, until: from + SLICE }));
      if (bulk) await sent.pop();
    }
  }
  const texts = await mapped(notes, bulk ? createYield() : null, ({ id, version }) => {
    const own = (links.get(id) ?? []).map(({ text }) => text);
    return { source: id, version, texts: sealTexts(vault, id, version, own) };
  });
  sent.push(handle.runMany(store.putTextsOf, { vault: vault.id }, texts));
  if (bulk) await sent.pop();
  for (const slice of slicesOf(
    notes.flatMap(({ id }) => links.get(id) ?? []),
    SLICE,
  )) {
    sent.push(handle.runMany(store.insertEdgesOf, { vault_id: vault.id }, slice.map(edgeOf)));
    if (bulk) await sent.pop();
  }
  await Promise.all(sent);
}

function edgeOf({ note, ord, age, keys, target }: ResolvedLink<AgedLink>): store.StoredEdge {
  return {
    source_id: note.id,
    ord,
    age,
    target_key: keys?.[0] ?? null,
    other_key: keys?.[1] ?? null,
    target_note_id: target.note,
    target_attachment_id: target.attachment,
  };
}

export async function deleteLinksOf(handle: WriteHandle, vault: OpenVault, sources: readonly string[]): Promise<void> {
  for (const slice of slicesOf(sources, SLICE)) {
    await handle.runMany(store.deleteEdgesOf, { vault_id: vault.id }, slice);
    await handle.runMany(store.deleteTextsOf, { vault_id: vault.id }, slice);
  }
}
