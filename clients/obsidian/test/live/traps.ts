import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '../../../../server/test/kit/until.ts';
import { connected, inStep, type Together } from './together.ts';

const TEXT = '# Title\n\n| a | b |\n| --- | --- |\n| one | two |\n\nA line.[^1]\n\n[^1]: The foot.\n';
const OTHER = { id: '0198a000-0000-7000-8000-000000000001', path: 'other.md', text: 'another note\n' };

/** Tests of the app's editors on live notes. @param note creates a note with a text on a server */
export function trapTests(note: (text: string) => Promise<Together>): void {
  describe('a live note in the editors of the app', () => {
    test('P1: typing into a cell, footnote, hover or canvas node changes only that part of the note', async () => {
      await using both = await note(TEXT);
      const [here, there] = [await both.shown(), await both.shown()];
      let expected = TEXT;
      const cell = TEXT.indexOf('one');
      await here.run((device, at) => {
        device.nested = device.view(0).openCell(at, at + 3);
        device.nested.cm.dispatch({ changes: { from: 3, insert: ' x' }, userEvent: 'input.type' });
      }, cell);
      expected = expected.replace('one', 'one x');
      assert.equal(await inStep(both, here, there), expected);
      for (const [index, part] of ['The foot.', 'A line.', '# Title'].entries()) {
        await here.run((device) => device.nested?.close());
        await here.run(
          (device, [words, number]) => {
            const at = device.text(0).indexOf(words);
            device.nested = device.view(0).openPart(at, at + words.length);
            device.nested.cm.dispatch({ changes: { from: words.length, insert: ` y${number}` } });
          },
          [part, index] as const,
        );
        expected = expected.replace(part, `${part} y${index}`);
        await until(async () => (await here.run((device) => device.text(0))).includes(`y${index}`), 'the part');
        assert.equal(await inStep(both, here, there), expected);
      }
      assert.deepEqual(here.complaints, []);
    });

    for (const switching of ['state', 'change'] as const) {
      test(`a view reused for another note carries nothing over when the app makes a new ${switching}`, async () => {
        await using both = await note('first\n');
        const there = await both.shown();
        const here = await both.shown({ switching, notes: [OTHER], diskMs: 30 });
        for (let turn = 0; turn < 6; turn++) {
          await here.run(
            async (device, path) => {
              const opening = device.open(path, 0);
              device.type(0, '·', 0);
              await opening;
            },
            turn % 2 === 0 ? OTHER.path : both.note.path,
          );
          await there.run((device, text) => device.type(0, text), `${turn}`);
        }
        const text = await inStep(both, here, there);
        assert.match(text, /^·*first\n012345$/);
        assert.ok(!text.includes('another note'), text);
        assert.match((await here.run((device, path) => device.disk(path), OTHER.path)) ?? '', /another note\n$/);
      });
    }

    test('a second pane and a popout are connected at their creation, and show what is not saved yet', async () => {
      await using both = await note('first\n');
      const [here, there] = [await both.shown(), await both.shown()];
      await here.run((device) => device.type(0, 'not saved\n'));
      await here.run((device) => device.open('note.md'));
      await here.run((device) => device.openPopout('note.md'));
      await connected(here, 3);
      await there.run((device) => device.type(0, 'from there\n', 0));
      await here.run((device) => device.type(1, 'pane\n'));
      await here.run((device) => device.type(2, 'popout\n'));
      assert.equal(await inStep(both, here, there), 'from there\nfirst\nnot saved\npane\npopout\n');
      await here.run((device) => device.close(0));
      await here.run((device) => device.type(1, 'later\n'));
      assert.match(await inStep(both, here, there), /popout\nlater\n$/);
    });

    test('what the app merges in one pane, after another one has saved the note, is no edit', async () => {
      await using both = await note('first\n');
      const [here, there] = [await both.shown({ diskMs: 20 }), await both.shown()];
      await here.run((device) => device.open('note.md'));
      await connected(here, 2);
      for (const letter of 'abcd') {
        await here.run(async (device, text) => {
          device.type(0, text);
          const saving = device.view(0).save();
          device.type(0, text.toUpperCase());
          await saving;
        }, letter);
        await there.run((device, text) => device.type(0, text, 0), letter);
      }
      assert.equal(await inStep(both, here, there), 'dcbafirst\naAbBcCdD');
    });

    test('a note that is closed while the disk is slow has in its file what others wrote meanwhile', async () => {
      await using both = await note('first\n');
      const [here, there] = [await both.shown(), await both.shown()];
      await there.run((device) => device.type(0, 'one '));
      await here.run(async (device) => {
        const { vault } = device.app;
        const { process } = vault;
        const writing = new Promise<void>((begun) => {
          vault.process = (...given) => {
            vault.process = process;
            begun();
            return new Promise((resolve) => setTimeout(resolve, 500)).then(() => process.apply(vault, given));
          };
        });
        await device.close(0);
        await writing;
      });
      await there.run((device) => device.type(0, 'two '));
      await until(async () => (await both.stored()).includes('two'), 'the word');
      await here.run((device) => device.live.check());
      await new Promise((resolve) => setTimeout(resolve, 600));
      await here.run((device) => device.open('note.md'));
      assert.equal(await inStep(both, here, there), 'first\none two ');
    });

    test('a note that is renamed while it becomes live is synced under its new name', async () => {
      await using both = await note('first\n');
      const there = await both.shown();
      const here = await both.device();
      await here.run(async (device) => {
        const { engine } = device;
        const hold = engine.hold.bind(engine);
        engine.hold = async (path, text) => {
          const held = await hold(path, text);
          const file = device.app.vault.getFileByPath(path);
          if (file !== null) await device.app.vault.rename(file, 'renamed.md');
          return held;
        };
        await device.open('note.md');
      });
      await connected(here);
      await here.kill();
      await here.run((device) => device.open('renamed.md'));
      await connected(here);
      await there.run((device) => device.type(0, 'from there\n', 0));
      assert.equal(await inStep(both, here, there), 'from there\nfirst\n');
    });

    test('what is typed before the note is connected is there once', async () => {
      await using both = await note('first\n');
      const there = await both.shown();
      await there.run((device) => device.type(0, 'from there\n', 0));
      const here = await both.device();
      await here.run(async (device) => {
        await device.open('note.md');
        device.type(0, 'typed at once\n');
      });
      await connected(here);
      assert.equal(await inStep(both, here, there), 'from there\nfirst\ntyped at once\n');
    });

    test('what was changed while the note was closed is there once', async () => {
      await using both = await note('first\n');
      const there = await both.shown();
      await there.run((device) => device.type(0, 'from there\n', 0));
      const here = await both.device();
      await here.run(async (device) => {
        await device.process('note.md', (text) => `${text}while closed\n`);
        await device.open('note.md');
        device.type(0, 'typed at once\n');
      });
      await connected(here);
      assert.equal(await inStep(both, here, there), 'from there\nfirst\nwhile closed\ntyped at once\n');
    });

    test('P10: undo takes back one’s own letters only, in two panes and a popout', async () => {
      await using both = await note('first\n');
      const [here, there] = [await both.shown(), await both.shown()];
      await here.run((device) => device.open('note.md'));
      await here.run((device) => device.openPopout('note.md'));
      await connected(here, 3);
      for (const pane of [0, 1, 2]) {
        await here.run((device, at) => device.type(at, `own${at} `, 0), pane);
        await there.run((device, at) => device.type(0, `other${at} `, 0), pane);
        await inStep(both, here, there);
        await here.run((device, at) => device.view(at).editor.undo(), pane);
        const text = await inStep(both, here, there);
        assert.ok(!text.includes(`own${pane}`), text);
        assert.ok(text.includes(`other${pane}`), text);
      }
      await here.run((device) => {
        for (let turn = 0; turn < 5; turn++) for (const pane of [0, 1, 2]) device.view(pane).editor.undo();
      });
      assert.equal(await inStep(both, here, there), 'other2 other1 other0 first\n');
    });

    test('a change of equal length is taken over once', async () => {
      await using both = await note('first\n');
      const [here, there] = [await both.shown(), await both.shown()];
      await here.run((device) => {
        device.view(0).editor.cm.dispatch({ changes: { from: 0, to: 5, insert: 'FIRST' }, userEvent: 'input.type' });
      });
      await until(async () => (await there.run((device) => device.text(0))) === 'FIRST\n', 'the change');
      assert.equal(await inStep(both, here, there), 'FIRST\n');
    });

    test('remote cursors are shown, without names that the server does not vouch for; the own cursor is not', async () => {
      await using both = await note('first\n');
      const [here, there] = [await both.shown(), await both.shown()];
      await here.run((device) => device.view(0).editor.cm.focus());
      await here.run((device) => device.type(0, 'x', 2));
      const carets = there.page.locator('.notevault-caret-name');
      await until(async () => (await carets.count()) === 1, 'the cursor');
      assert.equal(await carets.textContent(), 'No name');
      assert.equal(await here.page.locator('.notevault-caret-name').count(), 0);
      assert.equal(await inStep(both, here, there), 'fixrst\n');
    });

    test('a note that is closed has in its file what others wrote last, and goes back to the engine', async () => {
      await using both = await note('first\n');
      const [here, there] = [await both.shown(), await both.shown()];
      await Promise.all([there.run((device) => device.type(0, 'last\n')), here.run((device) => device.close(0))]);
      await until(async () => (await both.stored()) === 'first\nlast\n', 'the text');
      assert.equal(await inStep(both, here, there), 'first\nlast\n');
      await there.run((device) => device.type(0, 'later\n'));
      await until(async () => (await both.stored()).endsWith('later\n'), 'the text');
      assert.equal(await inStep(both, here, there), 'first\nlast\nlater\n');
    });

    test('a filter of another plugin keeps nothing out that others wrote', async () => {
      await using both = await note('first\n');
      const [here, there] = [await both.shown(), await both.shown()];
      await here.run((device) => device.forbid('secret'));
      await there.run((device) => device.type(0, 'secret\n'));
      assert.equal(await inStep(both, here, there), 'first\nsecret\n');
    });

    test('what others write reaches the file, by which other views of it learn of it', async () => {
      await using both = await note('first\n');
      const [here, there] = [await both.shown({ saveMs: 100 }), await both.shown()];
      await there.run((device) => device.type(0, 'second\n'));
      await until(async () => (await here.run((device) => device.disk('note.md'))) === 'first\nsecond\n', 'the file');
    });

    test('a note that is renamed while it is open stays live, and its file is the same', async () => {
      await using both = await note('first\n');
      const [here, there] = [await both.shown(), await both.shown()];
      await here.run(async (device) => {
        const file = device.app.vault.getFileByPath('note.md');
        if (file === null) throw new Error('no file');
        const renaming = device.app.vault.rename(file, 'renamed.md');
        device.type(0, 'typed meanwhile\n');
        await renaming;
      });
      await there.run((device) => device.type(0, 'from there\n', 0));
      assert.equal(await inStep(both, here, there), 'from there\nfirst\ntyped meanwhile\n');
      assert.equal(await here.run((device) => device.disk('note.md')), null);
    });

    test('a file that is empty for a moment empties no note', async () => {
      await using both = await note('first\n');
      const [here, there] = [await both.shown(), await both.shown()];
      await here.run((device) => {
        device.app.device.disk.write('note.md', '');
      });
      await until(async () => (await here.run((device) => device.disk('note.md'))) !== 'first\n', 'the empty file');
      await there.run((device) => device.type(0, 'second\n'));
      assert.equal(await inStep(both, here, there), 'first\nsecond\n');
    });

    test('a note of 100 KB with a line “constructor” is merged at once', async () => {
      const long = `${Array.from({ length: 2_000 }, (_, at) => `line ${at} with some more words in it`).join('\n')}\nconstructor\n`;
      await using both = await note(long);
      const [here, there] = [await both.shown(), await both.shown()];
      await here.run((device) => device.process('note.md', (text) => text.replaceAll('some more', 'fewer')));
      await there.run((device) => device.type(0, 'typed\n', 0));
      const text = await inStep(both, here, there);
      assert.equal(text, `typed\n${long.replaceAll('some more', 'fewer')}`);
    });

    test('a document that the server did not begin is kept beside the note, and not merged', async () => {
      await using both = await note('first\n');
      const there = await both.shown();
      const here = await both.device();
      await here.run((device, { id, path }) => device.forgeCopy(id, path, 'of another lineage\n'), both.note);
      await here.kill();
      await here.run((device) => device.open('note.md'));
      await until(async () => (await here.run((device) => device.kept)).length === 1, 'the kept copy');
      assert.deepEqual(await here.run((device) => device.kept), [['note.md', 'of another lineage\n']]);
      await there.run((device) => device.type(0, 'second\n'));
      assert.equal(await inStep(both, here, there), 'first\nsecond\n');
    });
  });
}
