import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { Compiled, Engine } from '../../../src/ports/database/statement.ts';

const sources = join(import.meta.dirname, '../../../src');
const LIST_LENGTH = 3;

export interface StoreStatement {
  /** `domain.name`, as exported by the domain's stores. */
  readonly name: string;
  sql(engine: Engine): string;
}

/** Every statement that a store exports. */
export async function storeStatements(): Promise<StoreStatement[]> {
  const found: StoreStatement[] = [];
  for (const file of globSync('{domains/*,ports}/*/**/*.store.ts', { cwd: sources }).sort()) {
    const folders = file.replaceAll('\\', '/').split('/');
    const domain = folders[folders[0] === 'domains' ? 2 : 1] ?? '';
    const store: Record<string, unknown> = await import(join(sources, file));
    for (const [name, value] of Object.entries(store)) {
      if (typeof value !== 'object' || value === null || !('compiled' in value)) continue;
      const { compiled } = value as { compiled(engine: Engine, size?: number): Compiled };
      found.push({ name: `${domain}.${name}`, sql: (engine) => compiled(engine, LIST_LENGTH).sql });
    }
  }
  return found;
}
