import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine, onSqlite } from '../../kit/engines.ts';
import { inVaultOf, NAMED, requestsOf, taken } from '../../kit/operation-variants.ts';
import { knownOperations } from '../../kit/operations.ts';
import { startServer } from '../../kit/server.ts';
import { defineReferences } from './references.ts';

// matrices.full.test.ts tries all.
onEachEngine('[S1] an operation that names two things or more', (open, engine) => {
  defineReferences(open, (who, nth) => nth % 5 === 0 && (engine === 'sqlite' || who === 'an editor in a shared vault'));
});

/**
 * Fields of requests that name nothing. Cursors but those of the change feed are positions in an answer, not things; a
 * plan is a hash of what a dry run found.
 */
const NAMELESS = new Set(
  `name description is_default display_name locale analytics_opt_out password old_password new_password deleted role email
  expires_in uses mtime content version base_hash title tags text limit line state start context raw recursive
  content_base64 mime_type unreadable since_seq fields query mode diversity type created_after created_before
  updated_after updated_before changed_after changed_before date action actor cross_vault where property op value match columns sort by dir tz due_before tag from to
  return_to dry_run plan replacement match_case whole_words default_access scope device_name vault_name deny operation max_bytes
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
