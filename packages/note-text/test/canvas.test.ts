import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../../server/test/kit/content/any-character.ts';
import { canvasReferences, rewriteCanvas } from '../src/canvas/references.ts';
import { processorMs } from './processor.ts';

const referencesIn = (canvas: string) => canvasReferences(canvas).map(({ target }) => target);

/** Gives every reference the target that `to` says, in the form that it has. */
const rewritten = (canvas: string, to: (target: string) => string) =>
  rewriteCanvas(
    canvas,
    canvasReferences(canvas).map((reference) => {
      const { target } = reference;
      return { ...reference, was: target, target: to(target), form: 'wikilink' as const };
    }),
  );

const node = (fields: object) => ({ id: 'a', x: 0, y: 0, width: 9, height: 9, ...fields });

describe('canvasReferences', () => {
  it('canvasReferences finds the paths of file nodes and the wikilinks of text nodes, in order', () => {
    const canvas = JSON.stringify({
      nodes: [
        node({ type: 'file', file: 'a/b.md', subpath: '#h' }),
        node({ text: 'x [[c#h|d]] ![[e.png]] `[[no]]` [no](no.md) <img src="no.png">', type: 'text' }),
        node({ type: 'file', file: 'p.png' }),
      ],
      edges: [{ id: 'e', label: '[[no]]', type: 'text', text: '[[no]]' }],
    });
    assert.deepEqual(canvasReferences(canvas), [
      { string: 0, ord: null, target: 'a/b.md' },
      { string: 1, ord: 0, target: 'c' },
      { string: 1, ord: 1, target: 'e.png' },
      { string: 2, ord: null, target: 'p.png' },
    ]);
  });

  it('canvasReferences finds none in other nodes, other places and text that is no canvas', () => {
    for (const canvas of [
      JSON.stringify({
        nodes: [node({ type: 'link', url: '[[a]]', file: 'a' }), node({ type: 'group', label: '[[a]]' })],
      }),
      JSON.stringify({ nodes: [node({ type: 'file', text: '[[a]]' }), node({ type: 'text', file: 'a.md', text: 7 })] }),
      JSON.stringify({
        nodes: [node({ type: 'text', styles: { text: '[[a]]' } }), [node({ type: 'file', file: 'a' })]],
      }),
      JSON.stringify({ nodes: { type: 'file', file: 'a' }, other: [node({ type: 'file', file: 'a' })] }),
      JSON.stringify([[node({ type: 'file', file: 'a' })]]),
      ...[
        '',
        '{}',
        '[]',
        '"nodes"',
        '{"nodes":[{"type":"file","file":"a"}]',
        '[[a]]',
        '{"nodes":[{"type":"file","file":"a"}],}',
      ],
    ])
      assert.deepEqual(canvasReferences(canvas), [], canvas);
  });

  it('canvasReferences reads escapes, a byte order mark, and the last of equal keys', () => {
    assert.deepEqual(
      referencesIn('\ufeff{"nodes":[{"\\u0074ype":"text","type":"file","file":"x","file":"\\u00e9\\/\\"\\\\.md"}]}'),
      ['é/"\\.md'],
    );
  });
});

describe('rewriteCanvas', () => {
  it('rewriteCanvas changes only the strings concerned', () => {
    const before =
      '\ufeff{\r\n\t"nodes" : [ {"type":"file","file":"a\\/b.md","x":1.0, "y":1e2 },\n' +
      '{"text":"\\u00fc \\"q\\"\\n[[b#h|d]] \\ud83d\\ude00 ![[b]]\\t[[other]]","type":"text"} ],"b":"b" }\n\n';
    const after =
      '\ufeff{\r\n\t"nodes" : [ {"type":"file","file":"a/b.md\\"2","x":1.0, "y":1e2 },\n' +
      '{"text":"\\u00fc \\"q\\"\\n[[b\\"2#h|d]] \\ud83d\\ude00 ![[b\\"2]]\\t[[other]]","type":"text"} ],"b":"b" }\n\n';
    const to = (target: string) => (target === 'other' ? target : `${target}"2`);
    assert.deepEqual(rewritten(before, to), { canvas: after, left: 0 });
  });

  it('rewriteCanvas writes markdown links for names that wikilinks cannot contain, and counts the rest', () => {
    const canvas = JSON.stringify({ nodes: [node({ type: 'text', text: '![[a|b]]' })] });
    const change = { string: 0, ord: 0, was: 'a' } as const;
    const { canvas: now } = rewriteCanvas(canvas, [{ ...change, target: 'C#.md', form: 'markdown' }]);
    assert.equal(now, canvas.replace('![[a|b]]', '![b](C%23.md)'));
    assert.deepEqual(rewriteCanvas(canvas, [{ ...change, target: 'C#.md', form: 'wikilink' }]), { canvas, left: 1 });
  });

  it('rewriteCanvas keeps every other value of any canvas, and its references read as given', () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 6 });
    const name = fc.stringMatching(/^[a-z "\\é]{1,6}$/).map((one) => `${one.trim()}x`);
    const nodes = fc.array(
      fc.oneof(
        fc.record({ type: fc.constant('file'), file: name, other: text }),
        fc.tuple(text, name, text).map(([a, b, c]) => ({ type: 'text', text: `${a}\n\n[[${b}]]\n\n${c}` })),
        fc.record({ type: text, text, nested: fc.json() }),
      ),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(nodes, fc.constantFrom(undefined, 1, '\t'), (list, space) => {
        const canvas = JSON.stringify({ nodes: list, edges: [] }, null, space);
        const targets = referencesIn(canvas);
        const { canvas: now, left } = rewritten(canvas, (target) => `${target}2`);
        assert.equal(
          referencesIn(now).filter((target, at) => target === `${targets[at]}2`).length,
          targets.length - left,
        );
        assert.equal(rewritten(now, (target) => target.replace(/2$/, '')).canvas, canvas);
      }),
    );
  });

  it('reads and rewrites hostile canvases in linear time', () => {
    const texts = [(size: number) => '[['.repeat(size / 2), (size: number) => '[[a]] `'.repeat(size / 7)];
    const canvases: ((size: number) => string)[] = [
      ...texts.map((make) => (size: number) => JSON.stringify({ nodes: [{ type: 'text', text: make(size) }] })),
      (size) => `{"nodes":${'['.repeat(size / 2)}${']'.repeat(size / 2)}}`,
      (size) => `{"nodes":[${'{"type":"file","file":"a"},'.repeat(size / 27)}0]}`,
      (size) => `{"nodes":[{"type":"text","text":"${'\\\\'.repeat(size / 2)}"}]}`,
      (size) => `{"nodes":["${' '.repeat(size)}`,
    ];
    for (const make of canvases) {
      const canvas = make(1_000_000);
      assert.ok(processorMs(() => rewritten(canvas, (target) => `${target}2`)) < 20_000);
    }
  });
});
