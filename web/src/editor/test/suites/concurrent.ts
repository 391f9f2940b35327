import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EditorCommand } from '../../core/controller.ts';
import type { EditorBrowser, EditorPage } from '../browser.ts';
import type { ConcurrentEdit } from '../page/page.ts';

// The words of the notes are Greek, so that letters which commands write are none of them.
const BLOCKS = [
  ...['αβγ δεζ', '# ηθι', '### ηθι', '- κλμ', '  * νξο', '- [ ] πρσ', '1. τυφ', '> χψω', '> [!tip] αγε', '', '   '],
  ...['**αβγ** δε', '*ζη* ==θι==', '`κλ` ~~μν~~', '[οπ](ρσ)', '```\nτυ\n```', 'https://ςφ.χψ'],
  '\n| αβ | γδ |\n| --- | :-: |\n| εζ |η|\n| θ\\|ι |  |\n\n',
  '\nαβ|γδε\n-|-\nζ|η θ\nικ|λ\n\n',
];

const cases = fc
  .record({
    hasProperties: fc.boolean(),
    blocks: fc.array(fc.constantFrom(...BLOCKS), { minLength: 1, maxLength: 5 }),
    selection: fc.tuple(fc.nat(200), fc.nat(12)),
    typed: fc.nat(200),
  })
  .map(({ hasProperties, blocks, selection: [anchor, length], typed }) => {
    const note = (hasProperties ? '---\nα: β\n---\n' : '') + blocks.join('\n');
    const at = anchor % (note.length + 1);
    const head = Math.min(note.length, at + (length < 6 ? 0 : length - 5));
    return { note, selection: [at, head] as const, typedAt: typed % (note.length + 1) };
  });

/** Commands that remove text, or write it at another place; table/commands.test.ts lists what each does. */
const MOVING = /^table-(?:delete|row-up|row-down|column-left|column-right)/;
/** Examples for each command; commands-browser.long.test.ts draws more. */
const RUNS = 8;

export function concurrentTests(browser: () => EditorBrowser, runs = RUNS): void {
  test('every command keeps each concurrent letter once, and changes only what it must', async () => {
    await using opened = await browser().open();
    for (const command of await opened.run((harness) => harness.commands)) {
      await fc.assert(
        fc.asyncProperty(cases, async ({ note, selection, typedAt }) => {
          check(command, await run(opened, command, note, selection, typedAt));
        }),
        { numRuns: runs },
      );
    }
    assert.deepEqual(opened.complaints, []);
  });
}

async function run(
  { page }: EditorPage,
  command: EditorCommand,
  note: string,
  selection: readonly [number, number],
  typedAt: number,
): Promise<ConcurrentEdit & { readonly typedAt: number }> {
  const result = await page.evaluate(
    ([command, note, selection, typedAt]) => {
      window.harness.start(note);
      return window.harness.concurrently(command, selection, typedAt);
    },
    [command, note, selection, typedAt] as const,
  );
  return { ...result, typedAt };
}

function check(
  command: EditorCommand,
  { before, after, changes, mine, theirs, typedAt }: Awaited<ReturnType<typeof run>>,
) {
  const what = JSON.stringify({ command, before, after, mine, changes, typedAt });
  assert.equal(mine, theirs, what);
  assert.equal(mine.split('☃').length, 2, what);
  const letters = (text: string) => text.replace(/[^α-ω]/g, '');
  const sorted = (text: string) => [...letters(text)].sort().join('');
  if (command.startsWith('table-delete')) assert.ok(letters(mine).length <= letters(before).length, what);
  else assert.equal(sorted(mine), sorted(before), what);
  if (MOVING.test(command)) return;
  // No word is written anew, so all stay in their order, and the letter beside its neighbours.
  assert.equal(letters(mine), letters(before), what);
  assert.equal(letters(changes.map(({ insert }) => insert).join('')), '', what);
  const around = before.slice(Math.max(0, typedAt - 1), typedAt + 1);
  if (/^[α-ω]{2}$/.test(around) && changes.every(({ from, to }) => to < typedAt || from > typedAt)) {
    assert.ok(mine.includes(`${around.charAt(0)}☃${around.charAt(1)}`), what);
  }
}
