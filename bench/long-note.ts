import { setTimeout as delay } from 'node:timers/promises';
import * as Y from 'yjs';
import { openPostgres } from '../server/src/ports/database/postgres/postgres.ts';
import { YjsClient } from '../server/test/kit/clients/yjs-client.ts';
import { freshSqlite } from '../server/test/kit/engines.ts';
import { Random } from '../server/test/kit/random.ts';
import { startServer } from '../server/test/kit/server.ts';
import { databaseOfBench } from './kit/processes.ts';
import { inRounds, middleRow, ratioRow } from './kit/rounds.ts';

// How long does it take to open a note that was typed over years: 250,000 edits, one in a hundred after a jump of the
// cursor? Compared with Yjs, which applies the same state.
const EDITS = 250_000;
const nobody = { update: () => undefined, closed: () => undefined };

const database = await databaseOfBench();
const { db, remove } =
  database === null
    ? await freshSqlite()
    : { db: await openPostgres({ url: database.url }), remove: () => database[Symbol.asyncDispose]() };
{
  await using server = await startServer({ open: async () => db });
  const { vault } = (await server.alice.post('/vaults', { name: 'Bench' })).body;
  const { note } = (await server.alice.post('/notes', { path: 'long.md', mtime: 1, content: '# Long\n' })).body;
  const opened = async () => new YjsClient('alice').join(server.app, vault.id, note.id);
  const gone = async () => {
    while (server.app.notes.live.stats().documents > 0) await delay(10);
  };

  const writer = await opened();
  typeLongAgo(writer.doc);
  await writer.sync();
  writer.leave();
  await gone();

  const state = Y.encodeStateAsUpdateV2(writer.doc);
  const opening = await server.app.vaults.openAsSystem(vault.id);
  if (opening === null) throw new Error('the vault is gone');
  const { ours, yjs } = await inRounds({
    ours: async () => {
      const [started, live] = [performance.now(), await server.app.notes.live.open(opening, note.id, nobody)];
      const loaded = performance.now();
      await live.missingFor(null);
      const answered = performance.now();
      live[Symbol.dispose]();
      await gone();
      return { 'load, ms': Math.round(loaded - started), 'state for a newcomer, ms': Math.round(answered - loaded) };
    },
    yjs: async () => {
      const started = performance.now();
      Y.applyUpdateV2(new Y.Doc(), state);
      return { 'load, ms': Math.round(performance.now() - started) };
    },
  });
  console.log(`${writer.text.length} characters after ${EDITS} edits; its state has ${state.length} bytes`);
  console.table([middleRow('notevault', ours), middleRow('Yjs alone', yjs)]);
  const whole = ours.map((row) => row['load, ms'] + row['state for a newcomer, ms']);
  const alone = yjs.map((row) => row['load, ms']);
  console.table([
    ratioRow(
      'load, of Yjs',
      ours.map((row) => row['load, ms']),
      alone,
    ),
    ratioRow('load and answer a newcomer, of Yjs', whole, alone),
  ]);
}
await db[Symbol.asyncDispose]();
await remove();

function typeLongAgo(doc: Y.Doc): void {
  const random = new Random(7);
  const content = doc.getText('content');
  let at = content.length;
  for (let index = 0; index < EDITS; index++) {
    if (random.chance(0.01)) at = random.below(content.length + 1);
    if (at > 0 && random.chance(0.1)) content.delete(--at, 1);
    else content.insert(at++, 'etaoin shr'[index % 10] ?? ' ');
  }
}
