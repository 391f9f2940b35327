import { maxLinks, type ParsedLink, type Span, toAlias } from '../links/parsed-link.ts';
import { type TagSet, tagEnd } from '../tags.ts';
import { CloserIndex } from './closer-index.ts';
import { CodeSpans } from './code-spans.ts';
import { type Definition, type Definitions, normalizeLabel, readLabel } from './definitions.ts';
import {
  decodeTarget,
  isAsciiPunctuation,
  readDestination,
  skipSpaces,
  skipTitle,
  unescapeHtml,
  unescapeMarkdown,
} from './destination.ts';
import { autolinkEnd, htmlTagEnd, readAttributes } from './html.ts';
import type { InlineText } from './inline-text.ts';
import { readWikilink, type Wikilink } from './wikilink.ts';

/** Receives what the inline scan finds; offsets are those of the content. */
export interface InlineSink {
  readonly links: ParsedLink[];
  readonly tags: TagSet;
  /** Code spans with their backticks; null when they are not needed. */
  readonly code: Span[] | null;
  /** Span of each tag, without its `#`. */
  readonly tagSpans?: Span[];
  /** All that is no plain text: links, tags, code, HTML, comments and mathematics. */
  readonly opaque?: Span[];
}

interface Bracket {
  readonly at: number;
  readonly image: boolean;
  /** Number of tags found before the link; later tags, which are inside the link, are dropped. */
  readonly tagCount: number;
  /** Whether another bracket follows, so that the text up to `]` cannot be a label. */
  bracketAfter: boolean;
}

/** Beyond this many unclosed brackets, a bracket is text: a note of nothing but brackets must not fill the memory. */
const maxOpenBrackets = 50_000;

/** Flags the character codes at which an inline may begin. */
const isSpecial = new Uint8Array(128);
for (const c of '\\`[]<#%$') isSpecial[c.charCodeAt(0)] = 1;

const IMAGE_TAG = /^<img\s/i;
const IMAGE_LENGTH = '<img '.length;

/**
 * Scans one inline text from left to right (CommonMark 0.31.2, section 6). Code spans, HTML, comments, mathematics and
 * wikilinks are consumed whole, in the order in which they begin; links and images are matched with a stack of
 * brackets.
 */
export function scanInline(source: InlineText, definitions: Definitions, sink: InlineSink): void {
  new InlineScanner(source, definitions, sink).run();
}

class InlineScanner {
  readonly #source: InlineText;
  readonly #text: string;
  readonly #definitions: Definitions;
  readonly #sink: InlineSink;
  readonly #brackets: Bracket[] = [];
  /** Link brackets below this index of the stack are around a link and cannot be links themselves (section 6.3). */
  #inactiveBelow = 0;
  readonly #links: ParsedLink[] = [];
  readonly #tags: Span[] = [];
  readonly #code: CodeSpans;
  readonly #closers: CloserIndex;
  #escaped = -1;
  #noWikilinkBefore = 0;

  constructor(source: InlineText, definitions: Definitions, sink: InlineSink) {
    this.#source = source;
    this.#text = source.text;
    this.#definitions = definitions;
    this.#sink = sink;
    this.#code = new CodeSpans(source.text);
    this.#closers = new CloserIndex(source.text);
  }

  run(): void {
    const text = this.#text;
    for (let at = 0; at < text.length; ) {
      if (isSpecial[text.charCodeAt(at)] !== 1) {
        at++;
        continue;
      }
      const next = this.#readSpecial(text.charAt(at), at);
      if (next > at + 1 && text.charAt(at) !== '\\') this.#sink.opaque?.push(this.#spanOf(at, next));
      at = next;
    }
    for (const { start, end } of this.#tags) {
      this.#sink.tags.add(text.slice(start, end));
      this.#sink.tagSpans?.push(this.#spanOf(start, end));
    }
    // Sorted by start, because an image inside a link closes before the link does.
    this.#links.sort((a, b) => a.start - b.start);
    for (const link of this.#links) {
      this.#sink.links.push(link);
      this.#sink.opaque?.push(link);
    }
  }

  /** Reads the inline that begins with the character `c` at `at`; returns the offset to continue from. */
  #readSpecial(c: string, at: number): number {
    switch (c) {
      case '\\':
        if (!isAsciiPunctuation(this.#text.charCodeAt(at + 1))) return at + 1;
        this.#escaped = at + 1;
        return at + 2;
      case '`':
        return this.#readCode(at);
      case '[':
        return this.#openBracket(at);
      case ']':
        return this.#closeBracket(at);
      case '<':
        return this.#readAngle(at);
      case '#':
        return this.#readTag(at);
      case '%':
        return this.#closers.skip('%%', '%%', at);
      default:
        return this.#readMath(at);
    }
  }

  #readCode(at: number): number {
    const { end, closed } = this.#code.read(at);
    if (closed) this.#sink.code?.push({ start: this.#source.toContent(at), end: this.#source.toContent(end) });
    return end;
  }

  #spanOf(start: number, end: number): Span {
    return { start: this.#source.toContent(start), end: this.#source.toContent(end) };
  }

  #readAngle(at: number): number {
    const text = this.#text;
    if (text.startsWith('<!--', at)) {
      const close = this.#closers.find('-->', at + 2);
      return close < 0 ? at + 1 : close + 3;
    }
    const tagEnd = htmlTagEnd(text, at);
    if (tagEnd >= 0 && IMAGE_TAG.test(text.slice(at, at + IMAGE_LENGTH))) this.#addImage({ start: at, end: tagEnd });
    const end = Math.max(autolinkEnd(text, at), tagEnd);
    return end < 0 ? at + 1 : end;
  }

  /** Adds the link that the `src` of an `<img>` makes, if it has one that is no URL. */
  #addImage(tag: Span): void {
    const text = this.#text;
    const attributes = readAttributes(text, tag);
    const source = attributes.get('src');
    if (source === undefined || this.#full) return;
    const written = text.slice(source.start, source.end);
    const raw = written.trim();
    // Browsers skip line ends in a URL; a link whose target is on one line can be rewritten.
    const target = /[\r\n]/.test(raw) ? null : decodeTarget(raw, unescapeHtml);
    if (target === null) return;
    const alt = attributes.get('alt');
    const start = source.start + written.indexOf(raw);
    this.#links.push({
      ...target,
      alias: alt === undefined ? null : toAlias(unescapeHtml(text.slice(alt.start, alt.end))),
      embed: true,
      form: 'html',
      ...this.#spanOf(tag.start, tag.end),
      targetStart: this.#source.toContent(start),
      targetEnd: this.#source.toContent(start + raw.length),
    });
  }

  #readMath(at: number): number {
    if (this.#text.charAt(at + 1) === '$') return this.#closers.skip('$$', '$$', at);
    return this.#closers.skipMath(at);
  }

  #readTag(at: number): number {
    if (at > 0 && !/\s/.test(this.#text.charAt(at - 1))) return at + 1;
    const end = tagEnd(this.#text, at);
    if (end < 0) return at + 1;
    this.#tags.push({ start: at + 1, end });
    return end;
  }

  #openBracket(at: number): number {
    const image = at > 0 && this.#text.charAt(at - 1) === '!' && this.#escaped !== at - 1;
    const around = this.#brackets.at(-1);
    if (around) around.bracketAfter = true;
    if (this.#text.charAt(at + 1) === '[' && at >= this.#noWikilinkBefore) {
      const { link, end } = readWikilink(this.#text, at);
      if (link) {
        this.#addWikilink(link, image ? at - 1 : at, image);
        return end;
      }
      this.#noWikilinkBefore = end;
    }
    if (this.#brackets.length >= maxOpenBrackets) {
      this.#brackets.length = 0;
      this.#inactiveBelow = 0;
    }
    this.#brackets.push({ at, image, tagCount: this.#tags.length, bracketAfter: false });
    return at + 1;
  }

  /** Appendix, phase 2, procedure "look for link or image". */
  #closeBracket(at: number): number {
    const opener = this.#brackets.pop();
    const depth = this.#brackets.length;
    const inactive = depth < this.#inactiveBelow;
    this.#inactiveBelow = Math.min(this.#inactiveBelow, depth);
    if (!opener || (inactive && !opener.image)) return at + 1;
    const end = this.#readInlineLink(opener, at);
    if (end >= 0) return end;
    const reference = this.#definitions.size > 0 ? this.#readReference(opener, at) : -1;
    return reference < 0 ? at + 1 : reference;
  }

  /** Reads `(destination "title")` after the `]` at `at`; -1 when there is none. */
  #readInlineLink(opener: Bracket, at: number): number {
    const text = this.#text;
    if (text.charAt(at + 1) !== '(') return -1;
    const destination = readDestination(text, skipSpaces(text, at + 2));
    if (!destination) return -1;
    let close = skipSpaces(text, destination.next);
    const title = close > destination.next ? skipTitle(text, close) : -1;
    if (title >= 0) close = skipSpaces(text, title);
    if (text.charAt(close) !== ')') return -1;
    const { start, end } = destination;
    this.#addLabelled(opener, at, close + 1, 'markdown', {
      target: decodeTarget(text.slice(start, end)),
      targetStart: this.#source.toContent(start),
      targetEnd: this.#source.toContent(end),
    });
    return close + 1;
  }

  /**
   * Reads `[label][ref]`, `[ref][]` or `[ref]`, whose first part closes at `at`; -1 when there is no such definition.
   */
  #readReference(opener: Bracket, at: number): number {
    const label = this.#text.charAt(at + 1) === '[' ? readLabel(this.#text, at + 1) : null;
    const full = label !== null && label.label !== '';
    if (!full && opener.bracketAfter) return -1;
    const name = full ? label.label : this.#text.slice(opener.at + 1, at);
    const definition = this.#definitions.get(normalizeLabel(name));
    if (!definition) return -1;
    const end = label ? label.end : at + 1;
    this.#addLabelled(opener, at, end, 'reference', definition);
    return end;
  }

  #addWikilink(link: Wikilink, start: number, embed: boolean): void {
    if (!embed) this.#inactiveBelow = this.#brackets.length;
    if (this.#full) return;
    this.#links.push({
      target: link.target,
      anchor: link.anchor,
      alias: toAlias(link.alias),
      embed,
      form: 'wikilink',
      start: this.#source.toContent(start),
      end: this.#source.toContent(link.end),
      targetStart: this.#source.toContent(link.targetStart),
      targetEnd: this.#source.toContent(link.targetEnd),
    });
  }

  get #full(): boolean {
    return this.#sink.links.length + this.#links.length >= maxLinks;
  }

  #addLabelled(
    opener: Bracket,
    close: number,
    end: number,
    form: 'markdown' | 'reference',
    definition: Definition,
  ): void {
    this.#tags.length = opener.tagCount;
    if (!opener.image) this.#inactiveBelow = this.#brackets.length;
    if (!definition.target || this.#full) return;
    this.#links.push({
      ...definition.target,
      alias: toAlias(unescapeMarkdown(this.#text.slice(opener.at + 1, close))),
      embed: opener.image,
      form,
      start: this.#source.toContent(opener.image ? opener.at - 1 : opener.at),
      end: this.#source.toContent(end),
      targetStart: definition.targetStart,
      targetEnd: definition.targetEnd,
    });
  }
}
