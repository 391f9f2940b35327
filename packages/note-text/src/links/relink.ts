import { deriveNote } from '../derive.ts';
import { applyEdits, type Edit } from '../diff/diff.ts';
import { groupBy } from '../group-by.ts';
import type { ParsedLink } from './parsed-link.ts';
import { type LinkTarget, rewriteTargets } from './retarget.ts';

/** A link, by its index among the note's links and its present target, and the target it should have. */
export interface LinkChange extends LinkTarget {
  readonly ord: number;
  readonly was: string;
}

/** Maximum number of conflicting changes that are tried one by one, because each try reads the whole note. */
const TRIES_MAX = 100;

/**
 * Returns the edits that give links of a note new targets. A change is left out if the note would then have other links
 * than it should: some forms cannot express some names, and changing one link must never break another.
 *
 * @param stored by ascending `ord`, as they were stored: perhaps by an older parser, which read fewer links.
 */
export function relink(path: string, content: string, stored: readonly LinkChange[]): Edit[] {
  const { links } = deriveNote(path, content);
  const changes = located(links, stored);
  const all = attempt(path, content, links, changes);
  if (all !== null) return all;
  let kept: LinkChange[] = [];
  let edits: Edit[] = [];
  for (const [, group] of [...groups(links, changes)].slice(0, TRIES_MAX)) {
    const tried = attempt(path, content, links, [...kept, ...group]);
    if (tried === null) continue;
    kept = [...kept, ...group];
    edits = tried;
  }
  return edits;
}

/** Returns the changes with the index that their links have now; those whose link is gone are left out. */
function located(links: readonly ParsedLink[], changes: readonly LinkChange[]): LinkChange[] {
  let moved = 0;
  return changes.flatMap((change) => {
    let ord = change.ord + moved;
    while (ord < links.length && links[ord]?.target !== change.was) ord++;
    if (ord >= links.length) return [];
    moved = ord - change.ord;
    return [{ ...change, ord }];
  });
}

/** Groups the changes by definition: links that share one change together. */
function groups(links: readonly ParsedLink[], changes: readonly LinkChange[]): Map<number | undefined, LinkChange[]> {
  return groupBy(changes, ({ ord }) => links[ord]?.targetStart);
}

/** Returns the edits for these changes; null when the resulting note would not have exactly the links it should. */
function attempt(
  path: string,
  content: string,
  links: readonly ParsedLink[],
  changes: readonly LinkChange[],
): Edit[] | null {
  const meant = changes.flatMap((to) => {
    const link = links[to.ord];
    return link === undefined ? [] : [{ link, to }];
  });
  const targetOf = new Map(meant.map(({ link, to }) => [link, to]));
  const edits = rewriteTargets(content, meant);
  const after = deriveNote(path, applyEdits(content, edits)).links;
  if (after.length !== links.length) return null;
  const shifted = shiftedBy(edits);
  const reads = links.every((link, ord) => {
    const now = after[ord];
    const { form, target } = targetOf.get(link) ?? link;
    if (now?.target !== target || now.form !== form || now.anchor !== link.anchor || now.embed !== link.embed)
      return false;
    // The text between is the same but for the edits: an alias changes only where a link in it does.
    return now.start === shifted(link.start) && now.end === shifted(link.end);
  });
  return reads ? edits : null;
}

/** Returns where an offset, which no edit is around, is after the edits. */
function shiftedBy(edits: readonly Edit[]): (at: number) => number {
  const shifts = [0];
  for (const { remove, insert } of edits) shifts.push((shifts.at(-1) ?? 0) + insert.length - remove);
  return (at) => {
    let low = 0;
    let high = edits.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((edits[middle]?.at ?? at) < at) low = middle + 1;
      else high = middle;
    }
    return at + (shifts[low] ?? 0);
  };
}
