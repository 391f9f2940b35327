import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { ServerVersion } from '@notevault/protocol/client-level.ts';
import { type ErrorCode, errors } from '@notevault/protocol/errors.ts';
import type { OperationName, Rule } from '@notevault/protocol/operations.ts';
import { documented, REQUIRED } from '@notevault/protocol/values/schemas.ts';
import type { FastifySchema } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { asDocumented } from './documented.ts';
import { ConflictBody, ErrorBody, InvalidRequest } from './error-bodies.ts';
import { SeenRequest } from './monitoring/seen-request.ts';
import type { Route } from './route.ts';
import { shareParts } from './shared-parts.ts';

const RequestErrors: readonly ErrorCode[] = ['internal', 'unavailable', 'storage_full'];
const BodyErrors: readonly ErrorCode[] = [
  'invalid_json',
  'request_timeout',
  'body_too_large',
  'unsupported_media_type',
  'validation',
];
const CallerErrors: Readonly<Record<Rule['who'], readonly ErrorCode[]>> = {
  anyone: [],
  credential: ['unauthorized', 'suspended'],
  session: ['unauthorized', 'suspended', 'api_key_not_allowed'],
  admin: ['unauthorized', 'suspended', 'admin_required'],
};
const VaultErrors: readonly ErrorCode[] = ['vault_header_not_found', 'no_vault', 'vault_unreadable', 'vault_no_access'];
const LevelErrors = {
  read: VaultErrors,
  write: [...VaultErrors, 'insufficient_access', 'owner_suspended'],
} as const;
const RoleErrors = { editor: ['insufficient_access'], owner: ['owner_required'] } as const;
const IdempotencyErrors = {
  optional: ['invalid_idempotency_key', 'idempotency_key_reused', 'request_in_progress'],
  required: ['missing_idempotency_key', 'invalid_idempotency_key', 'idempotency_key_reused', 'request_in_progress'],
} as const satisfies Record<string, readonly ErrorCode[]>;

function errorBody(codes: readonly ErrorCode[], schema: TSchema = ErrorBody): TSchema {
  const texts = new Set(codes.map((code) => `\`${errors[code].error}\``));
  const base = codes.includes('validation') ? InvalidRequest : schema;
  return { ...base, description: [...texts].join(', ') };
}

function errorsOf(route: Route): ErrorCode[] {
  const body = route.body === undefined ? [] : BodyErrors;
  const path = route.query !== undefined || route.path.endsWith('/*') ? (['validation'] as const) : [];
  const { who, vault, role, limit, key, proof } = route.rule;
  const limited = who !== 'anyone' || limit !== undefined ? (['rate_limited'] as const) : [];
  const idempotent = key === undefined ? [] : IdempotencyErrors[key];
  const authorized = [
    ...CallerErrors[who],
    ...(vault === undefined ? [] : LevelErrors[vault]),
    ...(role === undefined ? [] : RoleErrors[role]),
    ...(proof === undefined ? [] : (['step_up_required'] as const)),
  ];
  const streamed = route.takes === undefined ? [] : (['request_timeout', 'bad_request'] as const);
  const own = [...body, ...streamed, ...path, ...limited, ...idempotent, ...(route.errors ?? [])];
  return [...new Set([...authorized, ...own, ...RequestErrors])];
}

/** The schema with which Fastify validates, serialises and documents a route. */
export function schemaOf(route: Route): FastifySchema {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(route)) {
    const { status } = errors[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const response: Record<number, TSchema> = {};
  for (const [status, codes] of byStatus) {
    response[status] = errorBody(codes, status === 409 && route.flagsConflicts ? ConflictBody : ErrorBody);
  }
  for (const [status, schema] of Object.entries(route.responses)) {
    response[Number(status)] = schema ?? Type.Null({ description: 'No body.' });
  }
  if (route.sendsBytes) sendBytes(response);
  if (route.revalidates !== undefined) response[304] = Type.Null({ description: 'The client has the current answer.' });
  const named: FastifySchema = {
    operationId: route.operation,
    summary: route.summary,
    tags: [route.path.split('/')[1] ?? 'api'],
    security: route.rule.who === 'anyone' ? [] : [{ bearer: [] }],
    response,
  };
  if (route.body !== undefined) named.body = route.body;
  // Documented, but not validated, because the body has not been read at that time.
  if (route.takes !== undefined) named.body = { content: { [route.takes.mediaType]: { schema: route.takes.schema } } };
  if (route.query !== undefined) named.querystring = route.query;
  if (route.params !== undefined) named.params = route.params;
  const headers = {
    ...(route.rule.vault === undefined ? {} : VaultHeaders),
    ...(route.rule.key === undefined ? {} : keyHeaders(route.rule.key === 'required' ? REQUIRED : {})),
    ...(route.conditional ? ConditionHeaders : {}),
    ...(route.revalidates === undefined ? {} : RevalidationHeaders),
  };
  if (Object.keys(headers).length > 0) named.headers = Type.Object(headers);
  return named;
}

/** Documents bytes as an alternative to JSON for the same statuses. */
function sendBytes(response: Record<number, TSchema>): void {
  for (const status of [200, 206]) {
    const json = response[status];
    const content = { ...(json === undefined ? {} : { 'application/json': { schema: json } }), ...OCTETS };
    response[status] = { description: 'The bytes, or the metadata.', content } as unknown as TSchema;
  }
  response[304] = Type.Null({ description: 'The client already has the current bytes.' });
}
const OCTETS = { 'application/octet-stream': { schema: Type.Unsafe({ type: 'string', format: 'binary' }) } };

const VaultHeaders = {
  'x-vault-id': Type.Optional(
    Type.String({
      description: 'The vault to use. If absent, the only vault that the credential can access, else the default one.',
    }),
  ),
  'x-device-id': Type.Optional(Type.String({ description: 'Names the installation.' })),
};

const keyHeaders = (listed: object) => ({
  'x-idempotency-key': Type.Optional(
    Type.String({
      ...listed,
      pattern: '^[!-~]{1,255}$',
      description:
        'A key that the client chooses for this request, 1 to 255 visible characters. If it is sent again within 24 hours, the request does not run again, and the first answer is returned with `Idempotency-Replayed: true`.',
    }),
  ),
});

const ConditionHeaders = {
  'if-match': Type.Optional(
    Type.String({
      description:
        '`"<content_hash>"` of what the write changes, or its `ETag`. If the stored hash differs, nothing is written (409).',
    }),
  ),
  'if-none-match': Type.Optional(
    Type.String({ description: '`*`: if something is at the path already, nothing is written (409).' }),
  ),
};

const RevalidationHeaders = {
  'if-none-match': Type.Optional(
    Type.String({
      description: 'The `ETag` of an earlier answer: if it is still current, it is not sent again (304).',
    }),
  ),
};

const RestOfPath = Type.Object({
  path: Type.String({
    description: 'The rest of the path, with each segment percent-encoded; slashes need no encoding.',
  }),
});

/** The schema of a route outside the domains, for documentation. */
export function plainSchema(operationId: OperationName, summary: string, body: TSchema): FastifySchema {
  return {
    operationId,
    summary,
    tags: ['server'],
    security: [],
    response: { 200: body, 503: errorBody(['unavailable']) },
  };
}

export function socketSchema(route: {
  readonly operation: OperationName;
  readonly summary: string;
  readonly description: string;
  readonly params?: TSchema;
}): FastifySchema {
  const switching = Type.Null({ description: 'The connection is a WebSocket from here on.' });
  return {
    operationId: route.operation,
    summary: route.summary,
    description: route.description,
    tags: ['sync'],
    security: [],
    response: { 101: switching, 426: errorBody(['upgrade_required']), 503: errorBody(['unavailable']) },
    ...(route.params === undefined ? {} : { params: route.params }),
  };
}

export const Health = Type.Object({
  status: Type.Literal('ok'),
  ...ServerVersion.properties,
  seen: Type.Optional(SeenRequest),
});
/** Ready also while the disk is full, attachments are out of reach or a part of the database is damaged: notes are read. */
export const Ready = Type.Object({
  status: Type.Literal('ok'),
  database: Type.Enum(['ok', 'damaged'], { description: 'damaged: a part of it cannot be read; the rest is served.' }),
  migrations: Type.Enum(['ok', 'newer'], {
    description: 'newer: a later version has changed the database, so this server should be replaced by it.',
  }),
  blobs: Type.Enum(['ok', 'unavailable'], { description: 'The store of attachments.' }),
  storage: Type.Enum(['ok', 'full'], { description: 'full: the disk is, so writes are refused.' }),
  backup: Type.Enum(['ok', 'failed'], { description: 'failed: the last backup was not taken.' }),
});
/** Declares no fields to the serializer, which would reorder them. */
export const ApiDescription = Type.Object(
  {},
  { additionalProperties: true, ...documented({ required: ['openapi', 'info', 'paths'] }) },
);
export const Alive = Type.Object({ status: Type.Literal('ok') });

type Made = Parameters<NonNullable<FastifyDynamicSwaggerOptions['transformObject']>>[0];

/** The frame of the OpenAPI 3.1 document, to which the routes are added. */
export function openApiDocument(version: string, publicUrl: string) {
  return {
    openapi: {
      openapi: '3.1.0' as const,
      info: {
        title: 'Notevault',
        version,
        description: 'Vaults of markdown notes: merging writes, true links, sealed at rest.',
      },
      servers: [{ url: publicUrl }],
      components: { securitySchemes: { bearer: { type: 'http' as const, scheme: 'bearer' } } },
    },
    // With `const`, a schema is the same in the document as in the protocol.
    convertConstToEnum: false,
    transformObject: (made: Made) => ('openapiObject' in made ? shareParts(made.openapiObject) : made.swaggerObject),
    // OpenAPI has no wildcard, so the rest of the path is one parameter, whose slashes need no encoding.
    transform: ({ schema: validated, url }: { schema: FastifySchema; url: string }) => {
      const schema = asDocumented(validated);
      return url.endsWith('/*')
        ? { schema: { ...schema, params: RestOfPath }, url: `${url.slice(0, -1)}:path` }
        : { schema, url };
    },
  };
}
