import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deriveNote } from '../src/derive.ts';

test('deriveNote takes the title from the frontmatter, else the first level-1 heading, else the file name', () => {
  assert.equal(deriveNote('d/N.md', '---\ntitle: F\n---\n# H').title, 'F');
  assert.equal(deriveNote('d/N.md', '---\ntitle:\n---\n## x\n```\n# c\n```\n#\n# H #\n# I').title, 'H');
  assert.equal(deriveNote('d/N.md', 'H\n===').title, 'H');
  assert.equal(deriveNote('d/N.x.md', '## H').title, 'N.x');
});

test('deriveNote takes the folder from the path', () => {
  assert.equal(deriveNote('a/b/N.md', '').folder, 'a/b');
  assert.equal(deriveNote('N.md', '').folder, '');
});

test('deriveNote puts tags and links of the frontmatter before those of the body', () => {
  const note = deriveNote('N.md', '---\ntags: [One, two]\nup: "[[a]]"\n---\n#ONE #three [[b]] [c](c.md)');
  assert.deepEqual(note.tags, ['One', 'two', 'three']);
  assert.deepEqual(
    note.links.map((link) => `${link.form} ${link.target}`),
    ['property a', 'wikilink b', 'markdown c.md'],
  );
});

test('deriveNote reads the body of a note with degraded frontmatter', () => {
  const note = deriveNote('N.md', '---\na: b: c\n---\n# H\n#t [[b]]');
  assert.deepEqual(
    [note.parseStatus, note.parseReason?.code, note.title, note.tags],
    ['degraded', 'yaml_syntax', 'H', ['t']],
  );
  assert.equal(note.links.length, 1);
});

test('deriveNote reads unterminated frontmatter as body', () => {
  const note = deriveNote('N.md', '---\nup: "[[a]]"\n\n# H');
  assert.deepEqual([note.parseReason?.code, note.title, note.links[0]?.target], ['unterminated', 'H', 'a']);
});

test('deriveNote returns every frontmatter field', () => {
  const fields = [
    'description: D',
    'created: 2024-01-02',
    'updated: 2024-01-03',
    'resource: R',
    'type: T',
    'aliases: [A]',
  ];
  const note = deriveNote('N.md', `---\n${fields.join('\n')}\n---\n`);
  assert.deepEqual(
    [note.description, note.fmCreated, note.fmTimestamp, note.resource, note.type, note.aliases],
    ['D', Date.UTC(2024, 0, 2), Date.UTC(2024, 0, 3), 'R', 'T', ['A']],
  );
  assert.deepEqual([note.parseStatus, note.parseReason], ['ok', null]);
});

test('deriveNote caps tags and links over frontmatter and body together', () => {
  const note = deriveNote(
    'N.md',
    `---\ntags: [${Array.from({ length: 900 }, (_, i) => `f${i}`)}]\nup: "[[a]]"\n---\n${Array.from(
      { length: 900 },
      (_, i) => `#b${i}`,
    ).join(' ')}\n\n${'[[b]]\n'.repeat(20_000)}${'# h\n'.repeat(20_001)}`,
  );
  assert.deepEqual([note.tags.length, note.links.length, note.headings.length], [1_000, 20_000, 20_000]);
});
