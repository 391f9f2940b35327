import assert from 'node:assert/strict';
import type { Seq, VaultId } from '@notevault/protocol/values/ids.ts';
import type { NoteMeta } from '../../src/domains/content/notes/notes.ts';
import type { Database } from '../../src/ports/database/database.ts';
import { checkedCallers } from './openapi.ts';
import type { Answer, Caller, Headed } from './person.ts';
import { oneServer, startServer, type TestServer, type TestServerOptions } from './server.ts';

/** A server on which alice has one vault; every answer to alice or bob is validated against the OpenAPI document. */
export interface NotesServer extends AsyncDisposable {
  readonly server: TestServer;
  readonly alice: Writer;
  /** Bob, who gets his own vault at the first call. */
  bob(): Promise<Writer>;
}

/** The JSON of a note in an answer, untyped; its shape has been validated against the document already. */
export type Json = Answer['body'];

export interface Writer {
  readonly caller: Caller;
  readonly vault: string;
  /** Upserts a note; content is the path by default, mtime is 1. */
  put(path: string, fields?: Record<string, unknown>, headers?: Headed): Promise<Answer>;
  /** Like `put`, but the note must be accepted; resolves to it. */
  write(path: string, content?: string, fields?: Record<string, unknown>, headers?: Headed): Promise<Json>;
  /** Reads the note at a path, with each segment percent-encoded. */
  read(path: string, headers?: Headed): Promise<Answer>;
  remove(path: string, headers?: Headed): Promise<Answer>;
  /** The links of a note as a read returns them, each as `text → path`, or `text → ?` when it dangles. */
  edges(path: string): Promise<string[]>;
  /** The sources of a note's backlinks, in order. */
  backlinks(path: string): Promise<string[]>;
}

/** @param from Options of a server, or a server that runs. */
export async function startNotes(from: TestServerOptions | TestServer): Promise<NotesServer> {
  const server = 'url' in from ? from : await startServer(from);
  const checked = await checkedCallers(server);
  const writerFor = async (caller: Caller) => {
    const { vault } = (await caller.post('/vaults', { name: 'Notes' })).body;
    return writer(checked(caller), vault.id);
  };
  return {
    server,
    alice: await writerFor(server.alice),
    bob: () => writerFor(server.bob),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Like startNotes, with credentials that outlast a session. */
export async function startLastingNotes(options: TestServerOptions): Promise<NotesServer> {
  const notes = await startNotes(options);
  const checked = await checkedCallers(notes.server);
  const lasting = async ({ caller, vault }: Writer) => {
    const { key } = (await caller.post('/connections/pat', { name: 'lasting' })).body;
    return writer(checked(notes.server.bearer(key)), vault);
  };
  return { ...notes, alice: await lasting(notes.alice), bob: async () => lasting(await notes.bob()) };
}

/** Like startNotes, on one server for all tests of a `describe` (inside which it must be called); see oneServer. */
export function notesOnOneServer(
  open: () => Promise<Database>,
  more: Omit<TestServerOptions, 'open'> = {},
): () => Promise<NotesServer> {
  const start = oneServer(() => ({ open, ...more }));
  return async () => startNotes(await start());
}

export function writer(caller: Caller, vault: string): Writer {
  const url = (path: string) => `/notes/${path.split('/').map(encodeURIComponent).join('/')}`;
  const put: Writer['put'] = (path, fields = {}, headers) =>
    caller.post('/notes', { path, mtime: 1, content: path, ...fields }, headers);
  const read: Writer['read'] = (path, headers) => caller.get(url(path), headers);
  return {
    caller,
    vault,
    put,
    read,
    async write(path, content = path, fields = {}, headers = {}) {
      const { status, body } = await put(path, { content, ...fields }, headers);
      if (status !== 200) throw new Error(`writing ${path} was answered ${status}: ${JSON.stringify(body)}`);
      return body.note;
    },
    remove: (path, headers) => caller.delete(url(path), undefined, headers),
    async edges(path) {
      const { links } = (await read(path)).body;
      return links.map((link: Json) => `${link.target_text} → ${link.dangling ? '?' : link.target_path}`);
    },
    async backlinks(path) {
      const { id } = (await read(path)).body;
      const { backlinks } = (await caller.get(`/notes/by-id/${id}/backlinks`)).body;
      return backlinks.map((link: Json) => link.source_path);
    },
  };
}

/** The access token of alice's session. */
export async function tokenOf({ server }: NotesServer): Promise<string> {
  return (await server.alice.signed()).accessToken;
}

/** Creates a key of alice's with one permission in every vault. */
export async function keyOf({ server }: NotesServer, level: 'read' | 'write') {
  const made = await server.alice.post('/connections/pat', { name: 'Laptop', default_access: level });
  assert.equal(made.status, 201);
  return { id: made.body.id as string, token: made.body.key as string };
}

/** Writes notes by batches of a hundred; once into a vault, because the keys of the batches repeat. */
export async function putAll({ caller }: Pick<Writer, 'caller'>, notes: readonly object[]): Promise<void> {
  for (let at = 0; at < notes.length; at += 100) {
    const batch = { notes: notes.slice(at, at + 100) };
    assert.equal((await caller.post('/notes/batch', batch, { 'x-idempotency-key': `notes-${at}` })).status, 200);
  }
}

/** Returns the sealed part of a note's row as it is stored: unlike a read, this flushes nothing. */
export async function storedMetaOf({ app, db }: TestServer, vaultId: string, id: string): Promise<NoteMeta> {
  const vault = await app.vaults.openAsSystem(vaultId as VaultId);
  assert.ok(vault !== null);
  const rows = await db.read((handle) => app.entries.changedAfter(handle, vault, 0 as Seq, 1000));
  const row = rows.find((each) => each.id === id);
  assert.ok(row !== undefined);
  return app.notes.changed(vault, row).meta;
}
