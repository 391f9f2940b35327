import type { LinksLeft } from '@notevault/protocol/links.ts';
import { data } from './answer.ts';

/** Notes named in an answer, at most. */
const NAMED_MAX = 50;

/**
 * Makes the part of an answer about links that no longer lead to a moved note, or would not after a dry run. Empty when
 * all links follow.
 */
export function linksLeftOf({ links_left: left = [] }: { links_left?: readonly LinksLeft[] }, isDry = false) {
  if (left.length === 0) return { parts: [], fields: {} };
  const links = left.reduce((sum, { count }) => sum + count, 0);
  const named = left.slice(0, NAMED_MAX);
  const verb = isDry ? 'would no longer lead' : 'no longer lead';
  const more = left.length > named.length ? `, of which ${named.length} are named` : '';
  return {
    parts: [
      `${links} links ${verb} there, because they cannot hold the new name; change them by hand. They are in ${left.length} notes${more}:`,
      data(named.map(({ path, count }) => `${path} (${count})`).join('\n')),
    ],
    fields: { links_left: named },
  };
}
