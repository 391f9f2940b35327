import { deriveNote } from '../derive.ts';
import { applyEdits, type Edit } from '../diff/diff.ts';
import { groupBy } from '../group-by.ts';
import type { ParsedLink } from './parsed-link.ts';
import { rewriteTargets } from './retarget.ts';

/** A link, by its index among the note's links, and the target it should have. */
export interface Relinked {
  readonly ord: number;
  readonly target: string;
}

/**
 * With more changes than this, changes that conflict are not tried one by one, because each try reads the whole note.
 */
const TRIES_MAX = 100;

/**
 * Returns the edits that give links of a note new targets. A change is left out if the note would then have other links
 * than it should: some forms cannot express some names, and changing one link must never break another.
 */
export function relink(path: string, content: string, changes: readonly Relinked[]): Edit[] {
  const { links } = deriveNote(path, content);
  const all = attempt(path, content, links, changes);
  if (all !== null) return all;
  let kept: Relinked[] = [];
  let edits: Edit[] = [];
  for (const [, group] of [...groups(links, changes)].slice(0, TRIES_MAX)) {
    const tried = attempt(path, content, links, [...kept, ...group]);
    if (tried === null) continue;
    kept = [...kept, ...group];
    edits = tried;
  }
  return edits;
}

/** Groups the changes by definition: links that share one change together. */
function groups(links: readonly ParsedLink[], changes: readonly Relinked[]): Map<number | undefined, Relinked[]> {
  return groupBy(changes, ({ ord }) => links[ord]?.targetStart);
}

/** The edits for these changes; null when the resulting note would not have exactly the links it should. */
function attempt(
  path: string,
  content: string,
  links: readonly ParsedLink[],
  changes: readonly Relinked[],
): Edit[] | null {
  const meant = changes.flatMap(({ ord, target }) => {
    const link = links[ord];
    return link === undefined ? [] : [{ link, target }];
  });
  const targetOf = new Map(meant.map(({ link, target }) => [link, target]));
  const edits = rewriteTargets(content, meant);
  const after = deriveNote(path, applyEdits(content, edits)).links;
  if (after.length !== links.length) return null;
  const reads = links.every((link, ord) => {
    const now = after[ord];
    const { form, anchor, alias, embed } = link;
    if (now?.target !== (targetOf.get(link) ?? link.target) || now.form !== form) return false;
    return now.anchor === anchor && now.alias === alias && now.embed === embed;
  });
  return reads ? edits : null;
}
