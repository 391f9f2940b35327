import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/ids.ts';
import type { Backlink } from '@notevault/protocol/links.ts';
import type { NoteLink } from '@notevault/protocol/notes.ts';
import { createYield, type YieldIfDue } from '../../concurrency/yield.ts';
import type { Database, ReadHandle, WriteHandle } from '../../ports/database/database.ts';
import type { AttachmentLinkHooks } from '../attachments/attachments.ts';
import type { NoteHooks, WrittenNote } from '../notes/notes.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { sourcesAsking } from './asking-sources.ts';
import { createLinkResolver, DANGLING, distinct, type Target } from './link-resolver.ts';
import { identityOf, type LinkText, type Origin, openTexts, sameTexts, sealTexts, textOf } from './link-texts.ts';
import * as store from './links.store.ts';
import { createMoveLinks } from './move-links.ts';
import { readableMeta, readableSource, readableTexts, unsealOrThrow } from './unseal.ts';

const BACKLINKS_MAX = 200;
/** Rows written between two yields: during a long transaction, others run only between its calls. */
const SLICE = 512;
/** More links than this are processed in slices. */
const MANY = 1000;

/** The part of a link that an edit preserves. */
interface PreviousLink {
  readonly age: number;
  readonly origin: Origin | undefined;
}

/** Notes whose links are resolved again, by id. */
type OpenSources = ReadonlyMap<string, { readonly path: string; readonly texts: readonly LinkText[] }>;

/**
 * The edges from notes to notes and attachments: updated with each write, and resolved again when names appear or
 * disappear.
 */
export interface Links extends NoteHooks, AttachmentLinkHooks {
  /** Returns the edges that point to the note, oldest first, at most 200. Throws `note_not_found`. */
  backlinksOf(vault: OpenVault, id: NoteId): Promise<Backlink[]>;
}

/**
 * @param attachmentExtensions lower case, without the dot: a target with one of these extensions prefers an attachment.
 */
export function createLinks(db: Database, attachmentExtensions: ReadonlySet<string>): Links {
  const { keysOf, candidatesFor, targetOf, targets } = createLinkResolver(attachmentExtensions);

  /** Resolves a note's links; returns the target and the lookup keys of each. */
  async function resolved(
    handle: ReadHandle,
    vault: OpenVault,
    { id, path, mayYield = false }: Pick<WrittenNote, 'id' | 'path'> & Partial<Pick<WrittenNote, 'mayYield'>>,
    texts: readonly LinkText[],
  ) {
    const yieldIfDue = mayYield ? createYield() : null;
    const links = await mapped(texts, yieldIfDue, (text) => ({ text, keys: keysOf(vault, text) }));
    const wanted = links.flatMap(({ keys }) => keys ?? []);
    const targetIn = targets((await candidatesFor(handle, vault, wanted)).at);
    const self: Target = { note: id, attachment: null, path };
    return mapped(links, yieldIfDue, ({ text, keys }) => {
      const target = keys === null ? self : targetIn(text, path, keys);
      return { text, keys, target };
    });
  }

  async function insertEdges(handle: WriteHandle, vault: OpenVault, edges: readonly store.SourcedEdge[]) {
    for (let at = 0; at < edges.length; at += SLICE) {
      await handle.runMany(store.insertEdgesOf, { vault: vault.id }, edges.slice(at, at + SLICE));
    }
  }

  /** Resolves a note's links and writes its edges; links that it had before keep their age. */
  async function writeEdges(
    handle: WriteHandle,
    vault: OpenVault,
    note: WrittenNote,
    sent: LinkText[],
    ages: Map<string, PreviousLink[]>,
  ) {
    const source = note.id;
    const known = sent.map((text) => ages.get(identityOf(text))?.shift());
    const texts = sent.map((text, ord) => {
      const origin = known[ord]?.origin;
      return origin === undefined ? text : { ...text, origin };
    });
    const links = await resolved(handle, vault, note, texts);
    const edges = links.map(({ keys, target }, ord) => {
      const age = known[ord]?.age ?? note.seq;
      return { source, ord, age, targetKey: keys?.[0] ?? null, otherKey: keys?.[1] ?? null, ...target };
    });
    await handle.run(store.putTexts, {
      ...{ vault: vault.id, source, version: note.version },
      texts: sealTexts(vault, source, note.version, texts),
    });
    await insertEdges(handle, vault, edges);
    return links.map(({ text }, ord) => wireLink(text, edges[ord] ?? DANGLING));
  }

  async function written(handle: WriteHandle, vault: OpenVault, note: WrittenNote): Promise<NoteLink[]> {
    const texts = note.links.map(textOf);
    const had = note.fresh ? null : await edgesOf(handle, vault, note.id);
    let wire: NoteLink[];
    if (had !== null && sameTexts(had.texts, texts)) {
      wire = had.edges.map((edge, ord) => wireLink(texts[ord] ?? edge.text, edge.target));
    } else {
      const ages = new Map<string, PreviousLink[]>();
      for (const { text, age } of had?.edges ?? []) push(ages, identityOf(text), { age, origin: text.origin });
      if (had !== null && had.edges.length > 0)
        await handle.run(store.deleteEdges, { vault: vault.id, source: note.id });
      wire = texts.length === 0 && had === null ? [] : await writeEdges(handle, vault, note, texts, ages);
    }
    const moved = await resolveAgain(handle, vault, note.movedKeys, [note.id]);
    return moved.has(note.id) ? linksOf(handle, vault, note.id) : wire;
  }

  /** Writes the edges of several new notes, with one lookup for all targets. */
  async function writtenBatch(handle: WriteHandle, vault: OpenVault, notes: readonly WrittenNote[]): Promise<void> {
    const all = notes.flatMap((note) => note.links.map((link, ord) => ({ note, ord, text: textOf(link) })));
    const yieldIfDue = notes.every(({ mayYield }) => mayYield) ? createYield() : null;
    const links = await mapped(all, yieldIfDue, (link) => ({ ...link, keys: keysOf(vault, link.text) }));
    const wanted = links.flatMap(({ keys }) => keys ?? []);
    const targetIn = targets((await candidatesFor(handle, vault, wanted)).at);
    const edges = await mapped(links, yieldIfDue, ({ note, ord, text, keys }) => {
      const self: Target = { note: note.id, attachment: null, path: note.path };
      const target = keys === null ? self : targetIn(text, note.path, keys);
      return {
        source: note.id,
        ord,
        age: note.seq,
        targetKey: keys?.[0] ?? null,
        otherKey: keys?.[1] ?? null,
        ...target,
      };
    });
    const texts = [...Map.groupBy(links, ({ note }) => note)].map(([{ id, version }, own]) => {
      const sealed = sealTexts(
        vault,
        id,
        version,
        own.map(({ text }) => text),
      );
      return { source: id, version, texts: sealed };
    });
    await handle.runMany(store.putTextsOf, { vault: vault.id }, texts);
    await insertEdges(handle, vault, edges);
    // Their own edges have just been resolved among all of them.
    const names = notes.flatMap(({ movedKeys }) => movedKeys);
    const ids = notes.map(({ id }) => id);
    await resolveAgain(handle, vault, names, ids, new Set(ids));
  }

  /**
   * Resolves again every edge that is looked up under one of the names, after entries with these names have appeared or
   * disappeared. An edge whose target still exists is only compared with the entries that appeared, so the cost grows
   * with the links to a name, not with the notes of that name.
   *
   * @param came notes and attachments that are now found under the names, and perhaps were not before.
   */
  async function resolveAgain(
    handle: WriteHandle,
    vault: OpenVault,
    names: readonly Buffer[],
    appeared: readonly string[],
    except: ReadonlySet<string> = new Set(),
  ): Promise<Set<string>> {
    const keys = distinct(names);
    const found = await handle.allMany(store.findEdgesByKey, { vault: vault.id, limit: MANY + 1 }, keys);
    if (found.length > MANY) return resolveManyAgain(handle, vault, keys, appeared, except);
    const askers = found.filter(({ source_id }) => !except.has(source_id));
    const ids = [...new Set(askers.map((edge) => edge.source_id))];
    return resolveEdges(handle, vault, askers, appeared, await openSources(handle, vault, ids));
  }

  /** Returns paths and link texts of notes; unreadable ones are left out. */
  async function openSources(handle: ReadHandle, vault: OpenVault, ids: readonly string[]): Promise<OpenSources> {
    const sources = new Map<string, NonNullable<ReturnType<typeof readableSource>>>();
    for (const row of await handle.allMany(store.findSources, { vault: vault.id }, ids)) {
      const source = readableSource(vault, row);
      if (source !== null) sources.set(row.id, source);
    }
    return sources;
  }

  async function hasManyAskers(handle: ReadHandle, vault: OpenVault, keys: readonly Buffer[]): Promise<boolean> {
    return (await handle.allMany(store.findManyAskers, { vault: vault.id, many: MANY }, keys)).length > 0;
  }

  /** Like resolveAgain, for one note and one slice of its links at a time, to limit memory. */
  async function resolveManyAgain(
    handle: WriteHandle,
    vault: OpenVault,
    keys: readonly Buffer[],
    appeared: readonly string[],
    except: ReadonlySet<string>,
  ): Promise<Set<string>> {
    const moved = new Set<string>();
    const asked = new Set(keys.map((key) => key.toString('hex')));
    const asks = (key: Buffer | null) => key !== null && asked.has(key.toString('hex'));
    for (const source of await sourcesAsking(handle, vault, keys)) {
      if (except.has(source)) continue;
      // Unsealed once for all slices of the note's links.
      const opened = await openSources(handle, vault, [source]);
      for (let from = 0; ; ) {
        const page = await handle.all(store.findEdgesPage, { vault: vault.id, source, from, limit: MANY });
        const askers = page.filter((edge) => asks(edge.target_key) || asks(edge.other_key));
        for (const id of await resolveEdges(handle, vault, askers, appeared, opened)) moved.add(id);
        const last = page.at(-1);
        if (last === undefined || page.length < MANY) break;
        from = last.ord + 1;
      }
    }
    return moved;
  }

  async function resolveEdges(
    handle: WriteHandle,
    vault: OpenVault,
    askers: readonly store.StoredEdge[],
    appeared: readonly string[],
    sources: OpenSources,
  ): Promise<Set<string>> {
    const moved = new Set<string>();
    if (askers.length === 0) return moved;
    const keysOfEdge = (edge: (typeof askers)[number]) =>
      [edge.target_key, edge.other_key].filter((key) => key !== null);
    const { at, byId } = await candidatesFor(handle, vault, askers.flatMap(keysOfEdge));
    const news = appeared.map((id) => byId.get(id)).filter((candidate) => candidate !== undefined);
    const rivals = (edge: (typeof askers)[number]) => {
      const held = edge.target_note_id ?? edge.target_attachment_id;
      if (held === null) return news;
      const holder = appeared.includes(held) ? undefined : byId.get(held);
      return holder === undefined ? at(keysOfEdge(edge)) : [holder, ...news];
    };
    for (const [id, edges] of Map.groupBy(askers, (edge) => edge.source_id)) {
      const source = sources.get(id);
      if (source === undefined) continue;
      const changes = new Map<string, { target: Target; ords: Set<number> }>();
      // A note may contain the same link thousands of times.
      const known = new Map<string, Target>();
      for (const edge of edges) {
        const text = source.texts[edge.ord];
        if (text === undefined) continue;
        const name = `${text.form} ${edge.target_note_id ?? edge.target_attachment_id} ${text.target}`;
        const target = known.get(name) ?? targetOf(text, source.path, rivals(edge));
        known.set(name, target);
        if (target.note === edge.target_note_id && target.attachment === edge.target_attachment_id) continue;
        const key = `${target.note} ${target.attachment}`;
        const change = changes.get(key) ?? { target, ords: new Set() };
        change.ords.add(edge.ord);
        changes.set(key, change);
      }
      for (const { target, ords } of changes.values()) {
        const to = { vault: vault.id, source: id, note: target.note, attachment: target.attachment };
        await handle.runMany(store.retarget, to, [...ords]);
        moved.add(id);
      }
    }
    return moved;
  }

  async function edgesOf(handle: ReadHandle, vault: OpenVault, source: NoteId) {
    const [stored, rows] = await Promise.all([
      handle.get(store.findTexts, { vault: vault.id, source }),
      handle.all(store.findEdges, { vault: vault.id, source }),
    ]);
    if (stored === undefined) return { texts: [], edges: [] };
    const texts = unsealOrThrow(() => openTexts(vault, source, stored.version, stored.texts));
    const paths = new Map<string, string | null>();
    const edges = rows.map((row) => {
      const { target_note_id: note, revision, meta } = row;
      if (note !== null && revision !== null && meta !== null && !paths.has(note)) {
        paths.set(note, readableMeta(vault, { id: note, revision, meta })?.path ?? null);
      }
      const path = note === null ? null : (paths.get(note) ?? null);
      const target = { note, attachment: row.target_attachment_id, path };
      return { text: texts[row.ord] ?? missingText(), age: row.age, target };
    });
    return { texts, edges };
  }

  async function linksOf(handle: ReadHandle, vault: OpenVault, id: NoteId): Promise<NoteLink[]> {
    return (await edgesOf(handle, vault, id)).edges.map(({ text, target }) => wireLink(text, target));
  }

  return {
    ...createMoveLinks(attachmentExtensions),
    written,
    writtenBatch,
    linksOf,
    hasManyLinksTo: hasManyAskers,
    async namesChanged(handle, vault, names, appeared) {
      await resolveAgain(handle, vault, names, appeared);
    },
    async linksFrom(handle, vault, note) {
      const links = await resolved(handle, vault, note, note.links.map(textOf));
      return links.map(({ text, target }) => wireLink(text, target));
    },
    async deleted(handle, vault, notes) {
      for (let at = 0; at < notes.length; at += SLICE) {
        const sources = notes.slice(at, at + SLICE).map(({ id }) => id);
        await handle.runMany(store.deleteEdgesOf, { vault: vault.id }, sources);
        await handle.runMany(store.deleteTextsOf, { vault: vault.id }, sources);
      }
      const names = notes.flatMap(({ movedKeys }) => movedKeys);
      await resolveAgain(handle, vault, names, []);
    },
    async checkReadable(handle, vault, ids) {
      for (const { source_id, version, texts } of await handle.allMany(store.findTextsOf, { vault: vault.id }, ids))
        unsealOrThrow(() => openTexts(vault, source_id, version, texts));
    },
    backlinksOf: (vault, id) =>
      db.read(async (handle) => {
        const [live, rows] = await Promise.all([
          handle.get(store.findLiveNote, { vault: vault.id, id }),
          handle.all(store.findBacklinks, { vault: vault.id, target: id, limit: BACKLINKS_MAX }),
        ]);
        if (live === undefined) throw new NotevaultError('note_not_found');
        const texts = await handle.allMany(store.findTextsOf, { vault: vault.id }, [
          ...new Set(rows.map((row) => row.source_id)),
        ]);
        const textsOf = new Map(texts.map((row) => [row.source_id, readableTexts(vault, row)]));
        return rows.map((row) => {
          const meta = readableMeta(vault, { id: row.source_id, revision: row.revision, meta: row.meta });
          const text = textsOf.get(row.source_id)?.[row.ord];
          return {
            source_note_id: row.source_id,
            source_path: meta?.path ?? null,
            source_title: meta?.title ?? null,
            alias: text?.alias ?? null,
            anchor: text?.anchor ?? null,
          };
        });
      }),
  };
}

/** Items processed between two yields. */
const LOOK_EVERY = 64;

async function mapped<Item, Result>(
  items: readonly Item[],
  yieldIfDue: YieldIfDue | null,
  map: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    if (yieldIfDue !== null && results.length % LOOK_EVERY === 0) await yieldIfDue();
    results.push(map(item));
  }
  return results;
}

function wireLink(text: LinkText, target: Target): NoteLink {
  return {
    target_text: text.target,
    link_type: text.embed ? 'embed' : 'wikilink',
    dangling: target.note === null && target.attachment === null,
    alias: text.alias,
    anchor: text.anchor,
    target_note_id: target.note,
    target_attachment_id: target.attachment,
    target_path: target.path,
  };
}

function missingText(): never {
  throw new NotevaultError('note_unreadable');
}

function push<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}
