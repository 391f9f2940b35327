import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rule } from '@notevault/protocol/operations.ts';
import type { Database } from '../../../src/ports/database/database.ts';
import { difference, nobodys, plainly } from '../../kit/alike.ts';
import {
  type Field,
  fieldsOf,
  inVaultOf,
  type Making,
  NAMED,
  NEEDS,
  needsOf,
  requestsOf,
  SECRETS,
  taken,
} from '../../kit/operation-variants.ts';
import { type Known, knownOperations, makeWorld, type Need, type World } from '../../kit/operations.ts';
import { type Caller, Person } from '../../kit/person.ts';
import { Random } from '../../kit/random.ts';
import { startServer, type TestServer } from '../../kit/server.ts';
import { tokenOf } from '../../kit/shared-vault.ts';

/*
 * An operation that names two things or more, such as a vault and a note, is called with each choice of what the caller
 * may use and what they may not. It must answer as it does for something that belongs to nobody, and write nothing. What
 * an operation names is found by looking which things of a world its requests use, so a new operation is tested without
 * a change here; a new field of a request must be sent by one of them, or be listed below as naming nothing.
 */

/** Anybody may give their things these names. */
const NAMES: readonly Field[] = ['notePath', 'otherPath', 'folderPath', 'attachmentPath', 'taskText', 'clientId'];
const [STRANGE, NOTHING] = ['strange', 'nothing'];

/** A world that a caller may use. */
interface Mine {
  readonly world: World;
  readonly caller: Caller;
}

/** Somebody who may use some things and not others. */
interface Sides {
  readonly mine: (word: string, needs: readonly Need[]) => Promise<Mine>;
  readonly foreign: World;
  /** Sees what is foreign. */
  readonly witness: Caller;
  /** Whether a vault that the caller may not use is answered like one that does not exist. */
  readonly isHidden: boolean;
}

const inVault = ({ vault }: Rule) => vault !== undefined;

/** Two accounts: one owns what is foreign to the other, and shares the rest with it. */
interface Pair {
  readonly owner: Person;
  readonly editor: Person;
  readonly server: TestServer;
}

async function shareWith({ owner, editor }: Pair, word: string, needs: readonly Need[]): Promise<World> {
  const world = await makeWorld(owner, word, needs);
  const { url } = (await owner.post(`/vaults/${world.vault}/invitations`, { role: 'editor' })).body;
  assert.equal((await editor.post(`/invitations/${tokenOf(url)}/accept`)).status, 200);
  return world;
}

const hiddenFrom = async ({ owner }: Pair) => ({
  foreign: await makeWorld(owner, STRANGE, NEEDS),
  witness: owner,
  isHidden: true,
});

interface Kind {
  readonly who: string;
  readonly concerns: (rule: Rule) => boolean;
  readonly of: (pair: Pair) => Promise<Sides>;
}

const callers: readonly Kind[] = [
  {
    who: 'an account with a vault of its own',
    concerns: () => true,
    of: async (pair) => ({
      ...(await hiddenFrom(pair)),
      mine: async (word, needs) => ({ world: await makeWorld(pair.editor, word, needs), caller: pair.editor }),
    }),
  },
  {
    who: 'an editor in a shared vault',
    concerns: inVault,
    of: async (pair) => ({
      ...(await hiddenFrom(pair)),
      mine: async (word, needs) => ({ world: await shareWith(pair, word, needs), caller: pair.editor }),
    }),
  },
  {
    who: 'a key of an editor for the shared one of two vaults',
    concerns: (rule) => inVault(rule) && rule.who === 'credential',
    of: async (pair) => ({
      foreign: await makeWorld(pair.editor, STRANGE, NEEDS),
      witness: pair.editor,
      isHidden: false,
      mine: async (word, needs) => {
        const world = await shareWith(pair, word, needs);
        const reach = { name: word, vault_access: { [world.vault]: 'write' } };
        const { key } = (await pair.editor.post('/connections/pat', reach)).body;
        return { world, caller: pair.server.bearer(key) };
      },
    }),
  },
];

/** Each thing that a request names alone, and all others, and all. */
function choicesOf(fields: readonly Field[]): readonly Field[][] {
  const alone = fields.map((field) => [field]);
  const others = fields.map((field) => fields.filter((each) => each !== field));
  return [...alone, ...(fields.length > 2 ? others : []), [...fields]];
}

const namedBy = (form: Making, world: World) => fieldsOf(form, world).filter((field) => !SECRETS.includes(field));

/** @param isTried which calls are tried, by who calls and by the place of the operation among theirs; all by default. */
export function defineReferences(open: () => Promise<Database>, isTried = (_who: string, _nth: number) => true): void {
  test('[S1] [M1] an operation that names two things or more treats any foreign one as missing, and writes nothing', {
    timeout: 15 * 60_000,
  }, async (t) => {
    await using server = await startServer({ open, config: { authRateLimit: 1_000_000 } });
    const operations = (await knownOperations(server.anyone)).filter(({ rule: { who } }) =>
      /credential|session/.test(who),
    );
    for (const [at, kind] of callers.entries()) {
      const setting = new Setting(server, kind, at);
      for (const [nth, operation] of operations.filter(({ rule }) => kind.concerns(rule)).entries()) {
        if (!isTried(kind.who, nth)) continue;
        const [forms, taking] = [requestsOf(operation), (taken[operation.name] ?? []).map(inVaultOf(operation))];
        if (![...forms, ...taking].some(isPair)) continue;
        await t.test(`${operation.name} by ${kind.who}`, async () => {
          for (const form of forms.filter(isPair)) await askEach(setting, operation, form, false);
          for (const form of taking) await askEach(setting, operation, form, true);
          await setting.checkUnchanged(operation.name);
        });
      }
    }
  });
}

const isPair = (form: Making) => namedBy(form, NAMED).length > 1;

/** Maximum worlds per account: its list of vaults is part of many answers. */
const WORLDS_MAX = 30;

/** Worlds that stay as they are. */
interface Kept {
  readonly sides: Sides;
  /** Two that are alike, with all that an operation can name. */
  readonly twins: readonly Mine[];
  /** The state that refused calls and reads must not change. */
  readonly state: string;
}

/** The accounts and worlds of the calls by one kind of caller. */
class Setting {
  readonly #server: TestServer;
  readonly #kind: Kind;
  readonly #at: number;
  #made = 0;
  #pairs = 0;
  #kept: Kept | null = null;

  constructor(server: TestServer, kind: Kind, at: number) {
    this.#server = server;
    this.#kind = kind;
    this.#at = at;
  }

  async kept(): Promise<Kept> {
    if (this.#kept !== null) return this.#kept;
    const name = `${this.#at}-${this.#pairs++}`;
    const person = (role: string) => new Person(this.#server.url, `${role}${name}`, () => this.#server.alice.signed());
    const sides = await this.#kind.of({ server: this.#server, owner: person('owner'), editor: person('editor') });
    const twins = await this.#twinsOf(sides, NEEDS);
    this.#kept = { sides, twins, state: await stateOf(sides, twins) };
    return this.#kept;
  }

  /** Two worlds that are alike, for a request that may write in them. */
  async twins(needs: readonly Need[]): Promise<readonly Mine[]> {
    const { sides } = await this.kept();
    return this.#twinsOf(sides, needs);
  }

  async #twinsOf({ mine }: Sides, needs: readonly Need[]): Promise<readonly Mine[]> {
    const names = ['a', 'b'].map((side) => `${side}${this.#at}x${this.#made++}`);
    return Promise.all(names.map((name) => mine(name, needs)));
  }

  /** Asserts that no call so far has changed foreign data or the kept worlds. */
  async checkUnchanged(what: string): Promise<void> {
    const { sides, twins, state } = await this.kept();
    const now = await stateOf(sides, twins);
    if (now !== state || this.#made > WORLDS_MAX * this.#pairs) this.#kept = null;
    assert.equal(now, state, what);
  }
}

/** Keys that `mine` makes. */
const MADE_HERE = /^[ab]\d+x\d+$/;

async function stateOf({ witness, foreign }: Sides, [one]: readonly Mine[]): Promise<string> {
  assert.ok(one !== undefined);
  const both = [{ world: foreign, caller: witness }, one];
  return JSON.stringify(
    await Promise.all(
      both.map(async ({ world: { vault }, caller }) => {
        const headers = { 'x-vault-id': vault };
        const asked = [`/vaults/${vault}`, '/sync/changes?fields=all', '/trash', '/folders'];
        const bodies = await Promise.all(asked.map(async (url) => (await caller.get(url, headers)).body));
        const { keys } = (await caller.get('/api-keys')).body as { keys?: { id: string; name: string }[] };
        return [bodies, keys?.filter(({ name }) => !MADE_HERE.test(name)).map(({ id }) => id)];
      }),
    ),
  );
}

let count = 0;

/** @param isTaking whether the request brings its own ids; an id that is taken is replaced. */
async function askEach(setting: Setting, operation: Known, form: Making, isTaking: boolean): Promise<void> {
  const random = new Random(1);
  const needs = needsOf(new Set(fieldsOf(form, NAMED)));
  for (const chosen of choicesOf(namedBy(form, NAMED))) {
    const fresh = `fresh-${++count}`;
    const { sides, twins: kept } = await setting.kept();
    const isElsewhere = chosen.includes('vault') && inVault(operation.rule);
    const mayWrite = (isTaking && !isElsewhere) || chosen.every((field) => NAMES.includes(field));
    const reads = operation.method === 'GET' || (operation.rule.vault ?? operation.rule.named) === 'read';
    const found = mayWrite && !reads ? await setting.twins(needs) : kept;
    const twins = found.map(({ world, caller }) => ({ world: { ...world, fresh }, caller }));
    const { foreign } = sides;
    const made = chosen.map((field) => [field, nobodys(random, foreign[field], STRANGE, NOTHING)]);
    const theirs = chosen.map((field) => [field, foreign[field]]);
    const swapped = [Object.fromEntries(theirs), Object.fromEntries(made)];
    await askBoth(sides, operation, form, { twins, swapped, chosen, isTaking, isElsewhere });
  }
}

interface Asked {
  readonly twins: readonly Mine[];
  /** The fields to swap: ids of somebody else’s world, then ids that do not exist. */
  readonly swapped: readonly Partial<World>[];
  readonly chosen: readonly Field[];
  readonly isTaking: boolean;
  /** Whether the vault is not the caller’s, where nothing is written whatever else is named. */
  readonly isElsewhere: boolean;
}

async function askBoth(
  { isHidden }: Sides,
  operation: Known,
  form: Making,
  { twins, swapped, chosen, isTaking, isElsewhere }: Asked,
): Promise<void> {
  const answers = await Promise.all(
    twins.map(async ({ world, caller }, at) => {
      const asked = { ...world, ...swapped[at] };
      const { url, body, headers } = form(asked);
      const answer = await caller.call(operation.method, url, body, headers ?? {});
      const words = [world.notePath.slice('Note '.length, -'.md'.length), STRANGE, NOTHING];
      const plain = plainly(answer, asked, words).replace(/"x-ratelimit-\w+","\d+"/g, '""');
      return { answer, plain, text: answer.bytes.toString(), sent: JSON.stringify([url, body]) };
    }),
  );
  const [theirs, nobodys] = answers;
  assert.ok(theirs !== undefined && nobodys !== undefined);
  const { answer, text } = theirs;
  const what = `${operation.name} with ${chosen.join(', ')} of another → ${answer.status} ${text.slice(0, 300)}`;
  assert.ok(theirs.sent.includes(STRANGE) || !text.includes(STRANGE), what);
  if (isElsewhere) assert.ok(answer.status === (isHidden ? 404 : 403), what);
  if (!isTaking && (isHidden || !isElsewhere)) {
    assert.ok(theirs.plain === nobodys.plain, `${what}: ${difference(theirs.plain, nobodys.plain)}`);
  }
}
