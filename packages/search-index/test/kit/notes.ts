import fc from 'fast-check';
import { analyze, type SearchableNote } from '../../src/analysis/analyzer.ts';
import { VaultIndex } from '../../src/index/vault-index.ts';
import { parseQuery } from '../../src/query/query-parser.ts';
import { NO_FILTER } from '../../src/query/search-filter.ts';
import { rank } from '../../src/ranking/rank.ts';

export const noFilter = NO_FILTER;

export const idOf = (number: number) => `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`;

const file = { created: 0, modified: 0, changed: 0, size: 0 };

export function noteOf(number: number, content: string, more: Partial<SearchableNote> = {}): SearchableNote {
  const plain = { path: `n${number}.md`, title: `n${number}`, aliases: [], tags: [], type: null };
  return {
    id: idOf(number),
    seq: number,
    version: 1,
    ...plain,
    created: null,
    timestamp: null,
    file,
    content,
    ...more,
  };
}

export function indexOf(notes: readonly SearchableNote[]): VaultIndex {
  const index = new VaultIndex();
  for (const note of notes) index.put(analyze(note));
  return index;
}

/** Returns the ids and scores that a query finds, best first. */
export function find(index: VaultIndex, query: string, filter = noFilter, limit = 50) {
  return rank(index, parseQuery(query), filter, limit).hits.map(({ segment, note, ...hit }) => hit);
}

/** The numbers of the notes that a query finds, best first. */
export const numbers = (index: VaultIndex, query: string, filter = noFilter) =>
  find(index, query, filter).map(({ id }) => Number(id.slice(-12)));

/** Returns the ids that a query finds, in ascending order. */
export const sorted = (index: VaultIndex, query: string, filter = noFilter) =>
  numbers(index, query, filter).sort((a, b) => a - b);

const vocabulary = [
  'anchor',
  'anchors',
  'anchorage',
  'harbour',
  'harbor',
  'lantern',
  'lanterns',
  'tide',
  'the',
  'of',
  'tie',
  'заметка',
  'заметки',
  '検索',
  '12',
  '123',
];
export const words = fc.array(fc.constantFrom(...vocabulary), { maxLength: 12 });
/** Contents of notes: paragraphs and headings. */
export const texts = fc
  .array(words, { maxLength: 4 })
  .map((lines) => lines.map((line, at) => `${at % 2 === 1 ? '# ' : ''}${line.join(' ')}`).join('\n'));
/** Words as they are typed: also misspelt, and in forms that no note has. */
export const typed = fc.constantFrom(...vocabulary, 'anchr', 'lnatern', 'harbours', 'заметкам', 'lantrens', 'tides');
