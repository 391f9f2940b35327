/** Imports under way while a right is taken away from the person who began them. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Seq, VaultId } from '@notevault/protocol/values/ids.ts';
import { zipOf } from '../../../../test/kit/content/archives.ts';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import type { Caller, Person } from '../../../../test/kit/person.ts';
import { oneServer, type TestServer } from '../../../../test/kit/server.ts';
import { startShared } from '../../../../test/kit/shared-vault.ts';

interface Removal {
  readonly take: (scene: Scene) => Promise<{ readonly status: number }>;
  /** State and error of the import as the person then sees them in another session; null if it is hidden. */
  readonly seen: readonly [state: string, error: string | null] | null;
}

interface Scene {
  readonly server: TestServer;
  /** The owner of the vault, and the admin. */
  readonly owner: Caller;
  readonly editor: Person;
  /** The session of the editor that begins the import. */
  readonly session: Caller;
  readonly vault: string;
  /** The account of the editor, and where it is a member. */
  readonly member: string;
  readonly path: string;
}

const LOST = ['failed', 'access_lost'] as const;

const removals: Readonly<Record<string, Removal>> = {
  'the session ends': { take: ({ session }) => session.post('/auth/logout'), seen: LOST },
  'all other sessions are ended': { take: ({ editor }) => editor.delete('/me/sessions'), seen: LOST },
  'the password is changed': {
    take: ({ editor }) =>
      editor.post('/auth/password/change', { old_password: editor.password, new_password: 'another long password' }),
    seen: LOST,
  },
  'the account is suspended': {
    take: ({ owner, member }) => owner.patch(`/admin/users/${member}`, { suspended: true }),
    seen: null,
  },
  'the account is deleted': { take: ({ editor }) => editor.delete('/me', { password: editor.password }), seen: null },
  'the member is removed': { take: ({ owner, path }) => owner.delete(path), seen: null },
  'the role is lowered': { take: ({ owner, path }) => owner.patch(path, { role: 'viewer' }), seen: LOST },
};

/** Takes a right away just before a transaction begins, counted from the next one on; not twice. */
function before(t: TestContext, { db }: TestServer, number: number, take: () => Promise<void>): void {
  const transact = db.transact.bind(db) as (...args: unknown[]) => Promise<unknown>;
  let count = 0;
  t.mock.method(db, 'transact', async (...args: unknown[]) => {
    count += 1;
    if (count === number) await take();
    return transact(...args);
  });
}

onEachEngine('an import whose person loses a right', (open) => {
  const start = oneServer(() => ({ open }));
  let first: ReturnType<typeof startShared> | undefined;
  let people = 0;

  async function makeScene(): Promise<Scene> {
    // The first alice is the admin.
    first ??= start().then(startShared);
    const { server, alice: owner, vault, join } = await first;
    people += 1;
    const editor = server.person(`importer-${people}`);
    const member = await join(editor, 'editor');
    const { email, password } = editor;
    const { access_token } = (await server.anyone.post('/auth/login', { email, password })).body;
    const session = server.bearer(access_token);
    return { server, owner, editor, session, vault, member, path: `/vaults/${vault}/members/${member}` };
  }

  const seqOf = async ({ server, vault }: Scene) =>
    (await server.app.vaults.changeSeqs([vault as VaultId])).get(vault as VaultId) as Seq;

  /** Notes, an attachment and a folder of its own, in several transactions. */
  const archiveOf = (word: string) =>
    zipOf([
      ...Array.from({ length: 51 }, (_, n) => ({ name: `${word}/${n}.md`, data: `note ${n}` })),
      { name: `${word}/a.txt`, data: word },
      { name: `${word}/last.md`, data: 'last' },
      { name: `${word}/empty/` },
      {
        name: 'NOTEVAULT\u2000LIST.jsonl',
        data: [
          { format: 'notevault-zip', version: 1 },
          { name: `${word}/empty/`, path: `${word}/empty` },
        ]
          .map((line) => JSON.stringify(line))
          .join('\n'),
      },
    ]);

  /** Runs an import; resolves to whether the right was taken away before it ended. */
  async function run(t: TestContext, scene: Scene, { take }: Removal, number: number): Promise<boolean> {
    const archive = archiveOf(`${people} ${number}`);
    const begun = await scene.session.post(`/imports?vault_id=${scene.vault}`, archive);
    assert.equal(begun.status, 202, JSON.stringify(begun.body));
    let seq: Seq | null = null;
    before(t, scene.server, number, async () => {
      const { status } = await take(scene);
      assert.ok(status < 300, `${status}`);
      seq = await seqOf(scene);
    });
    await scene.server.app.imports.runWaiting();
    t.mock.restoreAll();
    if (seq !== null) assert.equal(await seqOf(scene), seq, `written after the removal before transaction ${number}`);
    return seq !== null;
  }

  for (const [name, removal] of Object.entries(removals)) {
    test(`ends and says so when ${name}`, async (t) => {
      const scene = await makeScene();
      // The claim, the first notes, and what comes after them.
      assert.ok(await run(t, scene, removal, 4));
      if (removal.seen === null) return;
      const { email, password } = scene.editor;
      const sent = { email, password: name.startsWith('the password') ? 'another long password' : password };
      const again = scene.server.bearer((await scene.server.anyone.post('/auth/login', sent)).body.access_token);
      const [seen] = (await again.get('/imports')).body.imports;
      assert.deepEqual([seen.state, seen.error], removal.seen);
    });
  }

  for (const name of ['the session ends', 'the member is removed']) {
    test(`writes nothing more, whatever it is about to do, when ${name}`, async (t) => {
      let number = 0;
      do {
        number = Math.ceil(number * 1.5) || 1;
      } while (await run(t, await makeScene(), removals[name] as Removal, number));
      assert.ok(number > 8, `${number} transactions`);
    });
  }
});

onEachEngine('an import that is cancelled', (open) => {
  const start = oneServer(() => ({ open }));

  test('makes no more folders than until its next record', async (t) => {
    const { alice, app } = await start();
    const { id } = (await alice.post('/vaults', { name: 'Work' })).body.vault;
    const folders = Array.from({ length: 120 }, (_, n) => ({ name: `f${n}/`, path: `f${n}` }));
    const list = [{ format: 'notevault-zip', version: 1 }, ...folders].map((line) => JSON.stringify(line)).join('\n');
    const archive = zipOf([...folders, { name: 'NOTEVAULT\u2000LIST.jsonl', data: list }]);
    const { body } = await alice.post(`/imports?vault_id=${id}`, archive);
    const { create } = app.entries.folders;
    t.mock.method(app.entries.folders, 'create', async (...args: Parameters<typeof create>) => {
      t.mock.restoreAll();
      assert.equal((await alice.delete(`/imports/${body.id}`)).status, 204);
      return create(...args);
    });
    await app.imports.runWaiting();
    const made = (await alice.get('/folders/explicit', { 'x-vault-id': id })).body.folders.length;
    assert.ok(made >= 1 && made <= 50, `${made} folders`);
  });
});
