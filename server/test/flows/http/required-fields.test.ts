import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationName } from '@notevault/protocol/operations.ts';
import { onSqlite } from '../../kit/engines.ts';
import { needsOfRow } from '../../kit/operation-variants.ts';
import { type Known, knownOperations, makeWorld } from '../../kit/operations.ts';
import type { Answer, Caller, Headed } from '../../kit/person.ts';
import { startServer, type TestServer } from '../../kit/server.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
}
interface Documented {
  readonly operationId: OperationName;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>> };
}
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly required?: readonly string[] }>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

/** Fields that are required unless another field is there, which JSON Schema’s `required` cannot say. */
const ALTERNATIVES: Readonly<Record<string, readonly string[]>> = {
  authorizeDevice: ['vault_id'],
  createPublicLink: ['note_id'],
  createTicket: ['path'],
  moveFolders: ['target_parent'],
  moveNotes: ['target_folder_id'],
  renameTag: ['dry_run'],
  replaceText: ['dry_run'],
  stepUp: ['password'],
};

onSqlite('required parts of requests', (open) => {
  test('a body with the required fields alone is accepted, and one without any of them is refused', async (t) => {
    await using server = await startServer({ open });
    const description: Description = (await server.anyone.get('/openapi')).body;
    for (const operation of await knownOperations(server.anyone)) {
      const { requestBody } = documentedOf(description, operation);
      const reference = requestBody?.content['application/json']?.schema.$ref;
      if (reference === undefined) continue;
      const { required = [] } = description.components.schemas[reference.split('/').at(-1) ?? ''] ?? {};
      await t.test(operation.name, () => sendIncomplete(server, operation, required));
    }
  });

  test('a request without a required header or query parameter is refused', async (t) => {
    await using server = await startServer({ open });
    const description: Description = (await server.anyone.get('/openapi')).body;
    const asked: string[] = [];
    for (const operation of await knownOperations(server.anyone)) {
      const { parameters = [] } = documentedOf(description, operation);
      const all = parameters.map((each) =>
        '$ref' in each ? description.components.parameters[each.$ref.split('/').at(-1) ?? ''] : each,
      );
      const required = all.filter((each) => each?.required === true && each.in !== 'path');
      for (const parameter of required) {
        if (parameter === undefined) continue;
        asked.push(`${operation.name} ${parameter.name}`);
        await t.test(`${operation.name} without ${parameter.name}`, () => askWithout(server, operation, parameter));
      }
    }
    const moves = ['moveAttachments', 'moveFolders', 'moveNotes', 'renameMany'];
    const keyed = ['deleteFolders', 'deleteNotes', ...moves, 'upsertNotes'];
    const headed = keyed.map((name) => `${name} x-idempotency-key`);
    assert.deepEqual(asked.sort(), [...headed, 'listFolderNotes folder', 'startImport vault_id'].sort());
  });

  test('GET /openapi documents its own answer by the fields of every such document', async () => {
    await using server = await startServer({ open });
    const { body } = await server.anyone.get('/openapi');
    const { schema } = body.paths['/api/openapi'].get.responses['200'].content['application/json'];
    assert.deepEqual(schema.required, ['openapi', 'info', 'paths']);
    assert.equal(schema.$ref, undefined);
  });
});

function documentedOf({ paths }: Description, { name }: Known): Documented {
  const found = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .find(({ operationId }) => operationId === name);
  assert.ok(found !== undefined, name);
  return found;
}

async function sendIncomplete(server: TestServer, operation: Known, required: readonly string[]): Promise<void> {
  const { name, method, request, answers } = operation;
  const world = await makeWorld(server.alice, name, needsOfRow(operation));
  const { url, body, headers = {} } = request(world);
  const fields = Object.entries(body as Readonly<Record<string, unknown>>);
  const caller = asCallers(server, operation);
  const send = (sent: (field: string) => boolean, key: string) => {
    const part = Object.fromEntries(fields.filter(([field]) => sent(field)));
    return caller.call(method, url, part, withKey(headers, key));
  };
  const refused: Answer[] = [];
  for (const missing of required) {
    const answer = await send((field) => field !== missing, missing);
    assert.ok([400, 422].includes(answer.status), `${missing}: ${answer.status} ${answer.bytes}`);
    refused.push(answer);
  }
  const needed = new Set([...required, ...(ALTERNATIVES[name] ?? [])]);
  const minimal = await send((field) => needed.has(field), 'minimal');
  assert.equal(minimal.status, answers, `${minimal.bytes}`);
  for (const answer of refused) assert.notDeepEqual(answer.body, minimal.body);
}

async function askWithout(server: TestServer, operation: Known, parameter: Parameter): Promise<void> {
  const world = await makeWorld(server.alice, operation.name, needsOfRow(operation));
  const { url, body, headers = {} } = operation.request(world);
  const { [parameter.name]: _, ...others } = headers;
  const shorter = parameter.in === 'query' ? url.replace(new RegExp(`${parameter.name}=[^&]*`), '') : url;
  const { status, bytes } = await asCallers(server, operation).call(operation.method, shorter, body, others);
  assert.ok([400, 422].includes(status), `${status} ${bytes}`);
}

/** The caller of an operation: without a credential where it takes none, because it might end it. */
function asCallers(server: TestServer, { rule }: Known): Caller {
  return rule.who === 'anyone' ? server.anyone : server.alice;
}

/** A key of its own for each body that is sent under one. */
function withKey(headers: Headed, key: string): Headed {
  const { 'x-idempotency-key': sent } = headers;
  return sent === undefined ? headers : { ...headers, 'x-idempotency-key': `${sent}-${key}` };
}
