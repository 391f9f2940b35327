import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deriveNote } from '../src/derive.ts';
import { applyEdits } from '../src/diff/diff.ts';
import { relink } from '../src/links/relink.ts';
import { processorMs } from './processor.ts';

const relinked = (content: string, target: string) => {
  const ords = deriveNote('n.md', content).links.map((_, ord) => ord);
  const changes = ords.map((ord) => ({ ord, target }));
  return applyEdits(content, relink('n.md', content, changes));
};

const relinkedEach = (content: string, targets: string[]) => {
  const changes = targets.map((target, ord) => ({ ord, target }));
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

  it('bounds how often it reads the note', () => {
    const content = '[[a]] `x` '.repeat(5000);
    assert.ok(processorMs(() => relinked(content, 'b#c')) < 5_000);
  });
});
