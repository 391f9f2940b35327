import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onSqlite } from '../../../../server/test/kit/engines.ts';
import { startServer } from '../../../../server/test/kit/server.ts';
import { until } from '../../../../server/test/kit/until.ts';
import { VAULT_ACTIVITY_VIEW } from '../../src/shell/vault-activity-view.ts';
import { en } from '../../src/texts/en.ts';
import { type Setting, settingsIn, shown } from '../stand-in/components.ts';
import type { ItemView } from '../stand-in/workspace.ts';
import { button, control, type Home, synced, testHomes, textOf, topModal } from './home.ts';

const viewOf = ({ app }: Home) => app.workspace.getLeavesOfType(VAULT_ACTIVITY_VIEW).at(-1)?.view as ItemView;
/** Opens the view, and waits until it shows a text. */
const openView = async (home: Home, shows: string) => {
  home.command('vault-activity');
  await until(() => viewOf(home) !== undefined && textOf(viewOf(home)).includes(shows), shows);
};
const rowOf = (view: ItemView, name: RegExp): Setting =>
  settingsIn(view.contentEl).find(({ nameEl }) => name.test(nameEl.textContent)) ?? assert.fail(`no row ${name}`);

onSqlite('the activity of the vault in the plugin', (open) => {
  const homeOf = testHomes();

  it('lists who did what, shows differences, and undoes an item after a preview', async () => {
    await using server = await startServer({ open });
    const home = await homeOf();
    await home.write('a.md', 'one two\n');
    const headers = { 'x-vault-id': await synced(home, server) };
    const { key } = (await server.alice.post('/api-keys', { name: 'robot', default_access: 'write' })).body;
    await server.bearer(key).post('/notes', { path: 'a.md', content: 'one three\n', mtime: 1 }, headers);
    await until(() => home.device.disk.text('a.md') === 'one three\n', 'the change');
    await openView(home, 'robot');
    const row = rowOf(viewOf(home), /^robot · edited, changes: 1$/);
    assert.match(row.descEl.textContent, / · a\.md$/);
    await control(row, en.compare).click();
    const pieces = viewOf(home).contentEl.all.filter(({ tag }) => tag === 'del' || tag === 'ins');
    assert.deepEqual(
      pieces.map(({ tag, textContent }) => [tag, textContent]),
      [
        ['del', 'two'],
        ['ins', 'three'],
      ],
    );
    await control(row, en.undo).click();
    await until(() => textOf(topModal()).includes(en.undoHint), 'the preview');
    assert.match(textOf(topModal()), /changed · a\.md/);
    assert.equal((await server.alice.get('/notes/a.md', headers)).body.content, 'one three\n');
    await button(topModal(), en.undo).click();
    assert.equal(shown.notices.at(-1)?.message, en.undoDone);
    await until(() => home.device.disk.text('a.md') === 'one two\n', 'the text before');
    await until(() => settingsIn(viewOf(home).contentEl).length > 2, 'the items again');
    assert.match(rowOf(viewOf(home), /^robot/).nameEl.textContent, /undone$/);
  });

  it('restores from the server’s trash, and tells viewers that activity and trash are for editors', async () => {
    await using server = await startServer({ open });
    const home = await homeOf();
    await home.write('a.md', 'one\n');
    const headers = { 'x-vault-id': await synced(home, server) };
    await server.alice.delete('/notes/a.md', undefined, headers);
    await until(() => home.device.disk.get('a.md') === undefined, 'the deletion');
    home.command('trash');
    await until(() => textOf(topModal()).includes('a.md'), 'the trash');
    await button(topModal(), en.putBack).click();
    assert.equal(shown.notices.at(-1)?.message, en.trashRestored.replace('{path}', 'a.md'));
    await until(() => home.device.disk.text('a.md') === 'one\n', 'the note');
    for (const path of ['/api/trash', '/api/vault/activity'])
      home.answers.set(path, Response.json({ error: 'editor_required' }, { status: 403 }));
    home.command('trash');
    await until(() => textOf(topModal()).includes(en.editorsOnly), 'the reason');
    await openView(home, en.editorsOnly);
  });
});
