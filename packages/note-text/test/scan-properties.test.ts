import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import MarkdownIt, { type Token } from 'markdown-it';
import { anyCharacter } from '../../../server/test/kit/content/any-character.ts';
import { deriveNote } from '../src/derive.ts';
import { type ParsedLink, scan } from '../src/scan.ts';

/** Text dense in markdown and YAML syntax, lone surrogates included. */
const soup = fc
  .array(
    fc.oneof(
      {
        weight: 9,
        arbitrary: fc.constantFrom(
          ...[
            '[[',
            ']]',
            '[',
            ']',
            '(',
            ')',
            '![',
            '](',
            '[[a]]',
            '[a](b.md)',
            '[r]: c.md\n',
            '[r]',
            '|',
            '\\',
            '\\|',
            '#',
          ],
          ...[
            '`',
            '``',
            '```\n',
            '~~~\n',
            '%%',
            '$',
            '$$',
            '<!--',
            '-->',
            '<a b="',
            '<img src="',
            '<img src=c.png>',
            '">',
            '<pre>\n',
            '</pre>',
            '<',
            '>',
          ],
          ...[
            '\n',
            '\n\n',
            '\r\n',
            '\r',
            ' ',
            '    ',
            '\t',
            '> ',
            '- ',
            '1. ',
            '# ',
            '---\n',
            '===\n',
            '|-|-|\n',
            '[^1]: ',
          ],
          ...[
            'a: ',
            '- "[[x]]"\n',
            ' #tag',
            '"',
            "'",
            '&a ',
            '*a',
            '{',
            '}',
            'title: x\n',
            'tags: ',
            ',',
            '\u0301',
            '\u{1f600}',
          ],
        ),
      },
      { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 3 }) },
      { weight: 1, arbitrary: fc.constantFrom('\ud83d', '\ude00', '\0') },
    ),
    { maxLength: 40 },
  )
  .chain((parts) => fc.constantFrom('', '---\n').map((fence) => fence + parts.join('')));

const delimiters: Record<ParsedLink['form'], RegExp> = {
  wikilink: /^!?\[\[[^\r\n]*\]\]$/,
  property: /^\[\[[^\r\n]*\]\]$/,
  markdown: /^!?\[[\s\S]*\]\([\s\S]*\)$/,
  reference: /^!?\[[\s\S]*\]$/,
  html: /^<img\s[\s\S]*>$/,
};

test('scan never throws, and every span slices to what it describes', () => {
  fc.assert(
    fc.property(soup, (content) => {
      const { links, headings } = deriveNote('a/b.md', content);
      for (const link of links) {
        assert.match(content.slice(link.start, link.end), delimiters[link.form]);
        assert.ok(link.targetStart < link.targetEnd && link.targetEnd <= content.length);
        if (link.form !== 'reference') assert.ok(link.start < link.targetStart && link.targetEnd < link.end);
        if (link.form !== 'reference') assert.doesNotMatch(content.slice(link.targetStart, link.targetEnd), /[\r\n]/);
        assert.equal(link.target, link.target.normalize('NFC'));
      }
      for (const heading of headings) assert.ok(heading.start < heading.end && heading.end <= content.length);
    }),
    { numRuns: 750 },
  );
});

test('scan returns links in order, and each wikilink reads the same alone', () => {
  fc.assert(
    fc.property(soup, (content) => {
      const { links } = scan(content);
      links.reduce((before, link) => {
        assert.ok(before <= link.start);
        return link.start;
      }, 0);
      for (const link of links.filter(({ form }) => form === 'wikilink')) {
        const [alone] = scan(`x ${content.slice(link.start, link.end)}`).links;
        assert.deepEqual([alone?.target, alone?.anchor, alone?.alias], [link.target, link.anchor, link.alias]);
      }
    }),
    { numRuns: 250 },
  );
});

test('scan finds no links, tags or headings in code', () => {
  fc.assert(
    fc.property(soup, (text) => {
      const fence = '`'.repeat(41 * 4);
      const quiet = { links: [], tags: [], headings: [] };
      assert.deepEqual(scan(`${fence}\n${text}\n${fence}\n`, 0), quiet);
      assert.deepEqual(scan(text.replace(/^|(?<=\r\n|\n|\r(?!\n))/g, '    '), 0), quiet);
      assert.deepEqual(scan(`x ${fence} ${text.replace(/[\r\n]/g, ' ')} ${fence}`, 0), quiet);
    }),
    { numRuns: 250 },
  );
});

test('scan returns tags that are unique without regard to case and read as tags again', () => {
  fc.assert(
    fc.property(soup, (content) => {
      const { tags } = scan(content);
      assert.equal(new Set(tags.map((tag) => tag.toLowerCase())).size, tags.length);
      assert.deepEqual(scan(tags.map((tag) => `#${tag}`).join(' '), 0).tags, tags);
    }),
    { numRuns: 250 },
  );
});

test('scan reads a body the same with frontmatter before it, offsets moved by its length', () => {
  fc.assert(
    fc.property(soup, (body) => {
      const front = '---\nx: y\n---\n';
      const moved = scan(front + body).links.map(({ start, target }) => [start - front.length, target]);
      assert.deepEqual(
        moved,
        scan(body, 0).links.map(({ start, target }) => [start, target]),
      );
    }),
    { numRuns: 250 },
  );
});

test('scan agrees with markdown-it on inline markdown links', () => {
  const parser = new MarkdownIt({ html: true });
  parser.validateLink = () => true;
  parser.normalizeLink = (url) => url;
  const parts = fc.constantFrom(
    ...['a', 'b\nb', ' ', '`', '``', '`c`', '[', '](u)', '](<u v>)', '](u "t")', '![', ']', ')', '\\', '<a>', '<a b="'],
    ...['">', '<x:y>', '[r]', '[r][]', '[l][r]', '"', "'", '&amp;', '*', '](u(v))', '<', '>'],
  );
  const text = fc.array(parts, { maxLength: 14 }).map((list) => `[r]: u2\n\nx ${list.join('')} x`);
  fc.assert(
    fc.property(
      text.filter((content) => !/\[\[|\]\]/.test(content)),
      (content) => {
        const expected: string[] = [];
        const walk = (tokens: Token[]): void => {
          for (const token of tokens) {
            if (token.type === 'link_open' && token.info !== 'auto') expected.push(`${token.attrGet('href')}`);
            if (token.type === 'image') expected.push(`!${token.attrGet('src')}`);
            walk(token.children ?? []);
          }
        };
        walk(parser.parse(content, {}));
        assert.deepEqual(
          scan(content).links.map((link) => (link.embed ? '!' : '') + link.target),
          expected,
        );
      },
    ),
    { numRuns: 750 },
  );
});
