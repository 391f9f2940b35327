import type { Candidate } from '@notevault/note-text/links/resolve.ts';
import { createYield, type YieldIfDue } from '../../../concurrency/yield.ts';
import type { ReadHandle } from '../../../ports/database/database.ts';
import type { WrittenNote } from '../../notes/notes.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { type CandidatesAt, candidatesFor, type LinkResolver, nameKeys, type Target } from '../link-resolver.ts';
import type { LinkText } from '../link-texts.ts';

/** A link whose target is not known yet, and its note. */
export interface UnresolvedLink {
  readonly note: Pick<WrittenNote, 'id' | 'path'>;
  readonly text: LinkText;
}

export type ResolvedLink<Link extends UnresolvedLink = UnresolvedLink> = Link & {
  /** The keys under which the target is looked up; null for a link within its own note. */
  readonly keys: readonly Buffer[] | null;
  readonly target: Target;
};

/** Items processed between two looks at the time. */
const LOOK_EVERY = 64;

/**
 * Resolves links, with one lookup for all targets; writes nothing.
 *
 * @param bulk whether the transaction is a bulk one and may yield; a short one may await only its handle.
 * @param known candidates by id that were just written, and need not be opened.
 */
export async function resolveLinks<Link extends UnresolvedLink>(
  resolver: LinkResolver,
  handle: ReadHandle,
  vault: OpenVault,
  links: readonly Link[],
  bulk: boolean,
  known?: ReadonlyMap<string, Candidate>,
): Promise<ResolvedLink<Link>[]> {
  const yieldIfDue = bulk ? createYield() : null;
  const keyOf = nameKeys(vault);
  const keyed = await mapped(links, yieldIfDue, (link) => ({ ...link, keys: resolver.keysOf(keyOf, link.text) }));
  const wanted = keyed.flatMap(({ keys }) => keys ?? []);
  const targetIn = targetsIn(resolver, (await candidatesFor(handle, vault, wanted, known)).at);
  return mapped(keyed, yieldIfDue, (link) => {
    const { note, text, keys } = link;
    const self: Target = { note: note.id, attachment: null, path: note.path };
    return { ...link, target: keys === null ? self : targetIn(text, note.path, keys) };
  });
}

/** Returns a function that finds the target of a link in the note at a path; equal links are resolved once. */
function targetsIn(resolver: LinkResolver, candidatesAt: CandidatesAt) {
  const known = new Map<string, Target>();
  return (link: LinkText, source: string, keys: readonly Buffer[]): Target => {
    const name = `${link.form}\0${source}\0${link.target}`;
    let target = known.get(name);
    if (target === undefined) {
      target = resolver.targetOf(link, source, candidatesAt(keys));
      known.set(name, target);
    }
    return target;
  };
}

/** Maps each item, in slices of time. */
export async function mapped<Item, Result>(
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
