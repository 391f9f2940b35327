import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from '@notevault/protocol/socket-frames.ts';
import * as Y from 'yjs';
import { writeStates } from '../../../src/domains/reading/sync/sockets/awareness.ts';
import type { Database } from '../../../src/ports/database/database.ts';
import { FlakySocket, type HocuspocusClient } from '../../kit/clients/provider-clients.ts';
import { bytes, kinds, message, RawSocket, textIn } from '../../kit/clients/raw-socket.ts';
import type { Person } from '../../kit/person.ts';
import { startServer, type TestServer } from '../../kit/server.ts';
import { turns, until } from '../../kit/until.ts';
import { credentialsOf, levelOf, makeEverybody, type Standing, sharedWorld, type Tried } from './standings.ts';

/*
 * Every message of the sockets, by everybody who has a vault, had it, or never did, with every kind of credential: for a
 * note and for the vault on the socket of many documents, and at the endpoint of one note.
 */

type Level = 'none' | 'read' | 'write' | 'ended';

/** The owner's view of the vault. */
interface Watch {
  readonly server: TestServer;
  readonly note: HocuspocusClient;
  readonly vault: HocuspocusClient;
  readonly stored: () => Promise<string>;
}

/** A document that somebody has opened, or was refused. */
interface Line {
  readonly watch: Watch;
  readonly socket: RawSocket;
  readonly name: string;
  readonly target: 'note' | 'vault';
  readonly token: string;
  readonly level: Level;
  readonly who: string;
}

let count = 0;

/** An edit of the note as somebody would make it who had it. */
function editOf({ note }: Watch, mark: string): Uint8Array {
  const doc = new Y.Doc();
  Y.applyUpdate(doc, Y.encodeStateAsUpdate(note.doc));
  const before = Y.encodeStateVector(doc);
  doc.getText('content').insert(0, mark);
  return Y.encodeStateAsUpdate(doc, before);
}

const statesSeen = ({ note, vault }: Watch) =>
  JSON.stringify([note, vault].map(({ provider }) => [...(provider.awareness?.getStates() ?? [])]));

async function seenBy(watch: Watch): Promise<string> {
  return JSON.stringify([watch.note.text, await watch.stored(), statesSeen(watch)]);
}

const of = ({ socket }: Line, kind: number) => socket.messages.filter((each) => each.kind === kind);

/** Answers, apart from hints that something in the vault has changed, which come whenever they come. */
const answersOn = (socket: RawSocket) => socket.messages.filter(({ kind }) => kind !== kinds.stateless).length;

/** A frame that has no answer and no effect. */
async function ignored(line: Line, frame: Uint8Array): Promise<void> {
  const [seen, answers] = [await seenBy(line.watch), answersOn(line.socket)];
  line.socket.send(frame);
  await turns();
  assert.deepEqual([await seenBy(line.watch), answersOn(line.socket)], [seen, answers], line.who);
}

async function writes(line: Line, frameOf: (update: Uint8Array) => Uint8Array): Promise<void> {
  const { socket, level, target, watch, who } = line;
  const mark = `mark ${count++} `;
  const frame = frameOf(editOf(watch, mark));
  if (level === 'none' || level === 'ended') return ignored(line, frame);
  const [seen, answered] = [await seenBy(watch), of(line, kinds.status).length];
  socket.send(frame);
  const { body } = await socket.waitFor(kinds.status, answered + 1);
  const isStored = level === 'write' && target === 'note';
  assert.equal(body[0], isStored ? 1 : 0, who);
  if (isStored) await until(async () => watch.note.text.includes(mark) && (await watch.stored()).includes(mark));
  else assert.equal(await seenBy(watch), seen, who);
}

/** One row for each kind of message: sends it, and expects what it does for somebody at this level. */
const rows: Readonly<Record<Message['kind'], (line: Line) => Promise<void>>> = {
  async step1(line) {
    const frame = message.step1(line.name);
    if (line.level === 'none' || line.level === 'ended') return ignored(line, frame);
    const answered = of(line, kinds.sync).length;
    line.socket.send(frame);
    await until(() => of(line, kinds.sync).length >= answered + 2, 'what it lacks, and a request');
  },
  update: (line) => writes(line, (update) => message.update(line.name, update)),
  step2: (line) => writes(line, (update) => message.step2(line.name, update)),
  async awareness(line) {
    const client = 1000 + count++;
    const state = JSON.stringify({ user: { name: `seen ${client}` }, actor: { user_id: 'forged' } });
    const frame = message.awareness(line.name, writeStates([{ client, clock: 1, state }]));
    if (line.level === 'none' || line.level === 'ended') return ignored(line, frame);
    line.socket.send(frame);
    await until(() => statesSeen(line.watch).includes(`seen ${client}`), 'presence');
    assert.ok(!statesSeen(line.watch).includes('forged'), line.who);
  },
  async query(line) {
    const frame = message.query(line.name);
    if (line.level === 'none' || line.level === 'ended') return ignored(line, frame);
    const answered = of(line, kinds.awareness).length;
    line.socket.send(frame);
    await line.socket.waitFor(kinds.awareness, answered + 1);
  },
  async token(line) {
    const { socket, name, token, level, target, watch } = line;
    const answered = of(line, kinds.auth).length;
    socket.send(message.token(name, token));
    const { body } = await socket.waitFor(kinds.auth, answered + 1, watch.server.clock);
    const isOpen = level === 'read' || level === 'write';
    const expected = !isOpen ? 'permission-denied' : level === 'write' && target === 'note' ? 'read-write' : 'readonly';
    assert.deepEqual([body[0], textIn(body, 1)], [isOpen ? 2 : 1, expected], line.who);
  },
  other: (line) => ignored(line, Buffer.concat([message.query(line.name).slice(0, -1), Uint8Array.of(99)])),
  // Last: whatever follows is ignored.
  async close(line) {
    line.socket.send(message.close(line.name));
    await until(() => !statesSeen(line.watch).includes('seen '), 'the end of presence');
    await ignored({ ...line, level: 'none' }, message.update(line.name, editOf(line.watch, 'late ')));
  },
};

/** At the endpoint of one note a document has no name, and a refusal closes the socket. */
async function alone(
  { server, ...watch }: Watch,
  note: string,
  { token, level, who }: Pick<Line, 'token' | 'level' | 'who'>,
): Promise<void> {
  const plain = (frame: Uint8Array) => frame.slice(1);
  const headers = { authorization: `Bearer ${token}` };
  const all = { server, ...watch };
  using socket = await RawSocket.open(server.url, `/api/sync/notes/${note}`, headers);
  const seen = await seenBy(all);
  if (level === 'none' || level === 'ended') {
    const frames = [message.update('', editOf(all, 'forged ')), message.awareness('', bytes(Uint8Array.of(0)))];
    for (const frame of frames) socket.send(plain(frame));
    const { code } = await socket.ended(server.clock);
    assert.deepEqual([code, await seenBy(all)], [level === 'ended' ? 4401 : 4404, seen], who);
    return;
  }
  socket.send(plain(message.step1('')));
  await until(() => socket.frames.length >= 2, 'what it lacks');
  const mark = `alone ${count++} `;
  socket.send(plain(message.update('', editOf(all, mark))));
  if (level === 'write') return until(async () => watch.note.text.includes(mark), 'the edit');
  assert.equal((await socket.ended()).code, 4403, who);
  assert.equal(await seenBy(all), seen, who);
}

/** @param isTried which credentials are tried; each by default. */
export function defineRolesLive(open: () => Promise<Database>, isTried: Tried = () => true): void {
  test('[S4] every socket message obeys role, level and credential for owner, members, former ones and strangers', {
    timeout: 5 * 60_000,
  }, async () => {
    await using server = await startServer({ open, config: { authRateLimit: 100_000 } });
    const everybody = await makeEverybody(server, 'live');
    const { world, left } = await sharedWorld(server, everybody, 'tiger');
    const { owner } = everybody;
    using hers = new FlakySocket(server.url);
    const { accessToken } = await owner.signed();
    using note = await hers.open(world.note, accessToken).synced();
    using vault = await hers.open(`vault:${world.vault}`, accessToken).synced();
    const headers = { 'x-vault-id': world.vault };
    const stored = async () => (await owner.get(`/notes/by-id/${world.note}`, headers)).body.content as string;
    const watch: Watch = { server, note, vault, stored };
    const people = Object.entries({ owner, ...everybody.people }) as [Standing | 'owner', Person][];
    for (const [standing, person] of people) {
      for (const credential of credentialsOf(standing).filter((each) => isTried(each, standing))) {
        const kept = standing === 'removed' ? left.get(credential) : undefined;
        const token = kept ?? (await credential.make(server, person, world));
        const level = levelOf(standing, credential);
        for (const [target, name] of [
          ['note', world.note],
          ['vault', `vault:${world.vault}`],
        ] as const) {
          using socket = await RawSocket.open(server.url);
          const who = `${target} by ${standing} with ${credential.name}`;
          const line: Line = { watch, socket, name, target, token, level, who };
          await rows.token(line);
          for (const [kind, row] of Object.entries(rows)) {
            await row(line).catch((error: unknown) => {
              throw new Error(`${kind} of ${who}`, { cause: error });
            });
          }
        }
        await alone(watch, world.note, { token, level, who: `alone by ${standing} with ${credential.name}` });
      }
    }
  });
}
