import { Type } from 'typebox';

/** Fields that many tools take, named as in the REST API. */
export const vault = Type.Optional(Type.String({ description: 'Id or name; needed if several are accessible.' }));
export const path = Type.Optional(Type.String());
export const id = Type.Optional(Type.String());
export const cursor = Type.Optional(Type.String({ description: 'From the last answer.' }));
export const baseHash = Type.Optional(Type.String({ description: 'Hash of the text you read.' }));
export const dryRun = Type.Optional(Type.Boolean({ description: 'Only show the diff.' }));
export const dryDelete = Type.Optional(Type.Boolean({ description: 'Only show the note and what links to it.' }));
export const dryMove = Type.Optional(Type.Boolean({ description: 'Only show the paths.' }));

export function limit(max: number, usual: number) {
  return Type.Optional(Type.Integer({ minimum: 1, maximum: max, description: `Default ${usual}.` }));
}

export function text(description: string) {
  return Type.String({ description });
}

export function optional(description: string) {
  return Type.Optional(Type.String({ description }));
}

/** Strict: a field that a tool does not know would silently have no effect. */
export function input<const Fields extends Parameters<typeof Type.Object>[0]>(fields: Fields) {
  return Type.Object(fields, { additionalProperties: false });
}
