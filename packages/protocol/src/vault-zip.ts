import { type Static, Type } from 'typebox';

/*
 * The list in the zip of a vault. A vault's path may be one that zip tools refuse or that an import leaves out, so the
 * list has the path of each file beside its name in the zip.
 */

/** The name of the list. No path of a vault can have it: normalization replaces its en quad. */
export const LIST_NAME = 'NOTEVAULT\u2000LIST.jsonl';
/** The name of the report on files that could not be read; no path can have it either. */
export const FAULTS_NAME = 'NOT\u2000EXPORTED.txt';

/** First line of the metadata list in an exported zip. */
export const ListHead = Type.Object({ format: Type.Literal('notevault-zip'), version: Type.Literal(1) });
export const LIST_HEAD: Static<typeof ListHead> = { format: 'notevault-zip', version: 1 };

/** Each further line of it. */
export const ListLine = Type.Object({
  /** The name in the zip; that of a folder ends in a slash. */
  name: Type.String(),
  path: Type.String(),
  /** Epoch seconds of a file, which a zip stores without fractions and only from 1970 to 2038. */
  mtime: Type.Optional(Type.Number()),
});
export type ListLine = Static<typeof ListLine>;
