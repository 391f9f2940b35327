import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { applyEdits } from '../src/diff/diff.ts';
import { type Retarget, rewriteTargets, targetChoices } from '../src/links/retarget.ts';
import { scan } from '../src/scan.ts';

const moved = (target: string, form: Retarget['form'], source: string, from: string, to: string) =>
  targetChoices({ before: { source, target: from }, after: { source, target: to }, form, target })[0]?.target;

describe('targetChoices', () => {
  it('targetChoices keeps a bare name bare, with .md only where it was written', () => {
    assert.equal(moved('Old', 'wikilink', 'a/s.md', 'b/Old.md', 'c/New.md'), 'New');
    assert.equal(moved('Old.md', 'wikilink', 'a/s.md', 'b/Old.md', 'c/New.md'), 'New.md');
  });

  it('targetChoices keeps a path from the root as a path from the root', () => {
    assert.equal(moved('b/Old', 'wikilink', 'a/s.md', 'b/Old.md', 'c/d/New.md'), 'c/d/New');
    assert.equal(moved('b/Old.md', 'markdown', 'a/s.md', 'b/Old.md', 'c/New.md'), 'c/New.md');
  });

  it('targetChoices keeps a relative link relative', () => {
    assert.equal(moved('Old.md', 'markdown', 'a/s.md', 'a/Old.md', 'a/New.md'), 'New.md');
    assert.equal(moved('sub/Old.md', 'markdown', 'a/s.md', 'a/sub/Old.md', 'a/New.md'), 'New.md');
    assert.equal(moved('../b/Old.md', 'markdown', 'a/s.md', 'b/Old.md', 'c/New.md'), '../c/New.md');
    assert.equal(moved('./Old', 'wikilink', 'a/s.md', 'a/Old.md', 'a/New.md'), './New');
  });

  it('targetChoices also returns the whole path where the name alone may be ambiguous', () => {
    const link = { source: 's.md', target: 'a/x.md' };
    const choices = targetChoices({
      before: link,
      after: { source: 's.md', target: 'b/y.md' },
      form: 'wikilink',
      target: 'x',
    });
    assert.deepEqual(
      choices.slice(0, 2).map((choice) => choice.target),
      ['y', 'b/y'],
    );
  });

  it('targetChoices returns markdown links for names that wikilinks cannot contain', () => {
    const choices = (to: string) => {
      const at = { source: 'a/s.md', target: to };
      return targetChoices({ before: at, after: at, form: 'wikilink', target: 'Old' });
    };
    for (const name of ['C#', 'a|b', 'x^2', 'a[[b', 'a]]b'])
      assert.deepEqual(choices(`b/${name}.md`)[0], { form: 'markdown', target: `../b/${name}.md` }, name);
    assert.deepEqual(choices('b/Plan [v1] x.md')[0], { form: 'wikilink', target: 'Plan [v1] x' });
  });

  it('targetChoices keeps the extension of an attachment', () => {
    assert.equal(moved('pic.png', 'wikilink', 's.md', 'pic.png', 'img/photo.png'), 'photo.png');
  });
});

/** Each way to write the value of an attribute. */
const IMAGES = [
  `<img src="a.png#h">`,
  `<img src='a.png#h'>`,
  '<img src=a.png#h>',
  '|<img src="a%20b.png#h">|b|\n|-|-|',
];

describe('rewriteTargets', () => {
  const rewritten = (content: string, target: string) => {
    const links = scan(content).links;
    return applyEdits(
      content,
      rewriteTargets(
        content,
        links.map((link) => ({ link, to: { form: link.form, target } })),
      ),
    );
  };

  it('rewriteTargets keeps alias, anchor and embed mark', () => {
    assert.equal(rewritten('x ![[a#head|shown]] y', 'b/c'), 'x ![[b/c#head|shown]] y');
    assert.equal(rewritten('[label](a.md#part "title")', 'b c.md'), '[label](b%20c.md#part "title")');
  });

  it('rewriteTargets keeps an anchor behind an ampersand, and one whose mark is escaped', () => {
    assert.equal(rewritten('[[a&#part|shown]]', 'b'), '[[b#part|shown]]');
    assert.equal(rewritten('[[a&#39;s]]', 'b'), '[[b#39;s]]');
    assert.equal(rewritten('[[a\\#part]]', 'b'), '[[b#part]]');
    assert.equal(rewritten('[l](a&#part)', 'b.md'), '[l](b.md#part)');
    assert.equal(rewritten('[l](it&#39;s&#35;part)', 'b.md'), '[l](b.md&#35;part)');
    assert.equal(rewritten('[l](a\\#part)', 'b.md'), '[l](b.md\\#part)');
    assert.equal(rewritten('<img src="it&#39;s&#part">', 'b.png'), '<img src="b.png#part">');
  });

  it('rewriteTargets encodes as each form needs', () => {
    assert.equal(rewritten('[l](a.md)', 'b (1).md'), '[l](b%20%281%29.md)');
    assert.equal(rewritten('[l](<a.md>)', 'b (1).md'), '[l](<b (1).md>)');
    assert.equal(rewritten('[l](a.md)', '100% #1.md'), '[l](100%25%20%231.md)');
    assert.equal(rewritten('[l](a.md)', 'ノート.md'), '[l](ノート.md)');
    assert.equal(rewritten('| [[a\\|s]] |\n', 'b'), '| [[b\\|s]] |\n');
  });

  it('rewriteTargets writes targets that read back unchanged', () => {
    for (const target of ['it\'s (a) 100% "test" & more_*x*.md', 'a/b c/d?.md', 'x~y+z=1;2.md']) {
      for (const content of ['[l](a.md#h)', '[l](<a.md#h>)', '[l][r]\n\n[r]: a.md#h "t"\n', ...IMAGES]) {
        const [link] = scan(rewritten(content, target)).links;
        assert.equal(link?.target, target, content);
        assert.equal(link?.anchor, 'h');
      }
    }
  });

  it('rewriteTargets changes only the src of an image, encoded as it was', () => {
    for (const [before, after] of [
      ['<img alt="a" src="a b.png" width=10>', '<img alt="a" src="x/R&amp;D (&quot;1&quot;) 50%25.png" width=10>'],
      ["<IMG SRC = ' a.png '/>", "<IMG SRC = ' x/R&amp;D (&quot;1&quot;) 50%25.png '/>"],
      ['<img src="a%20b.png#p">', '<img src="x/R&amp;D%20(%221%22)%2050%25.png#p">'],
      ['<img src=a.png>', '<img src=x/R&amp;D%20(%221%22)%2050%25.png>'],
      ['<img src="it&#39;s.png">', '<img src="x/R&amp;D (&quot;1&quot;) 50%25.png">'],
    ] as const)
      assert.equal(rewritten(before, 'x/R&D ("1") 50%.png'), after);
  });

  it('rewriteTargets writes a shared definition once', () => {
    const content = '[a][r] and [b][r]\n\n[r]: old.md\n';
    assert.equal(rewritten(content, 'new.md'), '[a][r] and [b][r]\n\n[r]: new.md\n');
  });

  it('rewriteTargets skips a wikilink that cannot contain the target', () => {
    assert.equal(rewritten('[[a]]', 'b|c'), '[[a]]');
  });
});
