import { findFrontmatter } from '@notevault/note-text/frontmatter/fence.ts';
import { titleHeading } from '@notevault/note-text/names/title-heading.ts';
import { pageParser } from '../grammar/note-syntax.ts';
import type { FindLanguage } from './code.ts';
import { readDefinitions } from './definitions.ts';
import { NoteWriter } from './note-writer.ts';
import type { PageLinks } from './resolver.ts';
import { boundedSource } from './source.ts';

export interface RenderOptions {
  /** The title that the page shows above the text. A heading with which the text begins does not repeat it. */
  readonly title: string;
  readonly links: PageLinks;
  readonly findLanguage: FindLanguage;
}

export interface RenderedNote {
  readonly html: string;
  /** Whether the end of the note is left out, because the note is too long. */
  readonly isCut: boolean;
}

/**
 * Renders a note as HTML, in time linear in its length. The HTML has no scripts, no styles and no addresses but those of
 * `links` and of links that are written in the note; properties, comments and targets of links are left out.
 */
export function renderNote(note: string, { title, links, findLanguage }: RenderOptions): RenderedNote {
  const { source, isCut } = boundedSource(note);
  const tree = pageParser.parse(source);
  const { bodyStart } = findFrontmatter(source);
  const heading = titleHeading(source.slice(bodyStart, bodyStart + 1_000), title);
  const titleAt = heading === null ? -1 : bodyStart + heading.from;
  const writer = new NoteWriter(source, {
    links,
    findLanguage,
    titleAt,
    ...readDefinitions(tree, source, titleAt),
  });
  return { html: writer.write(tree), isCut };
}

/** Returns the first words of a rendered note, for a card that describes its page. */
export function firstWords(html: string, longest = 200): string {
  const start = html.slice(0, 20_000).replace(/<(?:pre|figure|math)[ >][\s\S]*?<\/(?:pre|figure|math)>/g, ' ');
  const text = start
    .replace(/<[^<>]*(?:>|$)/g, (tag) => (/^<\/?(?:p|li|h\d|br|div|td|th|blockquote)\b/.test(tag) ? ' ' : ''))
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  if (text.length <= longest) return text;
  const cut = text.slice(0, longest);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), longest / 2)).trimEnd()}…`;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
