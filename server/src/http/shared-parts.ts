import * as accounts from '@notevault/protocol/accounts.ts';
import * as admin from '@notevault/protocol/admin.ts';
import * as apiKeys from '@notevault/protocol/api-keys.ts';
import * as attachments from '@notevault/protocol/attachments.ts';
import * as connections from '@notevault/protocol/connections.ts';
import * as devices from '@notevault/protocol/devices.ts';
import * as folders from '@notevault/protocol/folders.ts';
import * as imports from '@notevault/protocol/imports.ts';
import * as links from '@notevault/protocol/links.ts';
import * as logs from '@notevault/protocol/logs.ts';
import * as members from '@notevault/protocol/members.ts';
import * as mentions from '@notevault/protocol/mentions.ts';
import * as notes from '@notevault/protocol/notes.ts';
import * as personal from '@notevault/protocol/personal.ts';
import * as publicLinks from '@notevault/protocol/public-links.ts';
import * as queries from '@notevault/protocol/queries.ts';
import * as search from '@notevault/protocol/search.ts';
import * as sync from '@notevault/protocol/sync.ts';
import * as tasks from '@notevault/protocol/tasks.ts';
import * as tickets from '@notevault/protocol/tickets.ts';
import * as trash from '@notevault/protocol/trash.ts';
import * as uploads from '@notevault/protocol/uploads.ts';
import * as values from '@notevault/protocol/values/schemas.ts';
import * as vaultChanges from '@notevault/protocol/vault-changes.ts';
import * as vaults from '@notevault/protocol/vaults.ts';
import { asDocumented } from './documented.ts';
import * as errorBodies from './error-bodies.ts';

/*
 * Writes each part of the OpenAPI document once. A schema has the name that it has in the protocol, a response that of
 * its errors, and a parameter its own.
 */

type Json = Readonly<Record<string, unknown>>;

interface Operation {
  readonly parameters?: readonly Json[];
  readonly requestBody?: Json;
  readonly responses: Readonly<Record<string, Json>>;
}

/** The parts of an OpenAPI document that are read and written here. */
export interface ApiDescription {
  readonly components?: object;
  readonly paths?: object;
}

const MODULES: readonly object[] = [
  errorBodies,
  values,
  accounts,
  admin,
  apiKeys,
  attachments,
  connections,
  devices,
  folders,
  imports,
  links,
  logs,
  members,
  mentions,
  notes,
  personal,
  publicLinks,
  queries,
  search,
  sync,
  tasks,
  tickets,
  trash,
  uploads,
  vaultChanges,
  vaults,
];

/** Returns the document with `$ref` to components in place of parts that several operations share. */
export function shareParts<Description extends ApiDescription>(document: Description): Description {
  const schemas = new SharedSchemas(MODULES);
  const uses = countUses(document.paths ?? {});
  const responses = new SharedParts('responses', uses);
  const parameters = new SharedParts('parameters', uses);
  const paths = mapOperations(document.paths ?? {}, (operation) => ({
    ...operation,
    ...(operation.parameters && {
      parameters: operation.parameters.map((part) => parameters.share(part, String(part.name), (each) => each)),
    }),
    ...(operation.requestBody && { requestBody: withSchemas(operation.requestBody, schemas) }),
    responses: mapValues(operation.responses, (response) => {
      const name = nameOfErrors(String(response.description));
      if (name === '') return withSchemas(response, schemas);
      return responses.share(response, name, (each) => withSchemas(each, schemas));
    }),
  }));
  const components = {
    ...document.components,
    schemas: schemas.components(),
    responses: responses.components(),
    parameters: parameters.components(),
  };
  return { ...document, components, paths };
}

/** Finds the schemas that the protocol exports by their contents. */
class SharedSchemas {
  readonly #names = new Map<string, string>();
  readonly #used = new Map<string, Json>();

  constructor(modules: readonly object[]) {
    for (const [name, schema] of modules.flatMap((module) => Object.entries(module))) {
      // The fields of parameters are documented one by one.
      if (
        !/^[A-Z][a-z]/.test(name) ||
        /(Params|Query)$/.test(name) ||
        !isRecord(schema) ||
        !isRecord(schema.properties) ||
        // Without fields, it equals every other object of any fields.
        Object.keys(schema.properties).length === 0
      )
        continue;
      const text = textOf(asDocumented(schema));
      if (!this.#names.has(text)) this.#names.set(text, name);
    }
  }

  /** The schema with references to those that have a name. */
  share(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((each) => this.share(each));
    if (!isRecord(schema)) return schema;
    const reference = this.#reference(schema);
    if (reference !== undefined) return reference;
    const { type, ...rest } = schema;
    if (Array.isArray(type) && type.length === 2 && type[1] === 'null') {
      const present = this.#reference({ type: type[0], ...rest });
      if (present !== undefined) return { anyOf: [present, { type: 'null' }] };
    }
    return mapValues(schema, (part) => this.share(part));
  }

  components(): Json {
    return sorted(this.#used);
  }

  #reference(schema: Json): Json | undefined {
    const name = this.#names.get(textOf(schema));
    if (name === undefined) return undefined;
    if (!this.#used.has(name)) {
      this.#used.set(
        name,
        mapValues(schema, (part) => this.share(part)),
      );
    }
    return { $ref: `#/components/schemas/${name}` };
  }
}

/** Parts of one kind that several operations have. */
class SharedParts {
  readonly #kind: string;
  readonly #uses: ReadonlyMap<string, number>;
  readonly #names = new Map<string, string>();
  readonly #parts = new Map<string, Json>();

  constructor(kind: string, uses: ReadonlyMap<string, number>) {
    this.#kind = kind;
    this.#uses = uses;
  }

  share(part: Json, wanted: string, finish: (part: Json) => Json): Json {
    const text = textOf(part);
    if ((this.#uses.get(text) ?? 0) < 2) return finish(part);
    const name = this.#names.get(text) ?? this.#freeName(wanted);
    this.#names.set(text, name);
    if (!this.#parts.has(name)) this.#parts.set(name, finish(part));
    return { $ref: `#/components/${this.#kind}/${name}` };
  }

  components(): Json {
    return sorted(this.#parts);
  }

  #freeName(wanted: string): string {
    let name = wanted;
    for (let count = 2; this.#parts.has(name); count++) name = `${wanted}_${count}`;
    return name;
  }
}

/** Counts the uses of each response and parameter in the operations, by its text. */
function countUses(paths: object): Map<string, number> {
  const uses = new Map<string, number>();
  mapOperations(paths, (operation) => {
    for (const part of [...(operation.parameters ?? []), ...Object.values(operation.responses)]) {
      const text = textOf(part);
      uses.set(text, (uses.get(text) ?? 0) + 1);
    }
    return operation;
  });
  return uses;
}

/** A body or response whose schemas are references where they can be, and do not repeat its description. */
function withSchemas(body: Json, schemas: SharedSchemas): Json {
  if (!isRecord(body.content)) return body;
  const content = mapValues(body.content, (media) => {
    if (!isRecord(media) || !isRecord(media.schema)) return media;
    const { description, ...schema } = media.schema;
    return { ...media, schema: schemas.share(description === body.description ? schema : media.schema) };
  });
  return { ...body, content };
}

function mapOperations(paths: object, change: (operation: Operation) => Operation): Json {
  return mapValues(paths, (methods) => mapValues(methods as object, (operation) => change(operation as Operation)));
}

/** Names a response by the errors in its description; empty for an answer that is no error. */
function nameOfErrors(description: string): string {
  const codes = [...description.matchAll(/`([^`]*)`/g)].map(([, code]) => code);
  // A name may have letters, digits, dots, dashes and underscores only.
  return codes.join('.').replace(/[^\w.-]+/g, '_');
}

function mapValues<Value, Mapped>(
  record: Readonly<Record<string, Value>> | object,
  change: (value: Value) => Mapped,
): Record<string, Mapped> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value as Value)]));
}

function sorted(parts: ReadonlyMap<string, Json>): Json {
  return Object.fromEntries([...parts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns a text that is equal for equal schemas, whatever the order of their keywords. */
function textOf(value: object): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isRecord(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
