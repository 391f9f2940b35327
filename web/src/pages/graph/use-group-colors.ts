import { useMemo } from 'react';
import { PEOPLE } from '../../platform/people.ts';
import type { GraphIndex, GraphPart } from './model/graph-index.ts';
import { type Grouping, groupPlaces, groupsOf } from './model/groups.ts';

/** The largest groups of a vault, and the colours of the notes of a part of it: the same in every part. */
export function useGroupColors(index: GraphIndex, part: GraphPart, by: Grouping) {
  const groups = useMemo(() => groupsOf(index.notes, by, PEOPLE.length), [index, by]);
  const colors = useMemo(() => groupPlaces(part.notes, by, groups).map((place) => PEOPLE[place]), [part, by, groups]);
  return { groups, colors };
}
