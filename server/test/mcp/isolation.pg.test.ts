/**
 * No tool tells one account anything about another’s: a call that names alice’s vaults, notes and paths is answered
 * like one that names things that belong to nobody, and changes nothing of hers.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Assistant } from '../kit/clients/mcp.ts';
import { onEachEngine } from '../kit/engines.ts';
import { startServer } from '../kit/server.ts';
import { type Known, toolCalls } from './tool-calls.ts';

const SECRETS = ['Her vault', 'zanzibar', 'her-path', 'her-file'];

/** Removes from an answer what was in the request, what is random, and times. */
function plain(answer: string, known: Known): string {
  const sent = [known.vault, known.id, known.path, known.uri, known.word].filter((each) => each !== '');
  return sent
    .reduce((text, each) => text.replaceAll(each, '<sent>'), answer)
    .replace(/data-[0-9a-f]{16}/g, 'data')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replace(/nv_[a-z]+_[\w-]+/g, '<secret>');
}

onEachEngine('tools of assistants', (open) => {
  test('tools of assistants tell nothing of another account, and change nothing of it', async () => {
    await using server = await startServer({ open, config: { mcpWritesPerMinute: 0 } });
    const vault = (await server.alice.post('/vaults', { name: 'Her vault' })).body.vault.id;
    const path = 'her-path.md';
    const { id } = (await server.alice.post('/notes', { path, content: 'zanzibar words', mtime: 1 })).body.note;
    await server.alice.post('/attachments', { path: 'her-file.txt', content_base64: btoa('zanzibar'), mtime: 1 });
    const deleted = (await server.alice.post('/notes', { path: 'gone.md', content: 'zanzibar words too', mtime: 1 }))
      .body.note;
    await server.alice.delete(`/notes/by-id/${deleted.id}`);
    const everything = async () =>
      JSON.stringify([(await server.alice.get('/vault/tree')).body, (await server.alice.get('/trash')).body]);
    const before = await everything();

    const own = (await server.bob.post('/vaults', { name: 'His vault' })).body.vault.id;
    const { key } = (await server.bob.post('/api-keys', { name: 'k' })).body;
    await using assistant = await Assistant.connect(server, key);
    const hers = (noteId: string): Known => ({
      vault,
      path,
      word: 'her-path',
      id: noteId,
      hash: '0',
      version: 1,
      uri: `notevault://${vault}/${path}`,
    });
    const nobodys = (): Known => {
      const none = crypto.randomUUID();
      return {
        vault: none,
        path: 'its-path.md',
        word: 'its-path',
        id: crypto.randomUUID(),
        hash: '0',
        version: 1,
        uri: `notevault://${none}/its-path.md`,
      };
    };
    for (const inVault of [{}, { vault: own }]) {
      for (const { name, input } of toolCalls) {
        // Of a call that names no note, or no vault, the second would be the same again.
        if ('vault' in inVault && !('vault' in input(hers(id)))) continue;
        const namesNote = JSON.stringify(input(hers(id))).includes(id);
        for (const noteId of namesNote ? [id, deleted.id] : [id]) {
          const answers = [];
          for (const known of [hers(noteId), nobodys()]) {
            // In his own vault nothing may be made by one call that the other one then finds.
            const sent = input(known);
            const dry = 'vault' in inVault && /^(create|append)/.test(name) ? { dry_run: true } : {};
            const fields =
              'vault' in sent ? { ...sent, ...inVault, ...(/^create_note|append/.test(name) ? dry : {}) } : sent;
            if ('vault' in inVault && /folder|upload/.test(name)) continue;
            const { text, isError } = await assistant.call(name, fields);
            answers.push(`${isError} ${plain(text, known)}`);
            for (const secret of SECRETS) {
              if (!JSON.stringify(fields).includes(secret)) assert.ok(!text.includes(secret), `${name}: ${text}`);
            }
          }
          assert.equal(answers[0], answers[1], name);
        }
      }
    }
    const uri = `notevault://${vault}/${path}`;
    await assert.rejects(assistant.client.readResource({ uri }), (error: Error) => !/zanzibar/.test(error.message));
    assert.deepEqual((await assistant.client.listResources()).resources, []);
    assert.equal(await everything(), before);
  });
});
