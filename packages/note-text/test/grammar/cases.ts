/** Markdown text with the expected reading of both grammars. Lists are in text order. */
export interface GrammarCase {
  readonly name: string;
  readonly source: string;
  /** Each `target#anchor|alias`, with `!` before an embed; only links to notes and files. */
  readonly links?: readonly string[];
  /** Tags as first written, without duplicates. */
  readonly tags?: readonly string[];
  /** Each with as many `#` as its level. */
  readonly headings?: readonly string[];
  /** Block ids without `^`. */
  readonly blocks?: readonly string[];
}

export const GRAMMAR_CASES: readonly GrammarCase[] = [
  { name: 'a wikilink with target, anchor and alias', source: 'see [[A b#C|shown]].', links: ['A b#C|shown'] },
  { name: 'an embed', source: '![[img/x.png]] and ![[note#^id]]', links: ['!img/x.png', '!note#^id'] },
  { name: 'a link into the note itself', source: '[[#Heading]]', links: ['#Heading'] },
  { name: 'the innermost brackets of a wikilink', source: '[[a [[b]]', links: ['b'] },
  { name: 'three brackets', source: '[[[a]]]', links: ['a'] },
  { name: 'a wikilink that is empty, or does not end on its line', source: '[[]] [[ ]] [[a\nb]]' },
  { name: 'a wikilink to the web', source: '[[https://example.org]] [[mailto:a@example.org]]' },
  { name: 'a wikilink in emphasis', source: '*[[a]]* **[[b]]** ==[[c]]==', links: ['a', 'b', 'c'] },
  { name: 'a wikilink in a heading', source: '# On [[a]]', links: ['a'], headings: ['# On [[a]]'] },
  { name: 'a wikilink in a quote and a list', source: '> [[a]]\n\n- [[b]]\n  1. [[c]]', links: ['a', 'b', 'c'] },
  { name: 'a wikilink with an escaped pipe in a table', source: '| a |\n|---|\n| [[x\\|y]] |', links: ['x|y'] },
  { name: 'an escaped wikilink', source: '\\[[a]] and [\\[b]]' },
  { name: 'a markdown link', source: '[shown](a%20b.md#C)', links: ['a b.md#C|shown'] },
  { name: 'a markdown link with angle brackets and a title', source: '[s](<a b.md> "t")', links: ['a b.md|s'] },
  { name: 'an image', source: '![alt](img/x.png)', links: ['!img/x.png|alt'] },
  { name: 'a markdown link to the web', source: '[s](https://example.org) <https://example.org>' },
  { name: 'a reference and its definition', source: '[s][r]\n\n[r]: a.md', links: ['a.md|s'] },
  { name: 'a reference by its own label', source: '[r] and [r][]\n\n[r]: a.md', links: ['a.md|r', 'a.md|r'] },
  { name: 'brackets without a definition', source: '[s] and [s][r]' },
  { name: 'tags', source: '#one #två/tre #2a', tags: ['one', 'två/tre', '2a'] },
  { name: 'a tag at the beginning of an item and of a cell', source: '- #a\n\n| b |\n|---|\n| #c |', tags: ['a', 'c'] },
  { name: 'what is no tag', source: 'a#b (#c) #1 #12 # d https://example.org/#e' },
  { name: 'a tag that ends at punctuation', source: '#a, #b. #c! #d;', tags: ['a', 'b', 'c', 'd'] },
  { name: 'a tag of another script, and of pictographs', source: '#日本語 #🌱plant', tags: ['日本語', '🌱plant'] },
  { name: 'a tag in emphasis', source: '**#a** *b #c*', tags: ['c'] },
  { name: 'a tag in a heading', source: '## On #a', tags: ['a'], headings: ['## On #a'] },
  { name: 'headings of all levels', source: '# a\n## b\n###### c\n####### d', headings: ['# a', '## b', '###### c'] },
  { name: 'a heading that is closed', source: '# a #\n\n## b ## c', headings: ['# a', '## b ## c'] },
  { name: 'a heading that is underlined', source: 'a\n===\n\nb\n---', headings: ['# a', '## b'] },
  { name: 'a heading without a space', source: '#a', tags: ['a'] },
  { name: 'an indented heading', source: '   # a\n\n    # b', headings: ['# a'] },
  { name: 'an empty heading', source: '#\n\n# a', headings: ['# ', '# a'] },
  { name: 'fenced code', source: '```\n[[a]] #b\n# c\nd ^e\n```\n~~~\n[[f]]\n~~~' },
  { name: 'a fence that is not closed', source: 'x\n\n```\n[[a]] #b\n# c' },
  { name: 'indented code', source: 'x\n\n    [[a]] #b ^c' },
  { name: 'code in a line', source: '`[[a]]` ``#b `[[c]]`` [[d]]', links: ['d'] },
  { name: 'code that is not closed', source: '`[[a]] #b', links: ['a'], tags: ['b'] },
  { name: 'a comment', source: '%%[[a]] #b%% [[c]]\n\n%%\n# d\n[[e]]\n%%', links: ['c'] },
  { name: 'an HTML comment', source: '<!-- [[a]] #b -->\n\n[[c]]', links: ['c'] },
  { name: 'an HTML tag', source: 'x <span title="[[a]]">[[b]]</span>', links: ['b'] },
  { name: 'mathematics', source: '$[[a]]$ $$#b$$\n\n$$\n# c\n$$' },
  { name: 'frontmatter', source: '---\ntitle: "x" # no\nx: "#a"\n---\n# b', headings: ['# b'] },
  { name: 'frontmatter that is not closed', source: '---\n\n[[a]]', links: ['a'] },
  { name: 'a table', source: '| [[a]] | #b |\n|---|---|\n| [[c]] | d |', links: ['a', 'c'], tags: ['b'] },
  {
    name: 'a table that a line ends',
    source: '| a |\n|---|\n| [[b]] |\n---\n\n| c |\n|---|\n| d |\n===',
    links: ['b'],
  },
  { name: 'a table that an empty item ends', source: '| a |\n|---|\n| b |\n- ' },
  { name: 'a footnote', source: 'x[^1]\n\n[^1]: [[a]] #b', links: ['a'], tags: ['b'] },
  { name: 'a heading of several lines, underlined with spaces before', source: 'a\n b\n ---', headings: ['## a b'] },
  { name: 'a heading that is underlined keeps its marks', source: 'a #\n===', headings: ['# a #'] },
  { name: 'an indented footnote, which is code', source: '    [^1]: #a [[b]]' },
  { name: 'a line with a block id twice', source: 'a ^b ^b', blocks: ['b'] },
  { name: 'block ids', source: 'text ^one\n\n- item ^two-2\n\n^three', blocks: ['one', 'two-2', 'three'] },
  { name: 'what is no block id', source: 'a^b\n\nc ^d e\n\nf ^g_h' },
  { name: 'block ids of lines of one paragraph', source: 'a ^b\nc ^d', blocks: ['b', 'd'] },
  { name: 'a block id of a quote', source: '> a ^b', blocks: ['b'] },
  {
    name: 'lines that end with a carriage return',
    source: '# a\r\n[[b]] #c ^d\r\n',
    links: ['b'],
    tags: ['c'],
    headings: ['# a'],
    blocks: ['d'],
  },
];

/**
 * Pieces of which both read any text alike. Not among them is where they differ on purpose or by their nature: what an
 * unclosed `$$` or `%%` hides (the editor: all that follows; the scanner: nothing, for links must not vanish while
 * somebody types), HTML (the scanner reads the text in it), a reference without a definition, what GitHub takes for an
 * address in a text, and code that begins after an escaped mark of code.
 */
export const PIECES: readonly string[] = [
  ...['[[a]]', '[[b|c]]', '![[d]]', '[[#e]]', '[x](y.md)', '![i](z.png)', ' a [s][r] a ', '\n\n[r]: q.md\n\n'],
  ...['#t', ' #u', '\n# H', '\n## G #\n', '\n---\n', '\n===\n', '\n    ', '\n- ', '\n> ', '\n1. ', '\n', '\n\n'],
  ...['`', '``', '\n```\n', '\n~~~\n', '*', '**', '==', ' ^id\n\n', ' [^1] ', '<https://e.org>', '&amp;'],
  ...[' ', '\t', 'word', '!', '(', ')'],
];

/** Result of reading a text with a grammar. */
export type GrammarReading = Required<Omit<GrammarCase, 'name' | 'source'>>;

/** Returns a case as it is compared: with all its lists. */
export function expectedOf({ links = [], tags = [], headings = [], blocks = [] }: GrammarCase): GrammarReading {
  return { links, tags, headings, blocks };
}

/** Writes a link as cases do. */
export function writtenLink(isEmbed: boolean, target: string, anchor: string | null, alias: string | null): string {
  return `${isEmbed ? '!' : ''}${target}${anchor === null ? '' : `#${anchor}`}${alias ? `|${alias}` : ''}`;
}
