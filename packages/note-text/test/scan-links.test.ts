import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ParsedLink, scan } from '../src/scan.ts';

/** Shows a link as text: its source, `=> target`, `#anchor`, `|alias`, and the text at the target's span. */
function show(content: string, link: ParsedLink): string {
  const anchor = link.anchor === null ? '' : ` #${link.anchor}`;
  const alias = link.alias === null ? '' : ` |${link.alias}`;
  const mark = link.embed ? '!' : '';
  const written = content.slice(link.start, link.end);
  return `${mark}${link.form} ${written} => ${link.target}${anchor}${alias} @ ${content.slice(link.targetStart, link.targetEnd)}`;
}

function links(content: string): string[] {
  return scan(content).links.map((link) => show(content, link));
}

function targets(content: string): string[] {
  return scan(content).links.map(({ target, anchor }) => (anchor === null ? target : `${target}#${anchor}`));
}

test('a wikilink has target, anchor and alias, each optional', () => {
  assert.deepEqual(links('a [[Note]] b'), ['wikilink [[Note]] => Note @ Note']);
  assert.deepEqual(links('[[ Note # Part | shown ]]'), [
    'wikilink [[ Note # Part | shown ]] => Note #Part |shown @ Note # Part',
  ]);
  assert.deepEqual(links('[[dir/Note.md#^block]]'), [
    'wikilink [[dir/Note.md#^block]] => dir/Note.md #^block @ dir/Note.md#^block',
  ]);
  assert.deepEqual(links('[[N#a#b|x|y]]'), ['wikilink [[N#a#b|x|y]] => N #a#b |x|y @ N#a#b']);
  assert.deepEqual(links('![[pic.png|100]]'), ['!wikilink ![[pic.png|100]] => pic.png |100 @ pic.png']);
});

test('a wikilink into its own note has an empty target', () => {
  assert.deepEqual(links('[[#Part]]'), ['wikilink [[#Part]] =>  #Part @ #Part']);
  assert.deepEqual(links('[[#^b|x]]'), ['wikilink [[#^b|x]] =>  #^b |x @ #^b']);
});

test('a wikilink without target and anchor, over two lines, or unclosed is not a link', () => {
  for (const text of ['[[]]', '[[ ]]', '[[|a]]', '[[#]]', '[[a\nb]]', '[[a]', '[a]]', '[[a']) {
    assert.deepEqual(links(text), [], text);
  }
});

test('the innermost brackets make the wikilink', () => {
  assert.deepEqual(targets('[[a [[b]]'), ['b']);
  assert.deepEqual(targets('[[[a]]]'), ['a']);
  assert.deepEqual(targets('[[a]][[b]]'), ['a', 'b']);
  assert.deepEqual(targets('[[a]b]]'), ['a]b']);
});

test('a colon in a wikilink target is no URL scheme; // after it makes one', () => {
  assert.deepEqual(targets('[[Plan: part two]] [[http://a.example]] [[mailto:a@b.example]]'), ['Plan: part two']);
});

test('an escaped pipe separates the alias of a wikilink, in tables and elsewhere', () => {
  const table = '| a | b |\n|---|---|\n| [[x\\|y]] | ![[p.png\\|50]] |\n';
  assert.deepEqual(links(table), ['wikilink [[x\\|y]] => x |y @ x', '!wikilink ![[p.png\\|50]] => p.png |50 @ p.png']);
  assert.deepEqual(links('| a |\n|---|\n| [[x|y]] |'), ['wikilink [[x|y]] => x |y @ x']);
  assert.deepEqual(links('[[x\\|y]]'), ['wikilink [[x\\|y]] => x |y @ x']);
});

test('a code span in a table ends with its cell', () => {
  assert.deepEqual(targets('|a|b|\n|-|-|\n| ` | [[x]] |\n| ` | y |'), ['x']);
});

test('a markdown link target is percent-decoded, and its span covers the text as written', () => {
  assert.deepEqual(links('[l](a%20b.md#c%20d)'), ['markdown [l](a%20b.md#c%20d) => a b.md #c d |l @ a%20b.md#c%20d']);
  assert.deepEqual(links('[l](<a b.md>)'), ['markdown [l](<a b.md>) => a b.md |l @ a b.md']);
  assert.deepEqual(links('![](p.png "t")'), ['!markdown ![](p.png "t") => p.png @ p.png']);
  assert.deepEqual(links("[l]( a.md 't' )"), ["markdown [l]( a.md 't' ) => a.md |l @ a.md"]);
  assert.deepEqual(links('[l](a(b).md (t))'), ['markdown [l](a(b).md (t)) => a(b).md |l @ a(b).md']);
  assert.deepEqual(links('[l](a\\).md)'), ['markdown [l](a\\).md) => a).md |l @ a\\).md']);
  assert.deepEqual(links('[l](#part)'), ['markdown [l](#part) =>  #part |l @ #part']);
});

test('an encoded # belongs to the file name, and invalid UTF-8 stays as written', () => {
  assert.deepEqual(targets('[l](C%23.md#x)'), ['C#.md#x']);
  assert.deepEqual(targets('[l](100%.md) [l](a%ff.md) [l](a%zz.md)'), ['100%.md', 'a%ff.md', 'a%zz.md']);
});

test('link targets are normalised to NFC', () => {
  assert.deepEqual(targets('[[e\u0301]] [l](e%CC%81.md)'), ['\u00e9', '\u00e9.md']);
});

test('a markdown target that is empty, protocol-relative or has a scheme is not a link', () => {
  const urls = [
    'http://a.example',
    'HTTPS://a.example',
    'mailto:a@b.example',
    'obsidian://x',
    'data:,x',
    '//a.example',
    '',
    '#',
  ];
  for (const url of urls) assert.deepEqual(links(`[l](${url}) ![l](<${url}>)`), [], url);
  assert.deepEqual(targets('[l](<Plan: two.md>)'), ['Plan: two.md']);
});

test('spaces, line ends and unbalanced parentheses do not make a markdown link', () => {
  for (const text of [
    '[l](a b.md)',
    '[l] (a.md)',
    '[l](a.md',
    '[l](a(.md)',
    '[l](<a\nb>)',
    '[l](a "t" x)',
    '\\[l](a.md)',
  ]) {
    assert.deepEqual(links(text), [], text);
  }
});

test('a link label may hold brackets and an image, but no link', () => {
  assert.deepEqual(targets('[a [b] c](x.md)'), ['x.md']);
  assert.deepEqual(targets('[![i](p.png)](x.md)'), ['x.md', 'p.png']);
  assert.deepEqual(targets('[a [b](y.md) c](x.md)'), ['y.md']);
  assert.deepEqual(targets('[a [[b]] c](x.md)'), ['b']);
  assert.deepEqual(targets('[a ![[b.png]] c](x.md)'), ['x.md', 'b.png']);
});

test('a reference link takes its target from the definition, wherever that is', () => {
  const content = '[one][r] [r][] [r] [R  x][] ![i][r]\n\n[r]: <a b.md#h> "t"\n[r x]: c.md\n[r]: other.md\n';
  assert.deepEqual(links(content), [
    'reference [one][r] => a b.md #h |one @ a b.md#h',
    'reference [r][] => a b.md #h |r @ a b.md#h',
    'reference [r] => a b.md #h |r @ a b.md#h',
    'reference [R  x][] => c.md |R  x @ c.md',
    '!reference ![i][r] => a b.md #h |i @ a b.md#h',
  ]);
});

test('a link definition may span lines, but not have text after it or be inside a paragraph', () => {
  assert.deepEqual(targets('[r]:\n  a.md\n  "t"\n\n[r]'), ['a.md']);
  assert.deepEqual(targets('> [r]: a.md\n\n[r]'), ['a.md']);
  assert.deepEqual(targets('[r]: a.md x\n\n[r]'), []);
  assert.deepEqual(targets('text\n[r]: a.md\n\n[r]'), []);
  assert.deepEqual(targets('[r]: http://a.example\n\n[r] [a][r]'), []);
});

test('footnotes are not link definitions, and links in their text are read', () => {
  assert.deepEqual(targets('x[^1]\n\n[^1]: [[a]]\n\n    [[b]]\n[^2]: c\n'), ['a', 'b']);
});

test('a backslash escapes a bracket or an exclamation mark', () => {
  assert.deepEqual(links('\\[[a]]'), []);
  assert.deepEqual(links('\\![[a]]'), ['wikilink [[a]] => a @ a']);
  assert.deepEqual(links('\\\\[[a]]'), ['wikilink [[a]] => a @ a']);
});

test('links in HTML tags, autolinks and attributes are ignored; links between tags are read', () => {
  assert.deepEqual(targets('<a title="[[a]]">[[b]]</a> <http://x.example/[[c]]> <img alt="[d](e.md)">'), ['b']);
  assert.deepEqual(targets('<div>\n[[a]]\n</div>\n\n<pre>\n[[b]]\n\n[[c]]\n</pre>\n[[d]]'), ['a', 'd']);
});

test('the src of an <img> is an embed, with its character references and percent signs decoded', () => {
  assert.deepEqual(links('a <img src="img/a%20b.png" alt="A &amp; B"> [[c]]'), [
    '!html <img src="img/a%20b.png" alt="A &amp; B"> => img/a b.png |A & B @ img/a%20b.png',
    'wikilink [[c]] => c @ c',
  ]);
  assert.deepEqual(links("<IMG width=100 SRC = ' R&amp;D &#39;1&#x27;.png ' src='b.png'/>"), [
    "!html <IMG width=100 SRC = ' R&amp;D &#39;1&#x27;.png ' src='b.png'/> => R&D '1'.png @ R&amp;D &#39;1&#x27;.png",
  ]);
  assert.deepEqual(targets('<img src=a.png><img src="b\\c.png"/><img alt\n  src="d.svg#x" >'), [
    'a.png',
    'b\\c.png',
    'd.svg#x',
  ]);
  assert.deepEqual(targets('<div>\n<p align="center">\n  <img src="a.png">\n</p></div>\n\n<img src="b.png">'), [
    'a.png',
    'b.png',
  ]);
  assert.deepEqual(targets('> - [<img src="a.png">](b.md)\n\n|<img src="c.png">|d|\n|-|-|\n|e|<img src="f.png">|'), [
    'b.md',
    'a.png',
    'c.png',
    'f.png',
  ]);
});

test('an <img> without a path, in code, in comments or of another name is no link', () => {
  for (const text of [
    ...['<img>', '<img src>', '<img src="">', '<img src=" ">', '<img alt="src=a.png">', '<img data-src="a.png">'],
    ...['<img src="http://x.example/a.png">', '<img src=" data:image/png;base64,AA==">', '<img src=//x.example/a.png>'],
    ...['<img src="a.png"', '<img src="a.png', '<image src="a.png">', '<img-x src="a.png">', '<img/src="a.png">'],
    ...['`<img src="a.png">`', '    <img src="a.png">', '<!-- <img src="a.png"> -->', '%%<img src="a.png">%%'],
    ...['\\<img src="a.png">', '<pre>\n<img src="a.png">\n</pre>', '<img src="a\nb.png">', '<a title="<img src=a>">'],
  ])
    assert.deepEqual(links(text), [], text);
});

test('link spans count UTF-16 units of the whole content, through containers and CRLF', () => {
  const content = '---\r\nt: 1\r\n---\r\n> \u{1f600} [a\r\n> b](c.md) - [[\u{1f600}]]\r\n';
  assert.deepEqual(links(content), [
    'markdown [a\r\n> b](c.md) => c.md |a\nb @ c.md',
    'wikilink [[\u{1f600}]] => \u{1f600} @ \u{1f600}',
  ]);
});

test('links come in the order of the note, at most 20,000', () => {
  const { links: found } = scan('[[a]]\n'.repeat(20_001));
  assert.equal(found.length, 20_000);
  assert.deepEqual(targets('[[a]]\n# [b](b.md)\n- [[c]]\n\n| [[d]] |\n|-|\n| [[e]] |\n'), ['a', 'b.md', 'c', 'd', 'e']);
});

test('an overlong target is not a link, and an overlong alias is cut between characters', () => {
  assert.deepEqual(links(`[[${'a'.repeat(5_000)}]] [l](${'a'.repeat(5_000)})`), []);
  const alias = scan(`[[a|${'x'.repeat(999)}\u{1f600}]]`).links[0]?.alias ?? '';
  assert.equal(alias, 'x'.repeat(999));
});
