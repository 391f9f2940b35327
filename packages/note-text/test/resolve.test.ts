import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { LinkForm } from '../src/links/parsed-link.ts';
import {
  aliasKey,
  attachmentNameKey,
  type Candidate,
  dependsOnSource,
  lookupOf,
  noteNameKey,
  resolve,
} from '../src/links/resolve.ts';
import { foldPath } from '../src/paths.ts';
import { processorMs } from './processor.ts';

const extensions = new Set(['png', 'pdf', 'canvas']);

function note(path: string, ...aliases: string[]): Candidate {
  return { kind: 'note', id: `id of ${path}`, path, aliases };
}

function attachment(path: string): Candidate {
  return { kind: 'attachment', id: `id of ${path}`, path, aliases: [] };
}

/** Returns the path a link resolves to among notes and (other extensions) attachments at the given paths. */
function to(target: string, form: LinkForm, source: string, ...among: (string | Candidate)[]): string | null {
  const kindOf = (path: string) => (/\.md$/i.test(path) ? note(path) : attachment(path));
  const candidates = among.map((one) => (typeof one === 'string' ? kindOf(one) : one));
  return resolve({ target, form }, source, candidates, extensions)?.path ?? null;
}

const wiki = (target: string, source: string, ...among: (string | Candidate)[]) =>
  to(target, 'wikilink', source, ...among);
const mark = (target: string, source: string, ...among: (string | Candidate)[]) =>
  to(target, 'markdown', source, ...among);

test('resolve: an empty target means the note itself', () => {
  assert.deepEqual(lookupOf('', 'wikilink', extensions), { kind: 'self' });
  assert.deepEqual(lookupOf('  ', 'markdown', extensions), { kind: 'self' });
  assert.equal(wiki('', 'a/s.md', 's.md', 'a/s.md'), 'a/s.md');
  assert.equal(wiki('', 'a/s.md', 's.md'), null);
});

test('resolve: a path matches a whole path from the root, with or without .md', () => {
  assert.equal(wiki('a/n', 's.md', 'a/n.md', 'x/a/n.md'), 'a/n.md');
  assert.equal(wiki('a/n.md', 's.md', 'a/n.md', 'x/a/n.md'), 'a/n.md');
  assert.equal(wiki('a/n', 'x/s.md', 'x/a/n.md', 'a/n.md'), 'a/n.md');
  assert.equal(wiki('/n', 'x/s.md', 'x/n.md', 'n.md'), 'n.md');
  assert.equal(wiki('a\\n', 's.md', 'a/n.md'), 'a/n.md');
});

test('resolve: a path matches the end of a path at a segment boundary, after whole paths', () => {
  assert.equal(wiki('a/n', 's.md', 'x/a/n.md'), 'x/a/n.md');
  assert.equal(wiki('a/n', 's.md', 'xa/n.md'), null);
  assert.equal(wiki('a/n', 's.md', 'a/xn.md', 'a/n/x.md', 'n.md'), null);
});

test('resolve: ./ and ../ start at the folder of the note and look nowhere else', () => {
  assert.equal(wiki('./n', 'a/s.md', 'n.md', 'a/n.md'), 'a/n.md');
  assert.equal(wiki('../n', 'a/b/s.md', 'n.md', 'a/n.md', 'a/b/n.md'), 'a/n.md');
  assert.equal(wiki('../c/./n.md', 'a/b/s.md', 'a/c/n.md', 'c/n.md'), 'a/c/n.md');
  assert.equal(wiki('./n', 'a/s.md', 'n.md'), null);
  assert.equal(mark('../n.md', 'a/b/s.md', 'b/n.md', 'n.md'), null);
});

test('resolve: a target that climbs above the root dangles', () => {
  assert.equal(wiki('../n', 's.md', 'n.md'), null);
  assert.equal(wiki('../../n', 'a/s.md', 'n.md', 'a/n.md'), null);
  assert.equal(wiki('x/../../n', 's.md', 'n.md'), null);
  assert.equal(wiki('../..', 'a/b/s.md', 'a.md', 'b.md'), null);
  assert.deepEqual(lookupOf('..', 'wikilink', extensions), { kind: 'names', stems: [], attachmentsFirst: false });
});

test('resolve: . and .. inside a path are resolved', () => {
  assert.equal(wiki('a/../n', 'z/s.md', 'n.md', 'a/n.md'), 'n.md');
  assert.equal(wiki('a/b/../n', 's.md', 'x/a/n.md', 'x/b/n.md'), 'x/a/n.md');
});

test('resolve: markdown and reference links look in the folder of the note first', () => {
  assert.equal(mark('a/n.md', 'x/s.md', 'a/n.md', 'x/a/n.md'), 'x/a/n.md');
  assert.equal(to('a/n.md', 'reference', 'x/s.md', 'a/n.md', 'x/a/n.md'), 'x/a/n.md');
  assert.equal(wiki('a/n.md', 'x/s.md', 'a/n.md', 'x/a/n.md'), 'a/n.md');
  assert.equal(to('a/n', 'property', 'x/s.md', 'a/n.md', 'x/a/n.md'), 'a/n.md');
  assert.equal(mark('a/n.md', 'x/s.md', 'a/n.md', 'y/a/n.md'), 'a/n.md');
  assert.equal(mark('n', 'x/y/s.md', 'n.md'), 'n.md');
  assert.equal(mark('a/../../n.md', 'x/s.md', 'n.md'), 'n.md');
});

test('resolve: a bare name matches file names, then aliases', () => {
  assert.equal(wiki('n', 's.md', 'a/n.md'), 'a/n.md');
  assert.equal(wiki('Bee', 's.md', note('b.md', 'Bee')), 'b.md');
  assert.equal(wiki('Bee', 's.md', note('b.md', ' bee '), 'far/away/Bee.md'), 'far/away/Bee.md');
  assert.equal(mark('bee.md', 's.md', note('b.md', 'Bee')), 'b.md');
  assert.equal(wiki('a/Bee', 's.md', note('a/b.md', 'Bee', 'a/Bee')), null);
  assert.equal(wiki('n', 's.md', 'n2.md', 'xn.md'), null);
});

test('resolve prefers the match with the most shared folders, then fewest segments, then code-point order', () => {
  assert.equal(wiki('n', 'a/b/s.md', 'n.md', 'a/n.md', 'a/c/n.md', 'x/b/n.md'), 'a/n.md');
  assert.equal(wiki('n', 'a/b/s.md', 'n.md', 'a/n.md', 'a/b/c/d/n.md'), 'a/b/c/d/n.md');
  assert.equal(wiki('n', 's.md', 'b/n.md', 'a/n.md', 'a/a/n.md'), 'a/n.md');
  assert.equal(wiki('n', 's.md', '\u{1f600}/n.md', '\uff21/n.md'), '\uff21/n.md');
  assert.equal(wiki('n', 'A/s.md', 'a/x/n.md', 'b/n.md'), 'a/x/n.md');
  assert.equal(wiki('Bee', 'x/s.md', note('a.md', 'Bee'), note('x/b.md', 'Bee')), 'x/b.md');
  assert.equal(wiki('c/n', 'x/s.md', 'a/c/n.md', 'x/y/c/n.md'), 'x/y/c/n.md');
});

test('resolve: names are compared without case and composition', () => {
  assert.equal(wiki('STRASSE', 's.md', 'Straße.md'), 'Straße.md');
  assert.equal(wiki('cafe\u0301', 's.md', 'Caf\u00e9.MD'), 'Caf\u00e9.MD');
  assert.equal(wiki('ПАПКА/Заметка', 's.md', 'папка/заметка.md'), 'папка/заметка.md');
  assert.equal(wiki('BEE', 's.md', note('b.md', 'bee')), 'b.md');
});

test('resolve: attachments come first only when the target ends in an allowed extension', () => {
  assert.equal(wiki('p.png', 's.md', 'p.png', 'p.png.md'), 'p.png');
  assert.equal(wiki('p.png', 'a/s.md', 'x/y/p.png', 'a/p.png.md'), 'x/y/p.png');
  assert.equal(wiki('p.PNG', 's.md', 'p.png'), 'p.png');
  assert.equal(wiki('p.png', 's.md', 'p.png.md'), 'p.png.md');
  assert.equal(wiki('p.xyz', 's.md', 'p.xyz', 'p.xyz.md'), 'p.xyz.md');
  assert.equal(wiki('p.xyz', 's.md', 'p.xyz'), 'p.xyz');
  assert.equal(wiki('p', 's.md', 'p.png'), null);
  assert.equal(mark('img/p.png', 'a/s.md', 'img/p.png', 'a/img/p.png'), 'a/img/p.png');
  const both = [attachment('p.xyz'), note('p.xyz.md')];
  assert.equal(resolve({ target: 'p.xyz', form: 'wikilink' }, 's.md', both)?.path, 'p.xyz');
});

test('lookupOf: a dot in a name does not make an extension', () => {
  assert.equal(wiki('v1.2 notes', 's.md', 'v1.2 notes.md'), 'v1.2 notes.md');
  assert.equal(wiki('v1.2', 's.md', 'v1.2.md', 'v1.md'), 'v1.2.md');
  assert.equal(wiki('a.md', 's.md', 'a.md.md', 'x/a.md'), 'x/a.md');
  assert.equal(wiki('a.md', 's.md', 'a.md.md'), 'a.md.md');
  assert.deepEqual(lookupOf('x/v1.2 Notes', 'wikilink', extensions), {
    kind: 'names',
    stems: ['v1.2 notes'],
    attachmentsFirst: false,
  });
  assert.deepEqual(lookupOf('A.md', 'markdown', extensions), {
    kind: 'names',
    stems: ['a', 'a.md'],
    attachmentsFirst: false,
  });
  assert.deepEqual(lookupOf('x/P.PNG', 'markdown', extensions), {
    kind: 'names',
    stems: ['p.png'],
    attachmentsFirst: true,
  });
});

test('lookupOf: keys are folded', () => {
  assert.equal(noteNameKey('A/Straße.MD'), 'strasse');
  assert.equal(aliasKey(' Cafe\u0301 '), 'caf\u00e9');
  assert.equal(attachmentNameKey('A/P.Png'), 'p.png');
});

const segment = fc.constantFrom('a', 'A', 'b', 'é', 'e\u0301', 'v1.2', 'n', 'N', 'p.png', 'n.md');
const folderPart = fc.array(segment, { maxLength: 3 });
const anyCandidate: fc.Arbitrary<Candidate> = fc
  .record({
    folders: folderPart,
    name: segment,
    isNote: fc.boolean(),
    aliases: fc.array(segment, { maxLength: 2 }),
    id: fc.integer({ min: 0, max: 50 }).map(String),
  })
  .map(({ folders, name, isNote, aliases, id }) => ({
    kind: isNote ? 'note' : 'attachment',
    id,
    path: [...folders, isNote ? `${name}.md` : name].join('/'),
    aliases: isNote ? aliases : [],
  }));
const anyTarget = fc
  .array(fc.oneof(segment, fc.constantFrom('..', '.', '', 'n.md', 'p.PNG')), { maxLength: 4 })
  .map((parts) => parts.join('/'));
const anyForm = fc.constantFrom<LinkForm>('wikilink', 'markdown', 'reference', 'property');
const anySource = folderPart.map((folders) => [...folders, 's.md'].join('/'));
const anyCandidates = fc.uniqueArray(anyCandidate, { maxLength: 12, selector: ({ path }) => foldPath(path) });

test('resolve: the order and the case of candidates make no difference', () => {
  fc.assert(
    fc.property(
      anyTarget,
      anyForm,
      anySource,
      anyCandidates,
      fc.func(fc.integer()),
      (target, form, source, all, rank) => {
        const found = resolve({ target, form }, source, all, extensions);
        const shuffled = all.toSorted((one, other) => rank(one.path) - rank(other.path));
        assert.equal(resolve({ target, form }, source, shuffled, extensions), found);
        assert.equal(resolve({ target, form }, source, all.toReversed(), extensions), found);
        const shouted = { target: target.toUpperCase().normalize('NFD'), form };
        if (target !== '') assert.equal(resolve(shouted, source, all, extensions), found);
      },
    ),
    { numRuns: 750 },
  );
});

test('resolve: a link leads from every source to the same entry where dependsOnSource is false', () => {
  const few = fc.array(anyCandidate, { maxLength: 2 });
  fc.assert(
    fc.property(anyTarget, anyForm, anySource, anySource, few, (target, form, source, other, all) => {
      if (dependsOnSource({ target, form }, all)) return;
      assert.equal(
        resolve({ target, form }, other, all, extensions),
        resolve({ target, form }, source, all, extensions),
      );
    }),
    { numRuns: 3000 },
  );
});

test('resolve: every match is found under the keys that lookupOf returns', () => {
  fc.assert(
    fc.property(anyTarget, anyForm, anySource, anyCandidates, (target, form, source, all) => {
      const lookup = lookupOf(target, form, extensions);
      if (lookup.kind === 'self') return;
      const under = all.filter(({ kind, path, aliases }) => {
        const keys = kind === 'note' ? [noteNameKey(path), ...aliases.map(aliasKey)] : [attachmentNameKey(path)];
        return keys.some((key) => lookup.stems.includes(key));
      });
      assert.equal(
        resolve({ target, form }, source, under, extensions),
        resolve({ target, form }, source, all, extensions),
      );
    }),
    { numRuns: 750 },
  );
});

test('resolve: a whole path always means the note at it, unless an attachment has the name', () => {
  fc.assert(
    fc.property(anySource, anyCandidates, (source, all) => {
      for (const { kind, path } of all) {
        const found = resolve({ target: `/${path}`, form: 'wikilink' }, source, all, extensions);
        if (kind === 'note') assert.equal(found?.path, path);
      }
    }),
  );
});

test('resolve: the longest path and a very large number of namesakes take bounded time', () => {
  const deep = `${'x/'.repeat(2000)}n.md`;
  assert.equal(wiki(`${'x/'.repeat(1500)}n`, deep, deep, 'n.md'), deep);
  assert.equal(wiki(`${'../'.repeat(1300)}n`, deep, deep), null);
  const many = Array.from({ length: 20_000 }, (_, index) => note(`f${index}/readme.md`, 'r'));
  const took = processorMs(() => {
    assert.equal(wiki('readme', 'f777/s.md', ...many), 'f777/readme.md');
    assert.equal(wiki('r', 'f778/s.md', ...many), 'f778/readme.md');
  });
  assert.ok(took < 1000);
  assert.equal(wiki('a/'.repeat(2_000_000), 's.md', 'a.md'), null);
});
