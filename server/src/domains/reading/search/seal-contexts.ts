/** The seal contexts of the search domain, each bound to one value so that it opens nowhere else. */

export function segmentListContext(vaultId: string, seq: number) {
  return { kind: 'search_indexes.segments', row: vaultId, version: seq };
}

export function segmentPartContext(segmentId: string, part: number) {
  return { kind: 'search_segments.data', row: segmentId, version: part };
}

export function vectorsContext(noteId: string, version: number) {
  return { kind: 'search_vectors.data', row: noteId, version };
}
