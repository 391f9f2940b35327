import type { NoteId } from '@notevault/protocol/values/ids.ts';
import type { YieldIfDue } from '../../../concurrency/yield.ts';
import type { LinkMove, RewrittenNote } from '../../notes/notes.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { LinkResolver, Target } from '../link-resolver.ts';
import { type LinkText, sealTexts, textOf } from '../link-texts.ts';
import type { NewEdge, SourcedEdge, StoredEdge } from '../links.store.ts';
import type { PreparedEdges, RetargetGroup } from './apply-move.ts';
import type { EdgeRetarget, LinkRewrite } from './edge-evaluation.ts';

/** The plan of how the links of some notes change in a move. */
export interface MoveLinksPlan extends LinkMove {
  readonly rewritesOf: ReadonlyMap<NoteId, readonly LinkRewrite[]>;
  readonly retargets: readonly EdgeRetarget[];
  /** The former edges and link texts of the notes to be rewritten. */
  readonly edges: ReadonlyMap<string, readonly StoredEdge[]>;
  readonly texts: ReadonlyMap<string, readonly LinkText[]>;
}

/** A note with rewritten links, and how its edges change. */
interface RewrittenEdges {
  readonly source: string;
  /** Its former edges, and its new link texts. */
  readonly former: readonly StoredEdge[];
  readonly texts: readonly LinkText[];
  /** By position among its links. */
  readonly rewrites: ReadonlyMap<number, LinkRewrite>;
  readonly retargets: ReadonlyMap<number, Target>;
}

/** Prepares what a move writes for the links of the notes in a plan; `rewritten` are those with new text. */
export async function prepareEdges(
  resolver: LinkResolver,
  vault: OpenVault,
  plan: MoveLinksPlan,
  rewritten: ReadonlyMap<NoteId, RewrittenNote>,
  yieldIfDue: YieldIfDue,
): Promise<PreparedEdges> {
  const retargetsOf = Map.groupBy(plan.retargets, ({ source }) => source);
  const retargets = [...retargetsOf].flatMap(([source, list]) => retargetGroups(source, list));
  const prepared: PreparedEdges = { links: 'prepared', retargets, changed: [], cleared: [], edges: [], texts: [] };
  for (const [source, note] of rewritten) {
    await yieldIfDue();
    const rewrites = new Map((plan.rewritesOf.get(source) ?? []).map((rewrite) => [rewrite.ord, rewrite]));
    const texts = textsAfter(note, plan.texts.get(source) ?? [], rewrites);
    await yieldIfDue();
    const { version } = note;
    prepared.texts.push({ source, version, texts: sealTexts(vault, source, version, texts) });
    const own = new Map((retargetsOf.get(source) ?? []).map(({ ord, target }) => [ord, target]));
    const former = plan.edges.get(source) ?? [];
    await addEdges(resolver, vault, prepared, { source, former, texts, rewrites, retargets: own }, yieldIfDue);
  }
  return prepared;
}

/** Returns the link texts of a rewritten note, with the origins of rewritten links. */
function textsAfter(
  { links }: RewrittenNote,
  before: readonly LinkText[],
  rewrites: ReadonlyMap<number, LinkRewrite>,
): LinkText[] {
  return links.map((link, ord) => {
    const text = textOf(link);
    const rewrite = rewrites.get(ord);
    const origin = rewrite?.text === text.target ? rewrite.origin : before[ord]?.origin;
    return origin === undefined ? text : { ...text, origin };
  });
}

/** Adds the edges of a rewritten note: those that change, or all when the stored ones are not of the same links. */
async function addEdges(
  resolver: LinkResolver,
  vault: OpenVault,
  prepared: PreparedEdges,
  { source, former, texts, rewrites, retargets }: RewrittenEdges,
  yieldIfDue: YieldIfDue,
): Promise<void> {
  const formerAt = new Map(former.map((edge) => [edge.ord, edge]));
  const keysFor = cachedKeys(resolver, vault);
  const edges: SourcedEdge[] = [];
  const changed: SourcedEdge[] = [];
  for (const [ord, text] of texts.entries()) {
    await yieldIfDue();
    const was = formerAt.get(ord);
    const before = was === undefined ? undefined : { ...was, ...retargeted(retargets.get(ord)) };
    const edge = { source, ...edgeAfter(keysFor(text), text, ord, before, rewrites.get(ord)) };
    edges.push(edge);
    if (was !== undefined && !isSame(edge, was)) changed.push(edge);
  }
  // The links are the stored ones in the same order, unless an older parser read the text differently.
  if (former.length === texts.length && formerAt.size === texts.length) {
    for (const edge of changed) prepared.changed.push(edge);
    return;
  }
  prepared.cleared.push(source);
  for (const edge of edges) prepared.edges.push(edge);
}

/** Returns a function that returns the keys of a link; those of equal links are made once. */
function cachedKeys(resolver: LinkResolver, vault: OpenVault): (text: LinkText) => Buffer[] | null {
  const known = new Map<string, Buffer[] | null>();
  return (text) => {
    const name = `${text.form}\0${text.target}`;
    let keys = known.get(name);
    if (keys === undefined) {
      keys = resolver.keysOf(vault, text);
      known.set(name, keys);
    }
    return keys;
  };
}

function edgeAfter(
  keys: readonly Buffer[] | null,
  text: LinkText,
  ord: number,
  before: StoredEdge | undefined,
  rewrite: LinkRewrite | undefined,
): NewEdge {
  const former = { note: before?.target_note_id ?? null, attachment: before?.target_attachment_id ?? null };
  const rewritten = text.target === rewrite?.text ? rewrite.newTarget : rewrite?.fallback;
  const { note, attachment } = rewritten ?? former;
  return { ord, age: before?.age ?? 0, targetKey: keys?.[0] ?? null, otherKey: keys?.[1] ?? null, note, attachment };
}

function isSame(edge: NewEdge, was: StoredEdge): boolean {
  if (was.target_note_id !== edge.note || was.target_attachment_id !== edge.attachment) return false;
  return isSameKey(was.target_key, edge.targetKey) && isSameKey(was.other_key, edge.otherKey);
}

function isSameKey(a: Buffer | null, b: Buffer | null): boolean {
  return a === null || b === null ? a === b : a.equals(b);
}

function retargetGroups(source: string, retargets: readonly EdgeRetarget[]): RetargetGroup[] {
  const byTarget = Map.groupBy(retargets, ({ target: { note, attachment } }) => `${note} ${attachment}`);
  return [...byTarget.values()].flatMap((list) => {
    const [first] = list;
    return first === undefined ? [] : [{ source, ...first.target, ords: list.map(({ ord }) => ord) }];
  });
}

function retargeted(target: Target | undefined) {
  return target === undefined ? {} : { target_note_id: target.note, target_attachment_id: target.attachment };
}
