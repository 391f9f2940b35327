import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rule } from '@notevault/protocol/operations.ts';
import { difference, nobodys, plainly } from '../../kit/alike.ts';
import { onSqlite } from '../../kit/engines.ts';
import {
  type Field,
  fieldsOf,
  inVaultOf,
  type Making,
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
  readonly mine: (word: string) => Promise<Mine>;
  readonly foreign: World;
  /** Sees what is foreign. */
  readonly witness: Caller;
  /** Whether a vault that the caller may not use is answered like one that does not exist. */
  readonly isHidden: boolean;
}

const inVault = ({ vault }: Rule) => vault !== undefined;

/** Two accounts, of which one owns what is foreign, and shares what is not. */
interface Pair {
  readonly owner: Person;
  readonly editor: Person;
  readonly server: TestServer;
  /** Parts of their worlds that only some operations need. */
  readonly needs: readonly Need[];
}

async function shareWith({ owner, editor, needs }: Pair, word: string): Promise<World> {
  const world = await makeWorld(owner, word, needs);
  const { url } = (await owner.post(`/vaults/${world.vault}/invitations`, { role: 'editor' })).body;
  assert.equal((await editor.post(`/invitations/${tokenOf(url)}/accept`)).status, 200);
  return world;
}

const hiddenFrom = async ({ owner, needs }: Pair) => ({
  foreign: await makeWorld(owner, STRANGE, needs),
  witness: owner,
  isHidden: true,
});

const callers: readonly {
  readonly who: string;
  readonly concerns: (rule: Rule) => boolean;
  readonly of: (pair: Pair) => Promise<Sides>;
}[] = [
  {
    who: 'an account with a vault of its own',
    concerns: () => true,
    of: async (pair) => ({
      ...(await hiddenFrom(pair)),
      mine: async (word) => ({ world: await makeWorld(pair.editor, word, pair.needs), caller: pair.editor }),
    }),
  },
  {
    who: 'an editor in a shared vault',
    concerns: inVault,
    of: async (pair) => ({
      ...(await hiddenFrom(pair)),
      mine: async (word) => ({ world: await shareWith(pair, word), caller: pair.editor }),
    }),
  },
  {
    who: 'a key of an editor for the shared one of two vaults',
    concerns: (rule) => inVault(rule) && rule.who === 'credential',
    of: async (pair) => ({
      foreign: await makeWorld(pair.editor, STRANGE, pair.needs),
      witness: pair.editor,
      isHidden: false,
      mine: async (word) => {
        const world = await shareWith(pair, word);
        const reach = { name: word, vault_access: { [world.vault]: 'write' } };
        const { key } = (await pair.editor.post('/connections/pat', reach)).body;
        return { world, caller: pair.server.bearer(key) };
      },
    }),
  },
];

/** What refused calls must not change. */
async function stateOf(caller: Caller, { vault }: World): Promise<string> {
  const headers = { 'x-vault-id': vault };
  const asked = [`/vaults/${vault}`, '/sync/changes?fields=all', '/trash', '/folders'];
  const bodies = await Promise.all(asked.map(async (url) => (await caller.get(url, headers)).body));
  const keys = (await caller.get('/api-keys')).body.keys?.map(({ id }: { id: string }) => id);
  return JSON.stringify([bodies, keys]);
}

/** A world whose values are not looked at. */
const NAMED = new Proxy({}, { get: (_, field) => `<${String(field)}>` }) as World;

/** Each thing that a request names alone, and all others, and all. */
function choicesOf(fields: readonly Field[]): readonly Field[][] {
  const alone = fields.map((field) => [field]);
  const others = fields.map((field) => fields.filter((each) => each !== field));
  return [...alone, ...(fields.length > 2 ? others : []), [...fields]];
}

const namedBy = (form: Making, world: World) => fieldsOf(form, world).filter((field) => !SECRETS.includes(field));

onSqlite('[S1] an operation that names two things or more', (open) => {
  test('[S1] an operation that names two things or more answers as for nobody’s when any is not the caller’s, and writes nothing', {
    timeout: 15 * 60_000,
  }, async (t) => {
    await using server = await startServer({ open, config: { authRateLimit: 1_000_000 } });
    const operations = (await knownOperations(server.anyone)).filter(({ rule: { who } }) =>
      /credential|session/.test(who),
    );
    for (const [at, { who, concerns, of }] of callers.entries()) {
      for (const operation of operations.filter(({ rule }) => concerns(rule))) {
        const person = (name: string) =>
          new Person(server.url, `${name}${at}${operation.name}`.toLowerCase(), () => server.alice.signed());
        const [forms, taking] = [requestsOf(operation), (taken[operation.name] ?? []).map(inVaultOf(operation))];
        const isPair = (form: Making) => namedBy(form, NAMED).length > 1;
        if (![...forms, ...taking].some(isPair)) continue;
        const needs = needsOf(new Set([...forms, ...taking].flatMap((form) => fieldsOf(form, NAMED))));
        const sides = await of({ server, needs, owner: person('owner'), editor: person('editor') });
        await t.test(`${operation.name} by ${who}`, async () => {
          for (const form of forms.filter(isPair)) await askEach(sides, operation, form, false);
          for (const form of taking) await askEach(sides, operation, form, true);
        });
      }
    }
  });
});

/**
 * Fields of requests that name nothing. Cursors but those of the change feed are positions in an answer, not things; a
 * plan is a hash of what a dry run found.
 */
const NAMELESS = new Set(
  `name description is_default display_name locale analytics_opt_out password old_password new_password deleted role email
  expires_in uses mtime content version base_hash title tags text limit line state start context raw recursive
  content_base64 mime_type unreadable since_seq fields query mode diversity type created_after created_before
  updated_after updated_before cross_vault where property op value match columns sort by dir tz due_before tag from to
  dry_run plan replacement match_case whole_words default_access scope device_name vault_name deny operation max_bytes
  level category since logs conn_id device_id message platform plugin_version stack ts forced
  x-device-id x-idempotency-key if-match if-none-match`.split(/\s+/),
);

interface Parameter {
  readonly in: string;
  readonly name: string;
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: object;
}

/** The names of the fields in a JSON schema, at any depth. */
function fieldsIn(schema: unknown, schemas: Readonly<Record<string, object>>): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  if ('$ref' in schema) return fieldsIn(schemas[String(schema.$ref).split('/').at(-1) ?? ''], schemas);
  const own = 'properties' in schema ? Object.keys(schema.properties as object) : [];
  return [...own, ...Object.values(schema).flatMap((part) => fieldsIn(part, schemas))];
}

onSqlite('[S1] what requests name', (open) => {
  test('[S1] every field of a request that may name something is sent by a request of its operation here', async () => {
    await using server = await startServer({ open });
    const { paths, components } = (await server.anyone.get('/openapi')).body as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
      readonly components: {
        readonly schemas: Readonly<Record<string, object>>;
        readonly parameters: Readonly<Record<string, Parameter>>;
      };
    };
    const described = new Map(
      Object.values(paths).flatMap((methods) =>
        Object.values(methods).map((each) => [each.operationId, each] as const),
      ),
    );
    const missing: string[] = [];
    for (const operation of await knownOperations(server.anyone)) {
      if (!/credential|session/.test(operation.rule.who)) continue;
      const { parameters = [], requestBody = {} } = described.get(operation.name) ?? {};
      // What is in the path of a request is always sent.
      const outside = parameters
        .map((each) => ('$ref' in each ? components.parameters[each.$ref.split('/').at(-1) ?? ''] : each))
        .flatMap((each) => (each === undefined || each.in === 'path' ? [] : [each.name]));
      const fields = new Set([...outside, ...fieldsIn(requestBody, components.schemas)]);
      const forms = [...requestsOf(operation), ...(taken[operation.name] ?? []).map(inVaultOf(operation))];
      const sent = JSON.stringify(forms.map((form) => form(NAMED)));
      const isSent = (name: string) => sent.includes(`"${name}":`) || new RegExp(`[?&]${name}=`).test(sent);
      const isPosition = (name: string) => name === 'cursor' && operation.name !== 'listChanges';
      const lacking = [...fields].filter((name) => !NAMELESS.has(name) && !isPosition(name) && !isSent(name));
      missing.push(...lacking.map((name) => `${operation.name}: ${name}`));
    }
    assert.deepEqual(missing, []);
  });
});

let count = 0;

/** @param isTaking whether the request brings ids, of which one that is taken is replaced. */
async function askEach(sides: Sides, operation: Known, form: Making, isTaking: boolean): Promise<void> {
  const { foreign } = sides;
  const random = new Random(1);
  let twins: readonly Mine[] | null = null;
  for (const chosen of choicesOf(namedBy(form, foreign))) {
    const fresh = ++count;
    const names = ['a', 'b'].map((side) => `${side}${fresh}${operation.name}`);
    twins ??= await Promise.all(names.map((name) => sides.mine(name)));
    twins = twins.map(({ world, caller }) => ({ world: { ...world, fresh: `fresh-${fresh}` }, caller }));
    const made = chosen.map((field) => [field, nobodys(random, foreign[field], STRANGE, NOTHING)]);
    const theirs = chosen.map((field) => [field, foreign[field]]);
    const swapped = [Object.fromEntries(theirs), Object.fromEntries(made)];
    const changes = isTaking || chosen.every((field) => NAMES.includes(field));
    await askBoth(sides, operation, form, { twins, swapped, chosen, isTaking, changes });
    if (changes && operation.method !== 'GET') twins = null;
  }
}

interface Asked {
  readonly twins: readonly Mine[];
  /** What the first names of somebody else’s, and the second of nobody’s. */
  readonly swapped: readonly Partial<World>[];
  readonly chosen: readonly Field[];
  readonly isTaking: boolean;
  /** Whether it may write into the vault of the request. */
  readonly changes: boolean;
}

async function askBoth(
  { foreign, witness, isHidden }: Sides,
  operation: Known,
  form: Making,
  { twins, swapped, chosen, isTaking, changes }: Asked,
): Promise<void> {
  const [one] = twins;
  assert.ok(one !== undefined);
  const before = [await stateOf(witness, foreign), await stateOf(one.caller, one.world)];
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
  const isVault = chosen.includes('vault') && inVault(operation.rule);
  if (isVault) assert.ok(answer.status === (isHidden ? 404 : 403), what);
  if (!isTaking && (isHidden || !isVault)) {
    assert.ok(theirs.plain === nobodys.plain, `${what}: ${difference(theirs.plain, nobodys.plain)}`);
  }
  assert.equal(await stateOf(witness, foreign), before[0], what);
  if (!changes) {
    assert.equal(await stateOf(one.caller, one.world), before[1], what);
  }
}
