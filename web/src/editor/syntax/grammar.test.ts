import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SyntaxNode } from '@lezer/common';
import { readLinkNode, readWikilinkNode } from '@notevault/note-html/links/read-link.ts';
import fc from 'fast-check';
import {
  expectedOf,
  GRAMMAR_CASES,
  type GrammarReading,
  PIECES,
  writtenLink,
} from '../../../../packages/note-text/test/grammar/cases.ts';
import { readWithScanner } from '../../../../packages/note-text/test/grammar/scanner.ts';
import { headingText } from '../core/text-facts.ts';
import { headingLevel } from './heading-folds.ts';
import { noteParser } from './markdown-language.ts';

for (const one of GRAMMAR_CASES) {
  test(`the editor reads ${one.name}`, () => {
    // The editor normalizes line ends.
    assert.deepEqual(readWithEditor(one.source.replaceAll('\r\n', '\n')), expectedOf(one));
  });
}

test('the editor and the scanner read texts of any pieces alike', () => {
  const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 7 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, (source) => assert.deepEqual(readWithEditor(source), readWithScanner(source))),
    { numRuns: 1_250 },
  );
});

/** Reads a text with the parser of the editor. */
function readWithEditor(source: string): GrammarReading {
  const text = (from: number, to: number) => source.slice(from, to);
  const links: string[] = [];
  const headings: string[] = [];
  const blocks: string[] = [];
  const tags = new Set<string>();
  noteParser.parse(source).iterate({
    enter({ name, from, to, node }) {
      const level = headingLevel(name);
      if (level > 0) headings.push(`${'#'.repeat(level)} ${headingText(text(from, to))}`);
      if (name === 'Tag') tags.add(text(from + 1, to));
      if (name === 'BlockId') blocks.push(text(from + 1, to));
      const link = linkOf(node, text);
      if (link !== null) links.push(link);
    },
  });
  return { links, tags: [...tags], headings, blocks };
}

/** Returns the link to a note or file at a node; null if there is none. */
function linkOf(node: SyntaxNode, text: (from: number, to: number) => string): string | null {
  const isWikilink = ['WikiLink', 'WikiEmbed'].includes(node.name);
  if (!isWikilink && !['Link', 'Image'].includes(node.name)) return null;
  const link = isWikilink ? readWikilinkNode(node, text) : readLinkNode(node, text);
  if (link?.destination.kind !== 'note') return null;
  const { target, anchor } = link.destination.link;
  return writtenLink(text(node.from, node.from + 1) === '!', target, anchor, link.label);
}
