import type { DatabaseSnapshot, Migration } from '../../ports/database/database.ts';
import { stepsLeft } from '../../ports/database/migrations.ts';
import type { ManifestBody } from '../format.ts';

/** Reads the schema steps of a snapshot. Throws SchemaError unless this version knows all of them. */
export async function readSchema(
  snapshot: DatabaseSnapshot,
  migrations: readonly Migration[],
): Promise<ManifestBody['schema']> {
  const rows = await snapshot.all('select number, name, version from schema_migrations order by number');
  const steps = rows.map(({ number, name, version }) => {
    return { number: Number(number), name: String(name), version: String(version) };
  });
  stepsLeft(migrations, steps);
  return steps;
}
