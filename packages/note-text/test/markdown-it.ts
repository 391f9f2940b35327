import assert from 'node:assert/strict';
import MarkdownIt, { type Token } from 'markdown-it';
import { deriveNote } from '../src/derive.ts';
import { findFrontmatter } from '../src/frontmatter/fence.ts';
import type { ParsedLink, Span } from '../src/links/parsed-link.ts';
import { scanBlocks } from '../src/scan/blocks.ts';
import { scanInline } from '../src/scan/inline.ts';
import { TagSet } from '../src/tags.ts';

/**
 * Replaces syntax that markdown-it does not know by text of the same length: footnotes, and wikilinks with backticks or
 * pipes.
 */
function plain(content: string): string {
  return content
    .replace(/^\[\^([^\]\n]+)\]:/gm, '(^$1):')
    .replace(/\[\[[^[\]\n]*\]\]/g, (wikilink) => wikilink.replaceAll('`', "'").replaceAll('|', '!'));
}

interface Reading {
  readonly codeLines: number[];
  readonly codeSpans: string[];
  readonly links: string[];
  readonly headings: number[];
}

/**
 * Compares without the backslash of an escaped pipe, which a table removes: whether the span is in a table is tested
 * elsewhere.
 */
function spanText(text: string): string {
  return text.replaceAll('\\|', '|').trim();
}

const parser = new MarkdownIt({ html: true });
parser.validateLink = () => true;
parser.normalizeLink = (url) => url;

function readByMarkdownIt(body: string): Reading {
  const reading: Reading = { codeLines: [], codeSpans: [], links: [], headings: [] };
  const walk = (tokens: readonly Token[]): void => {
    for (const token of tokens) {
      const url = String(token.attrGet(token.type === 'image' ? 'src' : 'href') ?? '');
      const isEdge = !/^(?:[a-z][a-z0-9+.-]+:|\/\/|$)/i.test(url);
      if (token.type === 'fence' || token.type === 'code_block') reading.codeLines.push(token.map?.[0] ?? -1);
      else if (token.type === 'code_inline') reading.codeSpans.push(spanText(token.content));
      else if (token.type === 'heading_open') reading.headings.push(Number(token.tag.slice(1)));
      else if (token.type === 'image' && isEdge) reading.links.push(`!${url}`);
      else if (token.type === 'link_open' && token.info !== 'auto' && isEdge) reading.links.push(url);
      walk(token.children ?? []);
    }
  };
  walk(parser.parse(body, {}));
  return reading;
}

function readByScanner(body: string): Reading {
  const blocks = scanBlocks(body, 0);
  const sink = { links: [] as ParsedLink[], tags: new TagSet(), code: [] as Span[] };
  for (const text of blocks.texts) scanInline(text, blocks.definitions, sink);
  const codeOf = ({ start, end }: Span) => {
    const [, inner = ''] = /^(?:`+)([\s\S]*?)(?:`+)$/.exec(body.slice(start, end)) ?? [];
    return inner
      .replace(/\n[ >]*/g, ' ')
      .replaceAll('\\|', '|')
      .trim();
  };
  return {
    codeLines: blocks.code.map(({ start }) => body.slice(0, start).split('\n').length - 1),
    codeSpans: sink.code.map(codeOf),
    links: sink.links
      .filter(({ form }) => form !== 'wikilink')
      .map((link) => (link.embed ? '!' : '') + body.slice(link.targetStart, link.targetEnd)),
    headings: blocks.headings.map(({ level }) => level),
  };
}

/** Fails unless markdown-it and the scanner agree on what is code, a markdown link and a heading; returns the links. */
export function assertAgreement(notes: ReadonlyMap<string, string>): number {
  let links = 0;
  for (const [path, content] of notes) {
    const body = plain(content.slice(findFrontmatter(content).bodyStart));
    const reading = readByScanner(body);
    assert.deepEqual(reading, readByMarkdownIt(body), path);
    links += reading.links.length;
  }
  return links;
}

/** Fails unless each link's span slices to the link; returns the notes with degraded frontmatter. */
export function assertSpans(notes: ReadonlyMap<string, string>): string[] {
  const degraded: string[] = [];
  for (const [path, content] of notes) {
    const note = deriveNote(path, content);
    if (note.parseStatus !== 'ok') degraded.push(path);
    assert.notEqual(note.title, '', path);
    for (const link of note.links) {
      const text = content.slice(link.start, link.end);
      const shape = link.form === 'wikilink' ? /^!?\[\[[\s\S]*\]\]$/ : /^!?\[[\s\S]*[)\]]$/;
      assert.match(text, shape, path);
      assert.ok(text.includes(content.slice(link.targetStart, link.targetEnd)) || /\]$/.test(text), path);
    }
  }
  return degraded;
}
