import type { NoteId } from '@notevault/protocol/ids.ts';
import type { YieldIfDue } from '../../concurrency/yield.ts';
import type { ReadHandle, WriteHandle } from '../../ports/database/database.ts';
import type { LinkMove, LinkPlanner, MovedItem, MoveHooks, PreparedLinks, RewrittenNote } from '../notes/notes.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { sourcesAsking } from './asking-sources.ts';
import { createLinkResolver, distinct, type Target } from './link-resolver.ts';
import { type LinkText, sealTexts, textOf } from './link-texts.ts';
import * as store from './links.store.ts';
import { createRewritePlanner, type EdgeRetarget, keysOfEdge, type LinkRewrite, namesAt } from './rewrite-planner.ts';
import { readableSource } from './unseal.ts';

type Edge = store.StoredEdge;

/** The plan of how the links of some notes change in a move. */
interface MoveLinksPlan extends LinkMove {
  readonly rewritesOf: ReadonlyMap<NoteId, readonly LinkRewrite[]>;
  readonly retargets: readonly EdgeRetarget[];
  /** The former edges and link texts of the notes to be rewritten. */
  readonly edges: ReadonlyMap<string, readonly Edge[]>;
  readonly texts: ReadonlyMap<string, readonly LinkText[]>;
}

/** Edges of a note that get the same text and target. */
interface EdgeGroup extends store.EdgeTarget {
  readonly source: string;
  readonly ords: readonly number[];
}

/** What `applyMove` writes: plain data, because it may be spooled to disk. */
interface PreparedEdges extends PreparedLinks {
  readonly retargets: readonly (Target & { readonly source: string; readonly ords: readonly number[] })[];
  readonly groups: EdgeGroup[];
  /** Notes whose edges are all replaced. */
  readonly cleared: string[];
  readonly edges: store.SourcedEdge[];
  readonly texts: store.SourcedTexts[];
}

/** Rows written between two yields: during a long transaction, others run only between its calls. */
const SLICE = 512;
/** Maximum number of edges per read: on SQLite a read blocks the event loop. */
const EDGES = 1000;
/** @param attachmentExtensions see createLinks. */
export function createMoveLinks(attachmentExtensions: ReadonlySet<string>): MoveHooks {
  const { keysOf } = createLinkResolver(attachmentExtensions);
  const planner = createRewritePlanner(attachmentExtensions);

  /**
   * Returns the blind keys of the moving items before and after the move. An edge to one of them is looked up under one
   * of the former.
   */
  async function keysOfMoves(vault: OpenVault, moves: readonly MovedItem[], yieldIfDue: YieldIfDue): Promise<Buffer[]> {
    const names = new Set(moves.flatMap((move) => [...namesAt(move, move.from), ...namesAt(move, move.to)]));
    const keys: Buffer[] = [];
    for (const name of names) {
      await yieldIfDue();
      keys.push(vault.key.blind('name', name));
    }
    return keys;
  }

  async function planMove(
    handle: ReadHandle,
    vault: OpenVault,
    moves: readonly MovedItem[],
    yieldIfDue: YieldIfDue,
  ): Promise<LinkPlanner> {
    const index = await planner.indexMoves(vault, moves, yieldIfDue);
    const keys = await keysOfMoves(vault, moves, yieldIfDue);
    const asked = new Set(keys.map((key) => key.toString('hex')));
    const sources = await sourcesAsking(handle, vault, keys, yieldIfDue);
    const isTouched = (edge: Edge) =>
      index.moveOf.has(edge.source_id) || keysOfEdge(edge).some((key) => asked.has(key.toString('hex')));

    async function plan(ids: readonly NoteId[]): Promise<MoveLinksPlan> {
      const evaluation = planner.evaluate(handle, vault, index);
      const texts = new Map<string, readonly LinkText[]>();
      const edges = new Map<string, readonly Edge[]>();
      const weighed: { readonly edge: Edge; readonly text: LinkText; readonly source: string }[] = [];
      const paths = new Map<string, { readonly before: string; readonly after: string }>();
      for (const row of await handle.allMany(store.findSources, { vault: vault.id }, ids)) {
        await yieldIfDue();
        const source = readableSource(vault, row);
        if (source === null) continue;
        texts.set(row.id, source.texts);
        paths.set(row.id, { before: source.path, after: index.moveOf.get(row.id)?.to ?? source.path });
      }
      for (const [source, found] of await edgesOf(handle, vault, texts, yieldIfDue)) {
        edges.set(source, found);
        for (const edge of found) {
          const text = texts.get(source)?.[edge.ord];
          if (text !== undefined && edge.target_key !== null && isTouched(edge)) weighed.push({ edge, text, source });
        }
      }
      await evaluation.fetch(distinct(weighed.flatMap(({ edge }) => keysOfEdge(edge))));
      for (const { edge, text, source } of weighed) {
        await yieldIfDue();
        const path = paths.get(source);
        if (path !== undefined) evaluation.evaluate(edge, text, path);
      }
      const { rewrites: rewritesOf, retargets } = await evaluation.decide(yieldIfDue);
      const rewrites = new Map(
        [...rewritesOf].map(([id, list]) => [id, list.map(({ ord, text }) => ({ ord, target: text }))]),
      );
      return { rewrites, rewritesOf, retargets, texts, edges };
    }

    return { sources: [...sources] as NoteId[], plan, prepare: (plan, done) => prepare(vault, plan, done, yieldIfDue) };
  }

  /** Returns the ordered edges by note; a note with thousands is read in pages. */
  async function edgesOf(
    handle: ReadHandle,
    vault: OpenVault,
    texts: ReadonlyMap<string, readonly LinkText[]>,
    yieldIfDue: YieldIfDue,
  ): Promise<Map<string, Edge[]>> {
    const edges = new Map<string, Edge[]>();
    let few: string[] = [];
    let count = 0;
    const readFew = async () => {
      await yieldIfDue();
      for (const edge of await handle.allMany(store.findEdgesFrom, { vault: vault.id }, few)) {
        const list = edges.get(edge.source_id);
        if (list === undefined) edges.set(edge.source_id, [edge]);
        else list.push(edge);
      }
      [few, count] = [[], 0];
    };
    for (const [source, { length }] of texts) {
      if (length > EDGES) edges.set(source, await longEdgesOf(handle, vault, source, yieldIfDue));
      else if (length > 0) {
        few.push(source);
        count += length;
        if (count >= EDGES) await readFew();
      }
    }
    await readFew();
    return edges;
  }

  async function longEdgesOf(handle: ReadHandle, vault: OpenVault, source: string, yieldIfDue: YieldIfDue) {
    const edges: Edge[] = [];
    for (let from = 0; ; ) {
      await yieldIfDue();
      const page = await handle.all(store.findEdgesPage, { vault: vault.id, source, from, limit: EDGES });
      for (const edge of page) edges.push(edge);
      const last = page.at(-1);
      if (last === undefined || page.length < EDGES) return edges;
      from = last.ord + 1;
    }
  }

  async function prepare(
    vault: OpenVault,
    move: LinkMove,
    rewritten: ReadonlyMap<NoteId, RewrittenNote>,
    yieldIfDue: YieldIfDue,
  ): Promise<PreparedEdges> {
    // Only this domain makes plans.
    const plan = move as MoveLinksPlan;
    const retargetsOf = Map.groupBy(plan.retargets, ({ source }) => source);
    const retargets = [...retargetsOf].flatMap(([source, list]) => shiftGroups(source, list));
    const prepared: PreparedEdges = { links: 'prepared', retargets, groups: [], cleared: [], edges: [], texts: [] };
    for (const [source, { version, links }] of rewritten) {
      await yieldIfDue();
      const before = plan.texts.get(source) ?? [];
      const changes = new Map((plan.rewritesOf.get(source) ?? []).map((change) => [change.ord, change]));
      const texts = links.map((link, ord) => {
        const text = textOf(link);
        const change = changes.get(ord);
        const origin = change?.text === text.target ? change.origin : before[ord]?.origin;
        return origin === undefined ? text : { ...text, origin };
      });
      await yieldIfDue();
      prepared.texts.push({ source, version, texts: sealTexts(vault, source, version, texts) });
      const moved = new Map((retargetsOf.get(source) ?? []).map(({ ord, target }) => [ord, target]));
      await prepareEdges(prepared, source, plan.edges.get(source) ?? [], texts, changes, moved);
    }
    return prepared;

    async function prepareEdges(
      into: PreparedEdges,
      source: string,
      stored: readonly Edge[],
      texts: readonly LinkText[],
      changes: ReadonlyMap<number, LinkRewrite>,
      moved: ReadonlyMap<number, Target>,
    ): Promise<void> {
      const had = new Map(stored.map((edge) => [edge.ord, edge]));
      const groups = new Map<string, EdgeGroup & { readonly ords: number[] }>();
      const edges: store.SourcedEdge[] = [];
      const known = new Map<string, Buffer[] | null>();
      const keysFor = (text: LinkText) => {
        const name = `${text.form}\0${text.target}`;
        const keys = known.get(name) ?? keysOf(vault, text);
        known.set(name, keys);
        return keys;
      };
      for (const [ord, text] of texts.entries()) {
        await yieldIfDue();
        const was = had.get(ord);
        const before = was === undefined ? undefined : { ...was, ...retargeted(moved.get(ord)) };
        const edge = edgeAfter(keysFor(text), text, ord, before, changes.get(ord));
        edges.push({ source, ...edge });
        if (was === undefined || isSame(edge, was)) continue;
        const { targetKey, otherKey, note, attachment } = edge;
        const name = `${targetKey?.toString('hex')} ${otherKey?.toString('hex')} ${note} ${attachment}`;
        const group = groups.get(name);
        if (group === undefined) groups.set(name, { source, targetKey, otherKey, note, attachment, ords: [ord] });
        else group.ords.push(ord);
      }
      // The links are the stored ones in the same order, unless an older parser read the text differently.
      if (stored.length === texts.length && had.size === texts.length) {
        into.groups.push(...groups.values());
        return;
      }
      into.cleared.push(source);
      into.edges.push(...edges);
    }
  }

  async function applyMove(handle: WriteHandle, vault: OpenVault, links: PreparedLinks): Promise<void> {
    // Only this domain prepares moves.
    const { retargets, groups, cleared, edges, texts } = links as PreparedEdges;
    for (const { source, note, attachment, ords } of retargets) {
      const to = { vault: vault.id, source, note, attachment };
      for (const slice of slices(ords)) await handle.runMany(store.retarget, to, slice);
    }
    for (const { ords, ...to } of groups) {
      for (const slice of slices(ords)) await handle.runMany(store.rewriteEdges, { vault: vault.id, ...to }, slice);
    }
    await handle.runMany(store.deleteEdgesOf, { vault: vault.id }, cleared);
    for (const slice of slices(edges)) await handle.runMany(store.insertEdgesOf, { vault: vault.id }, slice);
    for (const slice of slices(texts)) await handle.runMany(store.putTextsOf, { vault: vault.id }, slice);
  }

  return { planMove, applyMove };
}

function edgeAfter(
  keys: readonly Buffer[] | null,
  text: LinkText,
  ord: number,
  had: Edge | undefined,
  change: LinkRewrite | undefined,
): store.NewEdge {
  const held = { note: had?.target_note_id ?? null, attachment: had?.target_attachment_id ?? null };
  const target = change === undefined ? held : text.target === change.text ? change.newTarget : change.fallback;
  const { note, attachment } = target;
  return { ord, age: had?.age ?? 0, targetKey: keys?.[0] ?? null, otherKey: keys?.[1] ?? null, note, attachment };
}

function isSame(edge: store.NewEdge, was: Edge): boolean {
  if (was.target_note_id !== edge.note || was.target_attachment_id !== edge.attachment) return false;
  return sameKey(was.target_key, edge.targetKey) && sameKey(was.other_key, edge.otherKey);
}

function shiftGroups(source: string, retargets: readonly EdgeRetarget[]): PreparedEdges['retargets'][number][] {
  const byTarget = Map.groupBy(retargets, ({ target: { note, attachment } }) => `${note} ${attachment}`);
  return [...byTarget.values()].flatMap((list) => {
    const [first] = list;
    return first === undefined ? [] : [{ source, ...first.target, ords: list.map(({ ord }) => ord) }];
  });
}

function sameKey(a: Buffer | null, b: Buffer | null): boolean {
  return a === null || b === null ? a === b : a.equals(b);
}

function* slices<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let at = 0; at < items.length; at += SLICE) yield items.slice(at, at + SLICE);
}

function retargeted(target: Target | undefined) {
  return target === undefined ? {} : { target_note_id: target.note, target_attachment_id: target.attachment };
}
