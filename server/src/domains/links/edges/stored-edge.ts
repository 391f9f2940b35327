import type { Target } from '../link-resolver.ts';
import type { SourcedEdge, StoredEdge } from '../links.store.ts';

/** Returns the keys under which an edge's target is looked up; none for a link within its own note. */
export function keysOfEdge(edge: StoredEdge): Buffer[] {
  return [edge.target_key, edge.other_key].filter((key) => key !== null);
}

export function hasTarget(edge: StoredEdge, { note, attachment }: Target): boolean {
  return note === edge.target_note_id && attachment === edge.target_attachment_id;
}

/** An edge as it is stored, with another target. */
export function withTarget(edge: StoredEdge, { note, attachment }: Target): SourcedEdge {
  const { source_id: source, ord, age, target_key: targetKey, other_key: otherKey } = edge;
  return { source, ord, age, targetKey, otherKey, note, attachment };
}
