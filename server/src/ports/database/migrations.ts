import { type Migration, SchemaError } from './database.ts';

export interface Applied {
  readonly number: number;
  readonly name: string;
  /** The release that has the step first; absent in databases of 0.1.0. */
  readonly version?: string;
}

export const CREATE_RECORD =
  'create table if not exists schema_migrations (number bigint primary key, name text not null, version text not null)';

export function recordOf({ number, name, version = '' }: Migration): Required<Applied> {
  return { number, name, version };
}

/** The steps that are not yet applied. Throws SchemaError for a list with gaps, and for a database with other steps. */
export function stepsLeft(migrations: readonly Migration[], applied: readonly Applied[]): readonly Migration[] {
  for (const [index, migration] of migrations.entries()) {
    if (migration.number !== index + 1) {
      throw new SchemaError(
        `migration "${migration.name}" has number ${migration.number}, but is at position ${index + 1}`,
      );
    }
  }
  if (applied.length > migrations.length) {
    const known = namedStep(migrations.at(-1), migrations.length);
    throw new SchemaError(
      `the database is at schema step ${namedStep(applied.at(-1), applied.length)}, but this version knows only ` +
        `${known}: start the version that last used the database, or a newer one`,
    );
  }
  for (const [index, { number, name }] of applied.entries()) {
    const sentence = number === index + 1 ? migrations[index]?.unreadable?.[name] : undefined;
    if (sentence !== undefined) throw new SchemaError(sentence);
    if (number !== index + 1 || name !== migrations[index]?.name) {
      throw new SchemaError(
        `schema step ${number} of the database is "${name}", ` +
          `but this version expects step ${index + 1}, "${migrations[index]?.name}": it is another product's or branch's`,
      );
    }
  }
  return migrations.slice(applied.length);
}

/** The number of a step, with the release that has it first. */
function namedStep(step: Pick<Applied, 'version'> | undefined, number: number): string {
  const version = step?.version ?? '';
  return version === '' ? `${number}` : `${number} (of Notevault ${version})`;
}
