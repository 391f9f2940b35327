import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileOf, fileUrl, readRaw, sha256, uploadRaw } from '../../../../test/kit/content/files.ts';
import { assertConsistent } from '../../../../test/kit/database/assert-consistent.ts';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import { startLastingNotes, startNotes, type Writer } from '../../../../test/kit/notes.ts';
import type { Answer } from '../../../../test/kit/person.ts';
import { builtinPlans } from '../../foundation/plans/plans.ts';

const [ONE, TWO] = [fileOf('png', 300), fileOf('png', 301)] as const;
const uploaded = async ({ caller }: Writer, path: string, bytes: Buffer) =>
  (await uploadRaw(caller, path, bytes)).body.attachment;
const remove = ({ caller }: Writer, path: string) => caller.delete(fileUrl(path));
const restored = ({ caller }: Writer, id: string, path?: string): Promise<Answer> =>
  caller.post(`/trash/${id}/restore`, path === undefined ? {} : { path });

onEachEngine('an attachment restored from the trash', (open) => {
  test('is the same attachment: id, bytes, links to it, its row in the change feed', async () => {
    await using notes = await startLastingNotes({ open });
    const { server, alice } = notes;
    const file = await uploaded(alice, 'f/a.png', ONE);
    await alice.write('n.md', '![[a.png]]');
    await remove(alice, 'f/a.png');
    assert.equal((await readRaw(alice.caller, 'f/a.png')).status, 404);
    assert.equal((await alice.caller.get('/user/storage')).body.used_bytes, 0);
    server.clock.advance({ days: 89 });
    assert.equal(await server.app.attachments.collect(), 0);
    const { status, body } = await restored(alice, file.id);
    const { seq, updated_at: _, ...same } = body.attachment;
    assert.deepEqual([status, same], [200, without(file, 'seq', 'updated_at')]);
    assert.ok(seq > file.seq);
    assert.equal(sha256((await readRaw(alice.caller, 'f/a.png')).bytes), sha256(ONE));
    assert.equal((await alice.read('n.md')).body.links[0].target_attachment_id, file.id);
    assert.equal((await alice.caller.get('/user/storage')).body.used_bytes, ONE.length);
    const { changes } = (await alice.caller.get('/sync/changes')).body;
    assert.deepEqual([changes.at(-1).id, changes.at(-1).deleted], [file.id, false]);
    await assertConsistent(server);
  });

  test('may go to another path of an allowed type, and replaces nothing', async () => {
    await using notes = await startNotes({ open });
    const { server, alice } = notes;
    const { id } = await uploaded(alice, 'a.png', ONE);
    await remove(alice, 'a.png');
    await uploaded(alice, 'A.png', TWO);
    await alice.write('n.md');
    for (const path of [undefined, 'n.md', 'n.md/b.png', 'a.PNG']) {
      const { status, body } = await restored(alice, id, path);
      assert.ok(status === 409 || (path === 'n.md' && status === 415), `${path}: ${status}`);
      assert.ok(['conflict', 'extension_not_allowed'].includes(body.error));
    }
    assert.equal((await restored(alice, id, 'a.exe')).body.error, 'extension_not_allowed');
    assert.equal((await restored(alice, id, '../a.png')).status, 422);
    const { attachment } = (await restored(alice, id, 'x/y/a.jpg')).body;
    assert.deepEqual([attachment.id, attachment.path, attachment.mime_type], [id, 'x/y/a.jpg', 'image/jpeg']);
    assert.deepEqual((await readRaw(alice.caller, 'x/y/a.jpg')).bytes, ONE);
    await assertConsistent(server);
  });

  test('shares its blob with equal bytes that were uploaded meanwhile', async () => {
    await using notes = await startLastingNotes({ open });
    const { server, alice } = notes;
    const { id } = await uploaded(alice, 'a.png', ONE);
    await remove(alice, 'a.png');
    const { id: other } = await uploaded(alice, 'b.png', ONE);
    await remove(alice, 'b.png');
    assert.equal((await alice.caller.delete(`/trash/${other}`)).status, 200);
    server.clock.advance({ days: 1 });
    await server.app.attachments.collect();
    assert.equal((await restored(alice, id)).status, 200);
    assert.deepEqual((await readRaw(alice.caller, 'a.png')).bytes, ONE);
    await assertConsistent(server);
  });

  test('counts for the limits of the plan again', async () => {
    const plans = { ...builtinPlans, small: { ...builtinPlans.self_hosted, attachment_bytes_cap: 500 } };
    await using notes = await startLastingNotes({ open, config: { plans, defaultPlan: 'small' } });
    const { server, alice } = notes;
    const { id } = await uploaded(alice, 'a.png', ONE);
    await remove(alice, 'a.png');
    await uploaded(alice, 'b.png', TWO);
    const refused = await restored(alice, id);
    assert.deepEqual([refused.status, refused.body.reason], [402, 'attachments_quota_exceeded']);
    await server.app.accounts.setPlan(server.alice.email, 'free');
    const disabled = await restored(alice, id);
    assert.deepEqual([disabled.status, disabled.body.reason], [402, 'attachments_disabled']);
    await server.app.accounts.setPlan(server.alice.email, 'small');
    await remove(alice, 'b.png');
    assert.equal((await restored(alice, id)).status, 200);
    await assertConsistent(server);
  });

  test('leaves its bytes to the sweep only when it was deleted for good', async () => {
    await using notes = await startLastingNotes({ open });
    const { server, alice } = notes;
    const stored = async () => (await Array.fromAsync(server.blobs.list())).flat().length;
    const { id } = await uploaded(alice, 'a.png', ONE);
    await remove(alice, 'a.png');
    server.clock.advance({ days: 1 });
    assert.deepEqual([await server.app.attachments.collect(), await stored()], [0, 1]);
    assert.equal((await alice.caller.delete(`/trash/${id}`)).status, 200);
    assert.equal((await restored(alice, id)).status, 404);
    const { changes } = (await alice.caller.get('/sync/changes')).body;
    assert.deepEqual([changes[0].id, changes[0].deleted, changes[0].path], [id, true, 'a.png']);
    server.clock.advance({ minutes: 11 });
    assert.deepEqual([await server.app.attachments.collect(), await stored()], [1, 0]);
    await assertConsistent(server);
  });
});

function without<Row extends object>(row: Row, ...keys: string[]): Partial<Row> {
  return Object.fromEntries(Object.entries(row).filter(([key]) => !keys.includes(key))) as Partial<Row>;
}
