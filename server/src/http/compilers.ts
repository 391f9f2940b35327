import { AjvCompiler } from '@fastify/ajv-compiler';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import { DOCUMENTED } from '@notevault/protocol/values/schemas.ts';
import type { FastifySchemaCompiler } from 'fastify';

/*
 * The schema compilers of Fastify. A schema is compiled when the first request needs it: compiling all would take a
 * large part of the start and of memory, and few servers use all. Compiled schemas are shared by all servers of the
 * process; tests create hundreds.
 */

export const AJV_OPTIONS = {
  coerceTypes: false,
  removeAdditional: false,
  allErrors: false,
  strictTypes: false,
  // The schemas are checked by a test. Ajv would compile the schema of schemas during the first request: 30 ms.
  validateSchema: false,
  keywords: [DOCUMENTED] as string[],
} as const;

type Validators = ReturnType<typeof AjvCompiler>;
type Serializers = ReturnType<typeof SerializerSelector>;

const validators: Validators = AjvCompiler();
const serializers: Serializers = SerializerSelector();

type Validator = ReturnType<ReturnType<Validators>>;
type Serializer = ReturnType<ReturnType<Serializers>>;

const validating = new Map<string, Validator>();
const serializing = new Map<string, Serializer>();

export const buildValidator: Validators = (externalSchemas, options) => {
  const compile = validators(externalSchemas, options);
  return (route) => {
    let compiled: Validator | undefined;
    const validate = ((...data: Parameters<Validator>) => {
      compiled ??= remembered(validating, [externalSchemas, options, schemaOf(route)], () => compile(route));
      const isValid = compiled(...data);
      // Fastify reads them from the function that it called.
      validate.errors = compiled.errors ?? null;
      return isValid;
    }) as Validator;
    // Tells Fastify to pass on where the value is, as for what Ajv has compiled.
    const marks: object = { schemaEnv: true };
    return Object.assign(validate, marks);
  };
};

const validator = buildValidator({}, { customOptions: AJV_OPTIONS });

/** Checks all parts of a request but its body: the operation of a streamed route reads and checks that itself. */
export const buildStreamedValidator: FastifySchemaCompiler<unknown> = (route) =>
  route.httpPart === 'body' ? () => true : validator(route as never);

export const buildSerializer: Serializers = (externalSchemas, options) => {
  const compile = serializers(externalSchemas, options);
  return (route) => {
    let compiled: Serializer | undefined;
    return (data: unknown) => {
      compiled ??= remembered(serializing, [externalSchemas, options, schemaOf(route)], () => compile(route));
      return compiled(data);
    };
  };
};

/** Fastify passes the route together with its schema, although the types of the compilers say otherwise. */
function schemaOf(route: unknown): unknown {
  return (route as { readonly schema?: unknown }).schema;
}

function remembered<Compiled>(known: Map<string, Compiled>, madeFrom: unknown, compile: () => Compiled): Compiled {
  const key = JSON.stringify(madeFrom);
  const compiled = known.get(key) ?? compile();
  known.set(key, compiled);
  return compiled;
}
