/**
 * The order of answers to updates. A client counts them, so an answer out of order would be taken for that of another
 * update. Sessions run here without a network, so that an update is still being stored when the next one arrives.
 */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Frames } from '@notevault/protocol/socket-frames.ts';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import * as Y from 'yjs';
import { message } from '../../../../../test/kit/clients/raw-socket.ts';
import { YjsClient } from '../../../../../test/kit/clients/yjs-client.ts';
import { onEachEngine } from '../../../../../test/kit/engines.ts';
import { type NotesServer, notesOnOneServer } from '../../../../../test/kit/notes.ts';
import { until } from '../../../../../test/kit/until.ts';
import { MemoryHub } from '../../../../ports/bus/memory.ts';
import type { LiveNote, LiveNotes } from '../../../content/notes/notes.ts';
import { Collaboration, type ProtocolSession } from './collaboration.ts';
import type { Connection } from './connection.ts';

const CALLER = { ip: null, userAgent: null };
const TOO_LARGE = new Uint8Array(17 * MB);
const MALFORMED = Uint8Array.of(1, 2, 3);

/** Records the frames that a session sends. */
class Wire implements Connection {
  readonly #sent: Buffer[] = [];
  closed: number | null = null;

  send(frame: Uint8Array): void {
    this.#sent.push(Buffer.from(frame));
  }
  close(code: number): void {
    this.closed ??= code;
  }
  async drained(): Promise<void> {}
  admit(): void {}
  acquire(): void {}
  release(): void {}
  charge(): void {}

  get isAnswered(): boolean {
    return this.#sent.length > 0;
  }

  has(frame: Uint8Array): boolean {
    return this.#sent.some((sent) => sent.equals(frame));
  }

  /** The answers to updates, in order. */
  statuses(frames: Frames): boolean[] {
    const [taken, refused] = [frames.status(true), frames.status(false)];
    return this.#sent.filter((sent) => sent.equals(taken) || sent.equals(refused)).map((sent) => sent.equals(taken));
  }
}

/** Live notes whose stored updates are reported only when `release` is called. */
function held(live: LiveNotes): { live: LiveNotes; release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const open: LiveNotes['open'] = async (...given) => {
    const note = await live.open(...given);
    const apply: LiveNote['apply'] = async (...sent) => {
      const outcomes = await note.apply(...sent);
      await promise;
      return outcomes;
    };
    return replacing(note, { apply });
  };
  return { live: replacing(live, { open }), release: resolve };
}

/** The object with some methods replaced. */
function replacing<Of extends object>(target: Of, methods: Partial<Of>): Of {
  return new Proxy(target, {
    get(_, name) {
      const own: unknown = Reflect.get(name in methods ? methods : target, name);
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });
}

/** A note of alice's, two edits of it, and sessions in which updates stay in work until `release` is called. */
async function startHeld({ server, alice }: NotesServer) {
  const note = await alice.write('a.md', 'text');
  const { credentials, notes, vaults } = server.app;
  const { live, release } = held(notes.live);
  let mayWrite = true;
  const openVault: typeof vaults.openVault = async (...given) => {
    const vault = await vaults.openVault(...given);
    return mayWrite ? vault : { ...vault, permission: 'read' };
  };
  const collaboration = new Collaboration({
    clock: server.clock,
    bus: new MemoryHub().join(),
    live,
    vaults: replacing(vaults, { openVault }),
    limits: { socketsPerUser: 9, documentsPerSocket: 9 },
    hooks: {
      authenticate: (token, caller) => credentials.authenticateToken(token, caller),
      recall: (principal) => credentials.recall(principal),
    },
  });
  const { accessToken: token } = await server.alice.signed();
  const typist = await new YjsClient('alice').join(server.app, alice.vault, note.id);
  const edits = [typist.draft('1'), typist.draft('2')] as const;
  typist.leave();
  const { body } = await alice.caller.get('/me');
  return {
    release,
    edits,
    frames: new Frames(note.id),
    /** Opens the note over the Hocuspocus protocol. */
    async hocuspocus(wire: Wire): Promise<ProtocolSession> {
      const session = collaboration.openHocuspocus(wire, CALLER);
      session.message(message.token(note.id, token));
      await until(() => wire.has(new Frames(note.id).authenticated('read-write')), 'permission');
      return session;
    },
    /** Opens the note over the y-websocket protocol. */
    async yWebsocket(wire: Wire): Promise<ProtocolSession> {
      const session = collaboration.openYWebsocket(wire, CALLER, note.id, { authorization: `Bearer ${token}`, token });
      session.message(new Frames(null).step1(Y.encodeStateVector(typist.doc)));
      await until(() => wire.isAnswered, 'the state');
      return session;
    },
    /** Takes the right to write away, and waits until the sessions know. */
    async lower(): Promise<void> {
      const watching = new Wire();
      await this.hocuspocus(watching);
      mayWrite = false;
      collaboration.credentialsChanged(body.user.id);
      await until(() => watching.has(new Frames(note.id).authenticated('readonly')), 'the lower permission');
    },
    [Symbol.dispose]: () => collaboration[Symbol.dispose](),
  };
}

onEachEngine('answers to updates', (open) => {
  describe('on one server', () => {
    const start = notesOnOneServer(open);

    test('[9.5] an update that is too large is refused after those before it are answered', async () => {
      using at = await startHeld(await start());
      const wire = new Wire();
      const session = await at.hocuspocus(wire);
      for (const update of [at.edits[0], MALFORMED, at.edits[1], TOO_LARGE]) session.message(at.frames.update(update));
      at.release();
      await until(() => wire.has(at.frames.close('note_too_large')), 'the close');
      assert.deepEqual(wire.statuses(at.frames), [true, false, true, false]);
    });

    test('[9.5] updates after the right to write was taken away are refused after those before it are answered', async () => {
      using at = await startHeld(await start());
      const wire = new Wire();
      const session = await at.hocuspocus(wire);
      session.message(at.frames.update(at.edits[0]));
      await at.lower();
      // A client's complete state without anything new is taken from a read-only client too.
      session.message(at.frames.update(at.edits[1]));
      session.message(at.frames.step2(at.edits[0]));
      session.message(at.frames.update(at.edits[1]));
      at.release();
      await until(() => wire.statuses(at.frames).length === 4, 'all answers');
      assert.deepEqual(wire.statuses(at.frames), [true, false, true, false]);
    });

    const plain = new Frames(null);

    test('[10.3] the y-websocket endpoint closes for the first update that it refuses, not for a later one', async () => {
      using at = await startHeld(await start());
      const [large, lowered] = [new Wire(), new Wire()];
      const first = await at.yWebsocket(large);
      for (const update of [at.edits[0], MALFORMED, TOO_LARGE]) first.message(plain.update(update));
      const second = await at.yWebsocket(lowered);
      for (const update of [at.edits[0], MALFORMED]) second.message(plain.update(update));
      await at.lower();
      second.message(plain.update(at.edits[1]));
      at.release();
      await until(() => large.closed !== null && lowered.closed !== null, 'both closes');
      assert.deepEqual([large.closed, lowered.closed], [4400, 4400]);
    });
  });
});
