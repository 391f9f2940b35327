import type { Engine } from '../../../src/ports/database/statement.ts';
import { FlakySocket } from '../clients/provider-clients.ts';
import { freshOnPostgres, freshSqlite } from '../engines.ts';
import { Caller } from '../person.ts';
import { startServer, type TestServer } from '../server.ts';
import { tokenOf } from '../shared-vault.ts';
import { countedDatabase, type StatementCounts } from './counted-database.ts';

const LINKS = 'One [[target 1]], two [[target 2]], three [[target 3]].\n';

export interface OperationCost extends StatementCounts {
  readonly operation: string;
}

/**
 * Performs every operation that clients make often on a server of its own, as the owner of the vault or as an editor,
 * and counts what each asks of the database.
 * Each is made before on other data, so that caches are filled.
 */
export async function operationCosts(engine: Engine, by: 'owner' | 'member' = 'owner'): Promise<OperationCost[]> {
  await using opened = new AsyncDisposableStack();
  const { db: fresh, remove } = await (engine === 'sqlite' ? freshSqlite() : freshOnPostgres());
  opened.defer(remove);
  const db = opened.use(countedDatabase(fresh));
  const server = opened.use(await startServer({ open: async () => db }));
  // What a server asks each second is no part of an operation.
  server.app.sockets.tick = () => undefined;
  const costs: OperationCost[] = [];
  for (const { name, work } of await operationsOf(server, opened, by)) {
    await work(0);
    // A search may store the index afterwards, beside whatever comes next.
    await server.app.search.idle();
    db.reset();
    await work(1);
    costs.push({ operation: name, ...db.counts });
  }
  return costs;
}

interface CountedOperation {
  readonly name: string;
  /** Performs it for the first or the second time, each time on data of its own. */
  work(time: number): Promise<unknown>;
}

async function operationsOf(
  server: TestServer,
  opened: AsyncDisposableStack,
  by: 'owner' | 'member',
): Promise<CountedOperation[]> {
  const { vault } = (await server.alice.post('/vaults', { name: 'Costs' })).body;
  const person = by === 'owner' ? server.alice : server.bob;
  if (by === 'member') {
    const { url } = (await server.alice.post(`/vaults/${vault.id}/invitations`, { role: 'editor' })).body;
    await server.bob.post(`/invitations/${tokenOf(url)}/accept`);
  }
  const reach = { name: 'costs', vault_access: { [vault.id]: 'write' } };
  const { key } = (await person.post('/connections/pat', reach)).body;
  const caller = new Caller(server.url, async () => ({ authorization: `Bearer ${key}`, 'x-vault-id': vault.id }));
  const ok = async (asked: ReturnType<Caller['get']>) => {
    const answer = await asked;
    if (answer.status >= 300) throw new Error(`answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const put = (path: string, content: string) => ok(caller.post('/notes', { path, content, mtime: 1 }));
  for (let index = 1; index <= 3; index++) await put(`target ${index}.md`, 'a target');
  for (const time of [0, 1]) {
    await put(`plain/edited ${time}.md`, 'before');
    await put(`plain/linked ${time}.md`, LINKS);
    await put(`renamed ${time}.md`, 'renamed');
    await put(`referring ${time}.md`, `[[renamed ${time}]] and [[folder ${time}/inside]]`);
    await put(`folder ${time}/inside.md`, 'inside');
    await put(`folder ${time}/beside.md`, 'beside');
  }
  const typed = (await put('typed.md', 'typed')).note.id;
  const editor = opened.use(opened.use(new FlakySocket(server.url)).open(typed, key));
  await editor.synced();
  let { resume_cursor: cursor } = await ok(caller.get('/sync/changes'));
  const batch = (time: number) =>
    Array.from({ length: 100 }, (_, index) => ({ path: `batch ${time}/${index}.md`, content: LINKS, mtime: 1 }));
  return [
    { name: 'read a note with 3 links', work: (time) => ok(caller.get(`/notes/plain/linked%20${time}.md`)) },
    { name: 'upsert a new note', work: (time) => put(`plain/new ${time}.md`, 'new') },
    { name: 'upsert a new note with 3 links', work: (time) => put(`plain/new linked ${time}.md`, LINKS) },
    { name: 'upsert a new note in a new folder', work: (time) => put(`made ${time}/new.md`, 'new') },
    { name: 'upsert an existing note', work: (time) => put(`plain/edited ${time}.md`, 'after') },
    { name: 'upsert an existing note with 3 links', work: (time) => put(`plain/linked ${time}.md`, `${LINKS}More.\n`) },
    {
      name: 'upsert 100 new notes with 3 links each',
      work: (time) => ok(caller.post('/notes/batch', { notes: batch(time) }, { 'x-idempotency-key': `batch-${time}` })),
    },
    {
      name: 'rename a note with a link to it',
      work: (time) =>
        ok(caller.post('/notes/rename', { old_path: `renamed ${time}.md`, new_path: `moved ${time}.md` })),
    },
    {
      name: 'rename a folder of 2 notes with a link into it',
      work: (time) =>
        ok(caller.post('/folders/rename', { old_path: `folder ${time}`, new_path: `moved folder ${time}` })),
    },
    { name: 'search', work: () => ok(caller.post('/search', { query: 'target' })) },
    { name: 'manifest', work: () => ok(caller.get('/sync/manifest')) },
    {
      name: 'page of the change feed',
      async work(time) {
        if (time === 0) return;
        ({ resume_cursor: cursor } = await ok(
          caller.get(`/sync/changes?cursor=${encodeURIComponent(cursor)}&include_content=true`),
        ));
      },
    },
    {
      name: 'unknown texts of 100 notes',
      work: () => {
        const notes = batch(0).map(({ path }) => ({ path, content_hash: 'x' }));
        return ok(caller.post('/sync/known', { notes }));
      },
    },
    { name: 'tags', work: () => ok(caller.get('/tags')) },
    {
      name: 'typed letter',
      async work() {
        editor.type('x');
        await editor.synced();
      },
    },
    { name: 'read of a note just typed into', work: () => ok(caller.get('/notes/typed.md')) },
  ];
}
