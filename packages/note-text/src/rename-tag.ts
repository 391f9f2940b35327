import { isAlias, isMap, isScalar, isSeq } from 'yaml';
import { findFrontmatter } from './frontmatter/fence.ts';
import { keysIn, parseMapping } from './frontmatter/yaml.ts';
import type { Span } from './links/parsed-link.ts';
import { scanBlocks } from './scan/blocks.ts';
import { scanInline } from './scan/inline.ts';
import { TagSet, tagEnd, tagKey } from './tags.ts';

/** Returns whether a text is the name of a tag, in the text of a note and in frontmatter. */
export function isTagName(name: string): boolean {
  // As a plain value of YAML it would be no text.
  return tagEnd(`#${name}`, 0) === name.length + 1 && name.toLowerCase() !== 'null';
}

/**
 * Returns the spans of a tag in a note, including those inside nested tags, without `#` and without the nested part, in
 * order. In frontmatter it reads `tags` and `tag`, as lists or texts.
 */
export function tagOccurrences(content: string, tag: string): Span[] {
  const wanted = tag.split('/').map(tagKey);
  const fence = findFrontmatter(content);
  const inText: Span[] = [];
  const blocks = scanBlocks(content, fence.bodyStart);
  const sink = { links: [], tags: new TagSet(), code: null, tagSpans: inText };
  for (const text of blocks.texts) scanInline(text, blocks.definitions, sink);
  const inYaml =
    fence.kind === 'closed' ? yamlTags(content.slice(fence.yamlStart, fence.yamlEnd), fence.yamlStart) : [];
  return [...inYaml, ...inText].flatMap(({ start, end }) => {
    const length = lengthOfBeginning(content.slice(start, end), wanted);
    return length < 0 ? [] : [{ start, end: start + length }];
  });
}

/** Returns the length of the segments with which a tag begins; -1 when it begins otherwise. */
function lengthOfBeginning(name: string, wanted: readonly string[]): number {
  const own = name.split('/');
  if (own.length < wanted.length || wanted.some((segment, at) => tagKey(own[at] ?? '') !== segment)) return -1;
  return own.slice(0, wanted.length).join('/').length;
}

const KEYS = ['tags', 'tag'];

/** Returns the spans of tags in frontmatter, without `#` and quotes, in order. */
function yamlTags(yaml: string, offset: number): Span[] {
  const mapping = parseMapping(yaml);
  if ('code' in mapping) return [];
  const spans: Span[] = [];
  for (const key of KEYS.flatMap((name) => keysIn(mapping, name))) {
    const node = mapping.values.get(key)?.node ?? null;
    // What an alias stands for is written elsewhere.
    if (node === null || isAlias(node) || isMap(node)) continue;
    const items = isSeq(node) ? node.items : [node];
    for (const item of items) {
      if (!isScalar(item) || item.value === null) continue;
      const [start = 0, end = 0] = item.range ?? [];
      const raw = yaml.slice(start, end);
      const names = isSeq(node)
        ? [wholeItem(raw)]
        : [...raw.matchAll(/[^,\s]+/g)].map((word) => named(word[0], word.index));
      for (const name of names) if (name.end > name.start) spans.push(shifted(name, offset + start));
    }
  }
  return spans.sort((a, b) => a.start - b.start);
}

/** Returns a name without the quotes and `#` around it. */
function named(written: string, at: number): Span {
  const lead = /^['"]?#*/.exec(written)?.[0].length ?? 0;
  const tail = /['"]$/.test(written) ? 1 : 0;
  return { start: at + lead, end: at + written.length - tail };
}

function wholeItem(raw: string): Span {
  const text = raw.trimEnd();
  const start = text.length - text.trimStart().length;
  return named(text.slice(start), start);
}

function shifted({ start, end }: Span, by: number): Span {
  return { start: start + by, end: end + by };
}
