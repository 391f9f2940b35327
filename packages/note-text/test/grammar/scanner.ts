import { scan } from '../../src/scan.ts';
import { blockIdsOf } from './block-ids.ts';
import { type GrammarReading, writtenLink } from './cases.ts';

/** Reads a text with the scanner of this package. */
export function readWithScanner(source: string): GrammarReading {
  const { links, tags, headings } = scan(source);
  return {
    links: links.map(({ target, anchor, alias, embed }) => writtenLink(embed, target, anchor, alias)),
    tags,
    headings: headings.map(({ level, text }) => `${'#'.repeat(level)} ${text}`),
    blocks: blockIdsOf(source),
  };
}
