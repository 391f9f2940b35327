import { folderOf } from '@notevault/note-text/paths.ts';
import type { SearchResult } from '@notevault/protocol/search.ts';
import type { SearchHit } from '@notevault/search-index/ranking/hybrid.ts';
import type { Snippet } from '@notevault/search-index/snippets/snippet.ts';

/** Maps a found note to the wire. The snippet is null when the note's text could not be read. */
export function searchResultOf(note: SearchHit, snippet: Snippet | null): SearchResult {
  return {
    id: note.id,
    path: note.path,
    title: note.title,
    folder: folderOf(note.path),
    heading_path: note.heading,
    snippet: snippet?.snippet ?? '',
    highlights: snippet?.highlights.map(([start, end]) => [start, end]) ?? [],
    match_count: note.matches,
    score: note.score,
  };
}
