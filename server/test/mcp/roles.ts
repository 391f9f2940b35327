/** Every tool, by everybody who has a vault, had it, or never did, with every kind of credential. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writerNames } from '@notevault/mcp/all-tools.ts';
import type { Database } from '../../src/ports/database/database.ts';
import {
  type Credential,
  credentialsOf,
  type Everybody,
  levelOf,
  makeEverybody,
  type Standing,
  sharedWorld,
  type Tried,
} from '../flows/access/standings.ts';
import { Assistant } from '../kit/clients/mcp.ts';
import type { World } from '../kit/operations.ts';
import { startServer, type TestServer } from '../kit/server.ts';
import { type Known, toolCalls } from './tool-calls.ts';

/** Reading tools that need an editor: see the table of operations. */
const FOR_EDITORS = ['list_trash', 'get_history', 'recent_changes'];
/** Tools without a vault argument: they leave out a vault that does not exist, instead of refusing it. */
const OF_ALL_VAULTS = ['list_vaults', 'search'];

interface Asked {
  readonly world: World;
  readonly standing: Standing | 'owner';
  readonly credential: Credential;
  readonly token: string;
}

async function hashOf({ owner }: Everybody, { vault, note }: World) {
  const { body } = await owner.get(`/notes/by-id/${note}`, { 'x-vault-id': vault });
  // Its first version is another text.
  return { hash: body.content_hash as string, version: 1 };
}

async function stateOf({ owner }: Everybody, { vault }: World): Promise<string> {
  const headers = { 'x-vault-id': vault };
  const asked = ['/sync/changes?fields=all', '/trash', '/folders', `/vaults/${vault}`];
  return JSON.stringify(await Promise.all(asked.map(async (url) => (await owner.get(url, headers)).body)));
}

/** Calls every tool; resolves to what went otherwise than it must. */
async function askAll(server: TestServer, everybody: Everybody, asked: Asked): Promise<string[]> {
  const { world, standing, credential, token } = asked;
  const level = levelOf(standing, credential);
  if (level === 'ended') {
    await assert.rejects(Assistant.connect(server, token), `${credential.name} of ${standing}`);
    return [];
  }
  await using assistant = await Assistant.connect(server, token);
  const before = await stateOf(everybody, world);
  const { hash, version } = await hashOf(everybody, world);
  const known: Known = {
    ...{ vault: world.vault, path: world.notePath, word: `w${count++}`, id: world.note, hash, version },
    item: world.activity,
    uri: `notevault://${world.vault}/${encodeURIComponent(world.notePath)}`,
  };
  const wrong: string[] = [];
  for (const { name, input } of toolCalls) {
    const isWriter = writerNames.has(name);
    const sent = name === 'get_attachment' ? { vault: world.vault, path: world.attachmentPath } : input(known);
    // Some tools are not offered to a credential that could not use them anywhere.
    const { text, isError, data } = await assistant.call(name, sent).catch((error: Error) => ({
      ...{ text: error.message, isError: true, data: {} as Record<string, unknown> },
    }));
    const isAllowed =
      level !== 'none' && (level === 'write' || !isWriter) && (standing !== 'viewer' || !FOR_EDITORS.includes(name));
    const what = `${name} by ${standing} with ${credential.name}: ${text.slice(0, 200)}`;
    if (level === 'none' && text.includes('tiger')) wrong.push(`tells of the vault: ${what}`);
    if (level !== 'none' || !OF_ALL_VAULTS.includes(name)) if (isError === isAllowed) wrong.push(what);
    if (level === 'none' && isError && !/no such vault|nsufficient scope|not exist|no note/i.test(text))
      wrong.push(what);
    if (isAllowed && name === 'create_note' && typeof data.id === 'string') known.id = data.id;
    if (isAllowed && typeof data.item === 'string') known.item = data.item;
    if (isAllowed && typeof data.hash === 'string') known.hash = data.hash;
    if (isAllowed && typeof data.version_before === 'number') known.version = data.version_before;
  }
  if (level !== 'write' && (await stateOf(everybody, world)) !== before) {
    wrong.push(`${standing} with ${credential.name} changed something`);
  }
  return wrong;
}

let count = 0;

/** @param isTried which credentials are tried; each by default. */
export function defineToolRoles(open: () => Promise<Database>, isTried: Tried = () => true): void {
  test('every tool obeys role, level and credential for owner, members, former members and strangers', {
    timeout: 5 * 60_000,
  }, async () => {
    const config = { authRateLimit: 100_000, mcpWritesPerMinute: 0 };
    await using server = await startServer({ open, config });
    const everybody = await makeEverybody(server, 'tools');
    const { world, left } = await sharedWorld(server, everybody, 'tiger');
    const people = { owner: everybody.owner, ...everybody.people };
    const wrong: string[] = [];
    for (const [standing, person] of Object.entries(people) as [Standing | 'owner', typeof everybody.owner][]) {
      for (const credential of credentialsOf(standing).filter((each) => isTried(each, standing))) {
        const token =
          (standing === 'removed' ? left.get(credential) : undefined) ?? (await credential.make(server, person, world));
        wrong.push(...(await askAll(server, everybody, { world, standing, credential, token })));
      }
    }
    assert.deepEqual(wrong, []);
  });
}
