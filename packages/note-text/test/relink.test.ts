import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deriveNote } from '../src/derive.ts';
import { applyEdits } from '../src/diff/diff.ts';
import type { LinkForm } from '../src/links/parsed-link.ts';
import { relink } from '../src/links/relink.ts';
import { processorMs } from './processor.ts';

const relinked = (content: string, target: string, form?: LinkForm) => {
  const { links } = deriveNote('n.md', content);
  return relinkedEach(content, Array(links.length).fill(target), form);
};

const relinkedEach = (content: string, targets: string[], form?: LinkForm) => {
  const { links } = deriveNote('n.md', content);
  const changes = targets.map((target, ord) => ({
    ord,
    target,
    was: links[ord]?.target ?? '',
    form: form ?? links[ord]?.form ?? 'wikilink',
  }));
  return applyEdits(content, relink('n.md', content, changes));
};

describe('relink', () => {
  it('relink writes targets that read back as given', () => {
    assert.equal(relinked('[[a]] [b](b.md) [c][r]\n\n[r]: c.md\n', 'x y'), '[[x y]] [b](x%20y) [c][r]\n\n[r]: x%20y\n');
    assert.equal(relinked('[a](a.md)', 'R&D.md'), '[a](R&D.md)');
    assert.equal(
      relinked('[a](a.md) [b](<b.md>)', '&amp; &#65;.md'),
      '[a](%26amp;%20&%2365;.md) [b](<%26amp; &%2365;.md>)',
    );
  });

  it('relink leaves out a target that would not read back, and writes the rest', () => {
    assert.equal(relinkedEach('[[a]] [b](b.md) [[c]]', ['mailto:x', 'mailto:y', 'z']), '[[a]] [b](mailto%3Ay) [[z]]');
    assert.equal(relinkedEach('[[a]] [b](b.md) [[c]]', [' x', 'y ', 'z']), '[[a]] [b](b.md) [[z]]');
    assert.equal(relinkedEach('[[a]] [[b]]', ['x#y', 'z']), '[[a]] [[z]]');
  });

  it('relink changes a shared definition once for all its uses', () => {
    assert.equal(relinked('[a][r] and [b][r]\n\n[r]: old.md\n', 'new.md'), '[a][r] and [b][r]\n\n[r]: new.md\n');
  });

  it('relink rewrites a picture, an embed and a link in the label of a link with the link around them', () => {
    for (const [before, after] of [
      ['[![pic](a.png)](a.png)', '[![pic](b.png)](b.png)'],
      ['[see ![[a.png]] here](a.png)', '[see ![[b.png]] here](b.png)'],
      ['[![[a.png|300]]][r]\n\n[r]: a.png', '[![[b.png|300]]][r]\n\n[r]: b.png'],
      ['![one ![two](a.png) [[a.png]]](a.png)', '![one ![two](b.png) [[b.png]]](b.png)'],
      [`[${'![x](a.png) '.repeat(200)}](a.png)`, `[${'![x](b.png) '.repeat(200)}](b.png)`],
    ] as const)
      assert.equal(relinked(before, 'b.png'), after);
    assert.equal(relinkedEach('[![pic](a.png)](n.md)', ['n.md', 'b.png']), '[![pic](b.png)](n.md)');
  });

  it('relink replaces a wikilink by a markdown link with its text, anchor and embed mark', () => {
    for (const [before, after] of [
      ['[[Old]]', '[Old](C%23%20%281%29.md)'],
      ['![[Old|300]]', '![300](C%23%20%281%29.md)'],
      ['x [[Old#A part#Sub|the `C` [1] one]] y', 'x [the \\`C\\` \\[1\\] one](C%23%20%281%29.md#A%20part%23Sub) y'],
      ['[[Old#^id]]', '[Old#^id](C%23%20%281%29.md#^id)'],
      ['| [[Old\\|shown]] |\n| --- |', '| [shown](C%23%20%281%29.md) |\n| --- |'],
      ['- [ ] [[Old]] #tag', '- [ ] [Old](C%23%20%281%29.md) #tag'],
    ] as const)
      assert.equal(relinked(before, 'C# (1).md', 'markdown'), after);
    assert.equal(
      relinkedEach('[see ![[Old]] here](Old.md)', Array(2).fill('C#.md'), 'markdown'),
      '[see ![Old](C%23.md) here](C%23.md)',
    );
  });

  it('relink rewrites links in block scalars, where quotes stand for themselves', () => {
    const block = (target: string) =>
      `---\nup: >- # why\n  [[${target}]]\nall:\n  - |\n    [[${target}|x]]\r\n    [[${target}#y]]\n---\n`;
    assert.equal(relinked(block('Old'), 'it\'s "new"'), block('it\'s "new"'));
    assert.equal(relinked('---\nup: |\n  see [[Old]]\n---\n', 'b'), '---\nup: |\n  see [[Old]]\n---\n');
  });

  it('relink finds links that an older parser numbered otherwise, and leaves those that are gone', () => {
    const changes = ['a', 'c', 'gone'].map((was, ord) => ({ ord, was, target: `${was}2`, form: 'wikilink' as const }));
    const content = '[[new]] [[a]] [[b]] [[c]]';
    assert.equal(applyEdits(content, relink('n.md', content, changes)), '[[new]] [[a2]] [[b]] [[c2]]');
  });

  it('bounds how often it reads the note', () => {
    const content = '[[a]] `x` '.repeat(5000);
    assert.ok(processorMs(() => relinked(content, 'b#c')) < 5_000);
  });
});
