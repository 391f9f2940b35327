import { AjvCompiler } from '@fastify/ajv-compiler';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';

/*
 * The schema compilers of Fastify, shared by all servers of the process. The schemas do not change, and compiling those
 * of all routes is most of the work of building a server; tests build hundreds.
 */

type Validators = ReturnType<typeof AjvCompiler>;
type Serializers = ReturnType<typeof SerializerSelector>;

const validators: Validators = AjvCompiler();
const serializers: Serializers = SerializerSelector();

/** Compiled validators, by all their inputs. */
const validating = new Map<string, ReturnType<ReturnType<Validators>>>();
const serializing = new Map<string, ReturnType<ReturnType<Serializers>>>();

export const buildValidator: Validators = (externalSchemas, options) => {
  const compile = validators(externalSchemas, options);
  return (route) => remembered(validating, [externalSchemas, options, schemaOf(route)], () => compile(route));
};

export const buildSerializer: Serializers = (externalSchemas, options) => {
  const compile = serializers(externalSchemas, options);
  return (route) => remembered(serializing, [externalSchemas, options, schemaOf(route)], () => compile(route));
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
