import { SEARCH_RESULTS_MAX } from '@notevault/protocol/search.ts';

/** How the number of results is said: there may be more, which are not in the order that is wanted either. */
export function countOf(count: number, hasMore: boolean, isSorted: boolean) {
  if (count >= SEARCH_RESULTS_MAX) return isSorted ? 'mostSorted' : 'most';
  return hasMore ? 'best' : 'found';
}
